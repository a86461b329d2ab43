// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/tree.h"

namespace wafertlm {
namespace {

/// Parent of a position in a binary tree in order: leaves are the odd positions, one with k trailing zero
/// bits is k levels above them.
std::uint32_t binary_parent(std::uint32_t position, std::uint32_t positions) {
  if (position == 0) return 0;
  const std::uint32_t bit = position & (~position + 1);
  const std::uint32_t up = (position ^ bit) | bit << 1;
  return up < positions ? up : position ^ bit;
}

}  // namespace

Tree::Tree(std::vector<std::uint32_t> parent)
    : parent_(std::move(parent)),
      slot_(parent_.size()),
      depth_(parent_.size()),
      position_(parent_.size()),
      size_(parent_.size(), 1),
      children_(parent_.size()) {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    if (is_root(rank)) {
      waiting.push_back(rank);
    } else {
      slot_[rank] = static_cast<std::uint32_t>(children_[parent_[rank]].size());
      children_[parent_[rank]].push_back(rank);
    }
  }
  while (!waiting.empty()) {
    const std::uint32_t rank = waiting.back();
    waiting.pop_back();
    position_[rank] = static_cast<std::uint32_t>(preorder_.size());
    preorder_.push_back(rank);
    depth_[rank] = is_root(rank) ? 0 : depth_[parent_[rank]] + 1;
    waiting.insert(waiting.end(), children_[rank].rbegin(), children_[rank].rend());
  }
  for (auto rank = preorder_.rbegin(); rank != preorder_.rend(); ++rank)
    if (!is_root(*rank)) size_[parent_[*rank]] += size_[*rank];
}

std::vector<Tree> double_binary_trees(const std::vector<std::uint32_t>& order) {
  const auto p = static_cast<std::uint32_t>(order.size());
  const auto tree = [&](auto position_of) {
    std::vector<std::uint32_t> parent(p);
    for (std::uint32_t i = 0; i < p; ++i)
      parent[order[position_of(i)]] = order[position_of(binary_parent(i, p))];
    return Tree(std::move(parent));
  };
  std::vector<Tree> trees;
  trees.push_back(tree([](std::uint32_t i) { return i; }));
  trees.push_back(tree([p](std::uint32_t i) { return p % 2 == 0 ? p - 1 - i : (i + 1) % p; }));
  return trees;
}

}  // namespace wafertlm
