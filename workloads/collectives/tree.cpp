// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/tree.h"

#include <algorithm>
#include <tuple>

#include "workloads/collectives/shape.h"

namespace wafertlm {
namespace {

std::uint32_t towards(std::uint32_t from, std::uint32_t to) { return from < to ? from + 1 : from - 1; }

std::vector<std::uint32_t> rectangle_parents(const Group& group, const FabricTraits& fabric,
                                             std::uint32_t root) {
  std::vector<std::uint32_t> rank_of(fabric.npus()), parent(group.size());
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) rank_of[index_of(group[rank])] = rank;
  const std::uint32_t x0 = fabric.column(group[root]), y0 = fabric.row(group[root]);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    std::uint32_t x = fabric.column(group[rank]), y = fabric.row(group[rank]);
    if (y != y0)
      y = towards(y, y0);
    else if (x != x0)
      x = towards(x, x0);
    parent[rank] = rank_of[y * fabric.width + x];
  }
  return parent;
}

/// Prim's algorithm.
std::vector<std::uint32_t> spanning_parents(const Group& group, const FabricTraits& fabric,
                                            std::uint32_t root) {
  const auto p = static_cast<std::uint32_t>(group.size());
  std::vector<std::uint32_t> parent(p, root), depth(p, 0);
  std::vector<bool> inside(p, false);
  // Hops to the nearest rank that is in the tree, its depth, and it.
  const auto key = [&](std::uint32_t rank, std::uint32_t to) {
    return std::make_tuple(fabric.hops(group[rank], group[to]), depth[to], to);
  };
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> best(p);
  for (std::uint32_t rank = 0; rank < p; ++rank) best[rank] = key(rank, root);
  inside[root] = true;
  for (std::uint32_t count = 1; count < p; ++count) {
    std::uint32_t next = p;
    for (std::uint32_t rank = 0; rank < p; ++rank)
      if (!inside[rank] && (next == p || best[rank] < best[next])) next = rank;
    const auto [hops, parent_depth, to] = best[next];
    inside[next] = true;
    parent[next] = to;
    depth[next] = parent_depth + hops;
    for (std::uint32_t rank = 0; rank < p; ++rank)
      if (!inside[rank]) best[rank] = std::min(best[rank], key(rank, next));
  }
  return parent;
}

/// Every rank passes on to one other: a switch has no neighbours, and a second child would halve the rate.
/// From the root to the others on its L1 switch, then to those on its L2 switch, then to the rest; every
/// uplink is crossed once in each direction.
std::vector<std::uint32_t> chain_parents(const Group& group, const FabricTraits& fabric, std::uint32_t root) {
  const FredTraits& fred = fabric.fred;
  const NpuId first = group[root];
  const auto around = [](std::uint32_t place, std::uint32_t from, std::uint32_t size) {
    return (place + size - from) % size;
  };
  const auto key = [&](std::uint32_t rank) {
    const NpuId npu = group[rank];
    return std::make_tuple(around(fred.l2_of(npu), fred.l2_of(first), fred.l2_switches),
                           around(fred.l1_of(npu), fred.l1_of(first), fred.l1_switches),
                           around(static_cast<std::uint32_t>(npu) % fred.npus_per_l1,
                                  static_cast<std::uint32_t>(first) % fred.npus_per_l1, fred.npus_per_l1));
  };
  std::vector<std::uint32_t> order(group.size()), parent(group.size(), root);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) order[rank] = rank;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::size_t place = 1; place < order.size(); ++place) parent[order[place]] = order[place - 1];
  return parent;
}

/// Parent of a place in a binary tree in order: leaves are the odd places, a place with k trailing zero bits
/// is k levels above them.
std::uint32_t binary_parent(std::uint32_t place, std::uint32_t places) {
  if (place == 0) return 0;
  const std::uint32_t bit = place & (~place + 1);
  const std::uint32_t up = (place ^ bit) | bit << 1;
  return up < places ? up : place ^ bit;
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

Tree neighbour_tree(const Group& group, const FabricTraits& fabric, std::uint32_t root) {
  if (fabric.has_no_shape()) return Tree(spanning_parents(group, fabric, root));
  if (!fabric.is_mesh()) return Tree(chain_parents(group, fabric, root));
  return Tree(Rectangle(group, fabric).full ? rectangle_parents(group, fabric, root)
                                            : spanning_parents(group, fabric, root));
}

std::vector<Tree> double_binary_trees(const std::vector<std::uint32_t>& order) {
  const auto p = static_cast<std::uint32_t>(order.size());
  const auto tree = [&](auto place_of) {
    std::vector<std::uint32_t> parent(p);
    for (std::uint32_t place = 0; place < p; ++place)
      parent[order[place_of(place)]] = order[place_of(binary_parent(place, p))];
    return Tree(std::move(parent));
  };
  std::vector<Tree> trees;
  trees.push_back(tree([](std::uint32_t place) { return place; }));
  trees.push_back(tree([p](std::uint32_t place) { return p % 2 == 0 ? p - 1 - place : (place + 1) % p; }));
  return trees;
}

}  // namespace wafertlm
