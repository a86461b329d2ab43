// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/in_network.h"

#include <algorithm>
#include <map>
#include <numeric>
#include "workloads/collectives/rank_programs.h"

namespace wafertlm {

BlockOrder::BlockOrder(const Group& group, const Topology& topology) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> below;  // ranks, by switch
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    below[topology.attached_switch(group[rank])].push_back(rank);
  for (std::size_t round = 0; block.size() < group.size(); ++round)
    for (const auto& [number, ranks] : below)
      if (round < ranks.size()) block.push_back(ranks[round]);
  place_of.resize(block.size());
  for (std::uint32_t place = 0; place < block.size(); ++place) place_of[block[place]] = place;
  parallel = std::min(kMaxParallel, static_cast<std::uint32_t>(below.size()));
}

std::uint32_t InNetworkProgram::steps(std::uint32_t threadblock) const {
  if (ranks_ == 1) return 0;
  const bool sends = threadblock < senders();
  switch (type_) {
    case CollectiveType::broadcast:
      return sends == (rank_ == root_) ? 1 : 0;
    case CollectiveType::reduce:
      return sends || rank_ == root_ ? 1 : 0;
    case CollectiveType::reduce_scatter:
      return sends ? (ranks_ + senders() - 1 - threadblock) / senders() : 1;
    case CollectiveType::all_gather:
      return sends ? 1 : ranks_ - 1;
    default:
      return 1;
  }
}

Step InNetworkProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const bool sends = threadblock < senders();
  Step step;
  step.kind = sends ? Step::Kind::flow_send : Step::Kind::flow_copy;
  step.bytes = bytes_;
  if (!by_blocks()) return step;
  std::uint32_t place = place_of(rank_);
  if (type_ == CollectiveType::reduce_scatter) {
    if (sends) place = threadblock + index * senders();
  } else if (!sends) {
    place = index >= place ? index + 1 : index;  // every block but its own
  }
  const std::uint32_t block = block_at(place);
  step.tag = place;
  step.offset = blocks_.offset(block);
  step.bytes = blocks_.bytes(block);
  return step;
}

FlowMembers InNetworkProgram::flow(std::uint64_t tag) const {
  std::vector<std::uint32_t> all(ranks_);
  std::iota(all.begin(), all.end(), 0U);
  const auto one = by_blocks() ? block_at(static_cast<std::uint32_t>(tag)) : root_;
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

Algorithm::Programs in_network_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  Algorithm::Programs programs;
  const auto order = std::make_shared<const BlockOrder>(request.group, *fabric.topology);
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(std::make_unique<InNetworkProgram>(request.type, ranks_of(request), request.bytes,
                                                          request.root, rank, order));
  return programs;
}

}  // namespace wafertlm
