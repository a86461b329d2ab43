// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/footprint.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tlm/kernel/units.h"

namespace wafertlm::chakra {
namespace {

bool works_on_npu(const Node& node) {
  switch (node.type) {
    case NodeType::Invalid:
    case NodeType::Metadata:
      return false;
    case NodeType::CommColl:
      return node.is_collective() && node.comm_type != CollectiveType::Barrier;
    default:
      return !node.is_cpu_op;
  }
}

}  // namespace

void TensorLives::take(const Node& node, const NodeIo& io) {
  Uses uses;
  const bool reads = read_tensors(io.inputs, uses.read), writes = read_tensors(io.outputs, uses.written);
  const bool says_all =
      (reads || io.inputs.values.empty()) && (writes || io.outputs.values.empty()) && (reads || writes);
  if (!says_all && !gap_ && works_on_npu(node)) gap_ = describe(node) + " does not name its tensors";
  if (!uses.read.empty() || !uses.written.empty()) waiting_.emplace(node.id, std::move(uses));
}

void TensorLives::done(std::uint64_t id) {
  if (waiting_.empty()) return;
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  ++place_;
  for (const TensorUse& tensor : found->second.read) use(tensor, true);
  for (const TensorUse& tensor : found->second.written) use(tensor, false);
  waiting_.erase(found);
}

void TensorLives::use(const TensorUse& tensor, bool reads) {
  const auto [entry, is_new] = open_.try_emplace(tensor.storage);
  Life& life = entry->second;
  if (is_new) {
    life.first = reads ? 0 : place_;
  } else if (!reads && life.last != place_) {
    ended_.push_back(std::exchange(life, {place_, place_, 0}));
  }
  life.last = place_;
  life.bytes = std::max(life.bytes, tensor.bytes);
}

Footprint TensorLives::footprint() const {
  Footprint result;
  if (open_.empty()) return result;
  result.gap = gap_.value_or("");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> begins, ends;  // place, bytes
  const auto add = [&](const Life& life) {
    begins.emplace_back(life.first, life.bytes);
    ends.emplace_back(life.last, life.bytes);
  };
  for (const Life& life : ended_) add(life);
  for (const auto& [storage, life] : open_) add(life);
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  Uint128 there = 0, most = 0;
  auto end = ends.begin();
  for (const auto& [place, bytes] : begins) {
    for (; end->first < place; ++end) there -= end->second;
    there += bytes;
    most = std::max(most, there);
  }
  result.bytes =
      static_cast<std::uint64_t>(std::min<Uint128>(most, std::numeric_limits<std::int64_t>::max()));
  return result;
}

}  // namespace wafertlm::chakra
