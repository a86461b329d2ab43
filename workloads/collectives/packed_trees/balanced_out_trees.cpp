// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "tlm/kernel/units.h"
#include "workloads/collectives/packed_trees/out_trees.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kUnreached = ~std::uint32_t{0};
/// Levels that a tree grows deeper rather than use a link once more than its share.
constexpr std::uint64_t kLevelsPerExcess = 2;

class BalancedTrees {
 public:
  BalancedTrees(const RankGraph& graph, const std::vector<std::uint32_t>& roots)
      : graph_(graph), roots_(roots), links_(graph), load_(graph.links.size(), 0) {
    std::vector<std::uint64_t> rates(graph.ranks, 0), trees(graph.ranks, roots.size());
    for (const RankGraph::Link& link : graph.links) rates[link.to] += link.bytes_per_s;
    for (const std::uint32_t root : roots) --trees[root];
    for (std::uint32_t rank = 0; rank < graph.ranks; ++rank)
      limit_ = std::max(limit_, static_cast<double>(trees[rank]) / static_cast<double>(rates[rank]));
    slowest_ = *std::min_element(rates.begin(), rates.end());
  }

  std::vector<Tree> made() {
    for (const std::uint32_t root : roots_) grow(root);
    for (std::uint32_t rank = 0; rank < graph_.ranks; ++rank) balance(rank);
    std::vector<Tree> trees;
    for (auto& parent : parents_) trees.emplace_back(std::move(parent));
    return trees;
  }

 private:
  /// Of so many trees over a link, so that it takes no longer than the links to the slowest rank.
  std::uint64_t share(std::uint32_t link, std::size_t trees) const {
    return static_cast<std::uint64_t>(Uint128{trees} * graph_.links[link].bytes_per_s / slowest_);
  }

  /// Prim's tree with the depth, and what a link has more than its share, as its length.
  void grow(std::uint32_t root) {
    using Next = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // length, depth, link
    std::priority_queue<Next, std::vector<Next>, std::greater<>> open;
    std::vector<std::uint32_t> parent(graph_.ranks, kUnreached);
    std::uint32_t reached = 0;
    const auto reach = [&](std::uint32_t rank, std::uint32_t from, std::uint32_t depth) {
      parent[rank] = from;
      ++reached;
      for (const std::uint32_t link : links_.out[rank]) {
        const std::uint64_t fair = share(link, parents_.size() + 1);
        open.emplace(depth + 1 + (load_[link] > fair ? load_[link] - fair : 0) * kLevelsPerExcess, depth + 1,
                     link);
      }
    };
    reach(root, root, 0);
    while (reached < graph_.ranks) {
      const auto [length, depth, link] = open.top();
      open.pop();
      const RankGraph::Link& of = graph_.links[link];
      if (parent[of.to] != kUnreached) continue;
      ++load_[link];
      reach(of.to, of.from, depth);
    }
    parents_.push_back(std::move(parent));
  }

  /// Moves trees from the links with too much to those with the least, as long as that shortens the longest.
  void balance(std::uint32_t rank) {
    while (relieve(rank)) {
    }
  }

  bool relieve(std::uint32_t rank) {
    std::vector<std::uint32_t> in = links_.in[rank];
    std::sort(in.begin(), in.end(), [&](std::uint32_t a, std::uint32_t b) {
      return time(a, 0) != time(b, 0) ? time(a, 0) < time(b, 0) : a < b;
    });
    const std::uint32_t busiest = in.back();
    if (time(busiest, 0) <= limit_) return false;
    for (const std::uint32_t to : in) {
      if (to == busiest || time(to, 1) >= time(busiest, 0)) continue;
      for (auto& parent : parents_)
        if (parent[rank] == graph_.links[busiest].from && !is_below(parent, graph_.links[to].from, rank)) {
          parent[rank] = graph_.links[to].from;
          --load_[busiest];
          ++load_[to];
          return true;
        }
    }
    return false;
  }

  /// In units that are the same for all links.
  double time(std::uint32_t link, std::uint32_t more) const {
    return static_cast<double>(load_[link] + more) / static_cast<double>(graph_.links[link].bytes_per_s);
  }

  static bool is_below(const std::vector<std::uint32_t>& parent, std::uint32_t rank, std::uint32_t top) {
    while (rank != top && parent[rank] != rank) rank = parent[rank];
    return rank == top;
  }

  const RankGraph& graph_;
  const std::vector<std::uint32_t>& roots_;
  LinksByRank links_;
  double limit_ = 0;                 // what all trees take into the rank that gets them last, at least
  std::uint64_t slowest_ = 0;        // bytes/s into a rank, of all its links
  std::vector<std::uint64_t> load_;  // by link
  std::vector<std::vector<std::uint32_t>> parents_;  // by tree and rank
};

}  // namespace

std::vector<Tree> balanced_out_trees(const RankGraph& graph, const std::vector<std::uint32_t>& roots) {
  return BalancedTrees(graph, roots).made();
}

}  // namespace wafertlm
