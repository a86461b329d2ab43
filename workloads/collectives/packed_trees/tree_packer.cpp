// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/tree_packer.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <tuple>

namespace wafertlm {
namespace {

constexpr std::uint32_t kNoLink = ~std::uint32_t{0};
/// Levels that a new tree grows deeper rather than use a link once more than the average.
constexpr std::uint32_t kLevelsPerLoad = 2;

}  // namespace

struct TreePacker::Spanning {
  std::vector<std::uint32_t> parent, link;     // by rank; the link to its parent, kNoLink at the root
  std::vector<std::uint32_t> order, position;  // preorder
  std::vector<std::uint32_t> size;             // ranks below, with itself
  std::vector<bool> has;                       // by link

  bool is_below(std::uint32_t rank, std::uint32_t top) const {
    return position[rank] >= position[top] && position[rank] < position[top] + size[top];
  }
};

TreePacker::TreePacker(const RankGraph& graph)
    : graph_(graph), ends_(graph.ranks), central_(graph.ranks), load_(graph.links.size()) {
  for (std::uint32_t link = 0; link < graph_.links.size(); ++link) {
    const auto& [a, b] = graph_.links[link];
    ends_[a].push_back({b, link});
    ends_[b].push_back({a, link});
  }
  bound_ = {graph_.links.size() + 1, 1};  // more than any partition has
  tighten({graph_.links.size(), graph_.ranks - 1});
  for (const auto& ends : ends_) tighten({ends.size(), 1});

  std::vector<std::uint32_t> farthest(graph_.ranks), distance;
  for (std::uint32_t rank = 0; rank < graph_.ranks; ++rank) {
    distance.assign(graph_.ranks, kNoLink);
    distance[rank] = 0;
    std::vector<std::uint32_t> queue = {rank};
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const End& end : ends_[queue[next]])
        if (distance[end.rank] == kNoLink) {
          distance[end.rank] = distance[queue[next]] + 1;
          queue.push_back(end.rank);
        }
    farthest[rank] = distance[queue.back()];
  }
  std::iota(central_.begin(), central_.end(), 0U);
  std::stable_sort(central_.begin(), central_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return farthest[a] < farthest[b]; });
  const auto nearest = std::count(farthest.begin(), farthest.end(), farthest[central_.front()]);
  central_.resize(std::max<std::size_t>(static_cast<std::size_t>(nearest), (graph_.ranks + 3) / 4));
}

void TreePacker::tighten(const PartitionBound& bound) {
  if (bound.links * bound_.parts_less_one >= bound_.links * bound.parts_less_one) return;
  const std::uint64_t divisor = std::gcd(bound.links, bound.parts_less_one);
  bound_ = {bound.links / divisor, bound.parts_less_one / divisor};
}

/// Prim's tree with the depth and the load of a link as its length.
TreePacker::Spanning TreePacker::grown(std::uint32_t root, std::uint32_t number) const {
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // length, link, rank behind it
  std::priority_queue<Key, std::vector<Key>, std::greater<>> open;
  std::vector<std::uint32_t> depth(graph_.ranks, kNoLink), links;
  const std::uint64_t average =
      std::uint64_t{number} * (graph_.ranks - 1) / graph_.links.size();  // load of a link so far
  const auto reach = [&](std::uint32_t rank, std::uint32_t at) {
    depth[rank] = at;
    for (const End& end : ends_[rank])
      if (depth[end.rank] == kNoLink) {
        const std::uint64_t more = load_[end.link] > average ? load_[end.link] - average : 0;
        open.emplace(at + 1 + more * kLevelsPerLoad, end.link, end.rank);
      }
  };
  reach(root, 0);
  while (links.size() + 1 < graph_.ranks) {
    const auto [length, link, rank] = open.top();
    open.pop();
    if (depth[rank] != kNoLink) continue;
    links.push_back(link);
    const auto& [a, b] = graph_.links[link];
    reach(rank, depth[a == rank ? b : a] + 1);
  }
  Spanning tree;
  set_links(tree, links);
  return tree;
}

void TreePacker::set_links(Spanning& tree, const std::vector<std::uint32_t>& links) const {
  tree.has.assign(graph_.links.size(), false);
  for (const std::uint32_t link : links) tree.has[link] = true;
  tree.parent.assign(graph_.ranks, 0);
  tree.link.assign(graph_.ranks, kNoLink);
  tree.position.assign(graph_.ranks, 0);
  tree.size.assign(graph_.ranks, 1);
  tree.order.clear();
  std::vector<std::uint32_t> stack = {0};
  while (!stack.empty()) {
    const std::uint32_t rank = stack.back();
    stack.pop_back();
    tree.position[rank] = static_cast<std::uint32_t>(tree.order.size());
    tree.order.push_back(rank);
    for (const End& end : ends_[rank])
      if (tree.has[end.link] && end.link != tree.link[rank]) {
        tree.parent[end.rank] = rank;
        tree.link[end.rank] = end.link;
        stack.push_back(end.rank);
      }
  }
  for (auto rank = tree.order.rbegin(); rank + 1 != tree.order.rend(); ++rank)
    tree.size[tree.parent[*rank]] += tree.size[*rank];
}

void TreePacker::drop_tree() {
  for (std::uint32_t link = 0; link < load_.size(); ++link)
    if (trees_.back().has[link]) --load_[link];
  trees_.pop_back();
}

/// Breadth first from a link with too much load; false: there is no way to one with room.
bool TreePacker::relieve(std::uint32_t overloaded) {
  reached_.assign(load_.size(), {});
  reached_[overloaded] = {kNoLink, 0, true};
  std::deque<std::uint32_t> queue = {overloaded};
  while (!queue.empty()) {
    const std::uint32_t link = queue.front();
    queue.pop_front();
    const auto& [a, b] = graph_.links[link];
    for (std::uint32_t number = 0; number < trees_.size(); ++number) {
      const Spanning& tree = trees_[number];
      if (!tree.has[link]) continue;
      const std::uint32_t top = tree.link[a] == link ? a : b;
      for (std::uint32_t at = tree.position[top]; at < tree.position[top] + tree.size[top]; ++at)
        for (const End& end : ends_[tree.order[at]]) {
          if (reached_[end.link].is || tree.is_below(end.rank, top)) continue;
          reached_[end.link] = {link, number, true};
          if (load_[end.link] < per_link_) {
            exchange(end.link);
            --load_[overloaded];
            ++load_[end.link];
            return true;
          }
          queue.push_back(end.link);
        }
    }
  }
  return false;
}

/// Along the path by which `last` was reached.
void TreePacker::exchange(std::uint32_t last) {
  std::vector<std::vector<std::uint32_t>> gives(trees_.size()), takes(trees_.size());
  for (std::uint32_t link = last; reached_[link].from != kNoLink; link = reached_[link].from) {
    const Reached& step = reached_[link];
    takes[step.tree].push_back(link);
    gives[step.tree].push_back(step.from);
  }
  for (std::size_t number = 0; number < trees_.size(); ++number) {
    if (takes[number].empty()) continue;
    std::vector<std::uint32_t> links = takes[number];
    for (std::uint32_t link = 0; link < load_.size(); ++link)
      if (trees_[number].has[link] &&
          std::find(gives[number].begin(), gives[number].end(), link) == gives[number].end())
        links.push_back(link);
    set_links(trees_[number], links);
  }
}

bool TreePacker::relieve_all() {
  for (std::uint32_t link = 0; link < load_.size(); ++link)
    while (load_[link] > per_link_)
      if (!relieve(link)) return false;
  return true;
}

/// Each tree joins every part of what is left without the links that were reached, so that it has parts less
/// one of these.
PartitionBound TreePacker::bound_of_reached() const {
  PartitionBound bound;
  std::vector<bool> seen(graph_.ranks, false);
  std::uint64_t parts = 0;
  for (std::uint32_t start = 0; start < graph_.ranks; ++start) {
    if (seen[start]) continue;
    ++parts;
    seen[start] = true;
    std::vector<std::uint32_t> stack = {start};
    while (!stack.empty()) {
      const std::uint32_t rank = stack.back();
      stack.pop_back();
      for (const End& end : ends_[rank])
        if (!reached_[end.link].is && !seen[end.rank]) {
          seen[end.rank] = true;
          stack.push_back(end.rank);
        }
    }
  }
  for (const Reached& each : reached_) bound.links += each.is ? 1 : 0;
  bound.parts_less_one = parts - 1;
  return bound;
}

TreePacking TreePacker::pack(std::uint32_t trees_per_link) {
  per_link_ = trees_per_link;
  trees_.clear();
  std::fill(load_.begin(), load_.end(), 0U);
  const std::uint64_t most = bound_.trees(per_link_);
  for (std::uint32_t number = 0; number < most; ++number) {
    trees_.push_back(grown(central_[number % central_.size()], number));
    for (std::uint32_t link = 0; link < load_.size(); ++link)
      if (trees_.back().has[link]) ++load_[link];
  }
  while (!relieve_all()) {
    tighten(bound_of_reached());
    while (trees_.size() > bound_.trees(per_link_)) drop_tree();
  }
  TreePacking packing;
  packing.trees_per_link = per_link_;
  for (const Spanning& tree : trees_) packing.trees.push_back(rooted_at_centre(tree));
  return packing;
}

/// The rank in the middle of the longest way; leaves go first until one or two are left.
Tree TreePacker::rooted_at_centre(const Spanning& tree) const {
  std::vector<std::vector<std::uint32_t>> neighbours(graph_.ranks);
  for (std::uint32_t rank = 0; rank < graph_.ranks; ++rank)
    if (tree.link[rank] != kNoLink) {
      neighbours[rank].push_back(tree.parent[rank]);
      neighbours[tree.parent[rank]].push_back(rank);
    }
  std::vector<std::size_t> degree;
  std::vector<std::uint32_t> queue;
  for (std::uint32_t rank = 0; rank < graph_.ranks; ++rank) {
    degree.push_back(neighbours[rank].size());
    if (degree.back() <= 1) queue.push_back(rank);
  }
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const std::uint32_t neighbour : neighbours[queue[next]])
      if (--degree[neighbour] == 1) queue.push_back(neighbour);
  const std::uint32_t root = queue.back();
  std::vector<std::uint32_t> parent(graph_.ranks), stack = {root};
  parent[root] = root;
  while (!stack.empty()) {
    const std::uint32_t rank = stack.back();
    stack.pop_back();
    for (const std::uint32_t neighbour : neighbours[rank])
      if (neighbour != parent[rank]) {
        parent[neighbour] = rank;
        stack.push_back(neighbour);
      }
  }
  return Tree(std::move(parent));
}

}  // namespace wafertlm
