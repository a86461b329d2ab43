// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_tree.h"

#include <algorithm>

namespace wafertlm {

std::uint64_t IoTreePlan::bytes_of(std::size_t tree) const {
  if (chunks_of(tree) == 0) return 0;
  const bool has_last = (chunks() - 1) % trees.size() == tree;
  const std::uint64_t full = std::uint64_t{chunks_of(tree)} * chunk_bytes;
  return has_last ? full - (std::uint64_t{chunks()} * chunk_bytes - bytes) : full;
}

IoTreePlan io_trees_of(std::uint32_t controller, const std::vector<bool>& is_member,
                       const Topology& topology) {
  const NpuId root = topology.io_controller(controller);
  const std::vector<IoParents> trees = topology.io_trees(controller, is_member);
  IoTreePlan plan;
  plan.group.push_back(root);
  plan.relays.push_back(false);
  std::vector<std::uint32_t> rank_of(topology.npus(), 0);
  for (std::uint32_t n = 0; n < topology.npus(); ++n) {
    if (trees.front()[n] == kNoNpu) continue;  // all trees have the same NPUs
    rank_of[n] = static_cast<std::uint32_t>(plan.group.size());
    plan.group.push_back(static_cast<NpuId>(n));
    plan.relays.push_back(!is_member[n]);
  }
  for (const IoParents& parents : trees) {
    IoTree& tree = plan.trees.emplace_back();
    tree.parent.resize(plan.group.size());
    tree.children.resize(plan.group.size());
    for (std::uint32_t rank = 1; rank < plan.group.size(); ++rank) {
      const NpuId from = parents[index_of(plan.group[rank])];
      const std::uint32_t parent = from == root ? plan.root : rank_of[index_of(from)];
      tree.parent[rank] = parent;
      tree.children[parent].push_back(rank);
    }
  }
  return plan;
}

IoProgram::IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces)
    : plan_(std::move(plan)) {
  const auto add = [&](std::uint32_t tree, Step::Kind kind, std::uint32_t peer, std::uint32_t after) {
    edges_.push_back({tree, kind, peer, after});
    return static_cast<std::uint32_t>(edges_.size() - 1);
  };
  for (std::uint32_t number = 0; number < plan_->trees.size(); ++number) {
    const IoTree& tree = plan_->trees[number];
    const bool is_root = rank == plan_->root;
    std::uint32_t holds = Step::kNone;  // the threadblock after whose step the chunk can go on
    if (!reduces && !is_root) holds = add(number, Step::Kind::copy, tree.parent[rank], holds);
    for (const std::uint32_t child : tree.children[rank]) {
      const bool has_none = plan_->relays[rank] && holds == Step::kNone;
      const Step::Kind takes = has_none ? Step::Kind::copy : Step::Kind::reduce;
      const std::uint32_t threadblock = add(number, reduces ? takes : Step::Kind::send, child, holds);
      if (reduces) holds = threadblock;
    }
    if (reduces && !is_root) add(number, Step::Kind::send, tree.parent[rank], holds);
  }
}

Step IoProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Edge& edge = edges_[threadblock];
  const std::uint32_t chunk = index * static_cast<std::uint32_t>(plan_->trees.size()) + edge.tree;
  Step step;
  step.kind = edge.kind;
  step.peer = edge.peer;
  step.offset = chunk * plan_->chunk_bytes;
  step.bytes = std::min(plan_->chunk_bytes, plan_->bytes - step.offset);
  step.tag = chunk;
  if (edge.after != Step::kNone) {
    step.after_threadblock = edge.after;
    step.after_count = index + 1;
  }
  return step;
}

}  // namespace wafertlm
