// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/in_network.h"

#include <numeric>

namespace wafertlm {

std::uint32_t InNetworkProgram::steps(std::uint32_t strand) const {
  if (ranks_ == 1) return 0;
  const bool sends = strand == 0;
  switch (type_) {
    case CollectiveType::broadcast:
      return sends == (rank_ == root_) ? 1 : 0;
    case CollectiveType::reduce:
      return sends || rank_ == root_ ? 1 : 0;
    case CollectiveType::reduce_scatter:
      return sends ? ranks_ : 1;
    case CollectiveType::all_gather:
      return sends ? 1 : ranks_ - 1;
    default:
      return 1;
  }
}

Step InNetworkProgram::step(std::uint32_t strand, std::uint32_t index) const {
  Step step;
  step.kind = strand == 0 ? Step::Kind::flow_send : Step::Kind::flow_copy;
  step.bytes = bytes_;
  if (!by_blocks()) return step;
  const bool own = (type_ == CollectiveType::reduce_scatter) == (strand == 1);
  // All-gather receives every block but its own.
  const std::uint32_t other = type_ == CollectiveType::all_gather && index >= rank_ ? index + 1 : index;
  const std::uint32_t block = own ? rank_ : other;
  step.tag = block;
  step.offset = blocks_.offset(block);
  step.bytes = blocks_.bytes(block);
  return step;
}

FlowMembers InNetworkProgram::flow(std::uint64_t tag) const {
  std::vector<std::uint32_t> all(ranks_);
  std::iota(all.begin(), all.end(), 0U);
  const auto one = static_cast<std::uint32_t>(by_blocks() ? tag : root_);
  std::vector<std::uint32_t> others = all;
  others.erase(others.begin() + one);
  switch (type_) {
    case CollectiveType::broadcast:
    case CollectiveType::all_gather:
      return {{one}, others};
    case CollectiveType::reduce:
    case CollectiveType::reduce_scatter:
      return {all, {one}};
    default:
      return {all, all};
  }
}

}  // namespace wafertlm
