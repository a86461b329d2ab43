// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "workloads/collectives/cuts/min_cut.h"
#include "workloads/collectives/packed_trees/out_trees.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

/// What trees have left of the links, and the trees that are to come.
class RoomForTrees {
 public:
  RoomForTrees(const RankGraph& graph, const std::vector<std::uint32_t>& most_by_link,
               const std::vector<std::uint32_t>& roots)
      : graph_(graph),
        left_(most_by_link),
        to_come_(graph.ranks, 0),
        trees_to_come_(roots.size()),
        network_(graph.ranks + 1) {
    for (const std::uint32_t root : roots) ++to_come_[root];
    for (std::size_t link = 0; link < left_.size(); ++link)
      network_.add(graph.links[link].from, graph.links[link].to, left_[link], 0);
    for (const std::uint32_t count : to_come_) network_.add(graph.ranks, rank_count_++, count, 0);
  }

  std::uint32_t left(std::size_t link) const { return left_[link]; }
  /// All trees that are to come reach every rank.
  bool is_enough() {
    for (std::uint32_t rank = 0; rank < graph_.ranks; ++rank)
      if (network_.between(graph_.ranks, rank).capacity < static_cast<Capacity>(trees_to_come_)) return false;
    return true;
  }
  void begin_tree(std::uint32_t root) {
    set_to_come(root, --to_come_[root]);
    --trees_to_come_;
  }
  /// Takes the link for the tree that has begun and reaches its start. Of all sets of ranks that it enters
  /// none may have just as many links into it as trees that are to come from outside.
  bool take(std::size_t link) {
    const auto& [from, to, rate] = graph_.links[link];
    set_to_come(from, kAlways);
    const Capacity flow = network_.between(graph_.ranks, to).capacity;
    set_to_come(from, to_come_[from]);
    if (flow <= static_cast<Capacity>(trees_to_come_)) return false;
    network_.set(link, --left_[link], 0);
    return true;
  }

 private:
  using Capacity = bounds::MinCut::Capacity;
  static constexpr Capacity kAlways = Capacity{1} << 40;

  void set_to_come(std::uint32_t rank, Capacity trees) { network_.set(left_.size() + rank, trees, 0); }

  const RankGraph& graph_;
  std::vector<std::uint32_t> left_;     // by link
  std::vector<std::uint32_t> to_come_;  // by root
  std::size_t trees_to_come_;
  std::uint32_t rank_count_ = 0;
  bounds::MinCut network_;  // links by number, then what begins at each rank
};

}  // namespace

std::vector<Tree> exact_out_trees(const RankGraph& graph, const std::vector<std::uint32_t>& most_by_link,
                                  const std::vector<std::uint32_t>& roots) {
  RoomForTrees room(graph, most_by_link, roots);
  if (!room.is_enough()) return {};
  const LinksByRank links(graph);
  std::vector<Tree> trees;
  for (const std::uint32_t root : roots) {
    room.begin_tree(root);
    using Next = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // depth, what is taken of it, link
    std::priority_queue<Next, std::vector<Next>, std::greater<>> open;
    std::vector<std::uint32_t> parent(graph.ranks, kNoParent);
    std::uint32_t reached = 0;
    const auto reach = [&](std::uint32_t rank, std::uint32_t from, std::uint32_t depth) {
      parent[rank] = from;
      ++reached;
      for (const std::uint32_t link : links.out[rank])
        if (room.left(link) != 0) open.emplace(depth + 1, most_by_link[link] - room.left(link), link);
    };
    reach(root, root, 0);
    while (reached < graph.ranks) {
      if (open.empty()) return {};
      const auto [depth, taken, link] = open.top();
      open.pop();
      const RankGraph::Link& of = graph.links[link];
      if (parent[of.to] == kNoParent && room.take(link)) reach(of.to, of.from, depth);
    }
    trees.emplace_back(std::move(parent));
  }
  return trees;
}

}  // namespace wafertlm
