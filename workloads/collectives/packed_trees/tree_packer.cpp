// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/tree_packer.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <tuple>

#include "tlm/kernel/units.h"

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

UndirectedRanks::UndirectedRanks(const RankGraph& graph) : ranks(graph.ranks) {
  std::uint64_t divisor = 0;
  for (const RankGraph::Link& link : graph.links) {
    if (link.from > link.to) continue;
    const std::size_t back = graph.number(link.to, link.from);
    links.emplace_back(link.from, link.to);
    rates.push_back(std::min(link.bytes_per_s, graph.links[back].bytes_per_s));
    divisor = std::gcd(divisor, rates.back());
  }
  for (std::uint64_t& rate : rates) rate /= divisor;
}

std::uint64_t UndirectedRanks::fastest() const { return *std::max_element(rates.begin(), rates.end()); }

TreePacker::TreePacker(UndirectedRanks graph)
    : graph_(std::move(graph)), ends_(graph_.ranks), central_(graph_.ranks), load_(graph_.links.size()) {
  for (std::uint32_t link = 0; link < graph_.links.size(); ++link) {
    const auto& [a, b] = graph_.links[link];
    ends_[a].push_back({b, link});
    ends_[b].push_back({a, link});
  }
  partitions_.push_back({std::vector<std::uint32_t>(graph_.links.size()), graph_.ranks - 1});
  std::iota(partitions_.front().links.begin(), partitions_.front().links.end(), 0U);
  for (const auto& ends : ends_) {
    partitions_.push_back({{}, 1});
    for (const End& end : ends) partitions_.back().links.push_back(end.link);
  }

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

TreePacker::~TreePacker() = default;

PartitionBound TreePacker::bound() const {
  PartitionBound least{~std::uint64_t{0}, 1};
  for (const Partition& each : partitions_) {
    std::uint64_t links = 0;
    for (const std::uint32_t link : each.links) links += graph_.rates[link];
    if (Uint128{links} * least.parts_less_one < Uint128{least.links} * each.parts_less_one)
      least = {links, each.parts_less_one};
  }
  const std::uint64_t divisor = std::gcd(least.links, least.parts_less_one);
  return {least.links / divisor, least.parts_less_one / divisor};
}

std::uint64_t TreePacker::most_trees() const {
  std::uint64_t most = ~std::uint64_t{0};
  for (const Partition& each : partitions_) {
    std::uint64_t room = 0;
    for (const std::uint32_t link : each.links) room += most_[link];
    most = std::min(most, room / each.parts_less_one);
  }
  return most;
}

/// Adds Prim's tree with the depth and the load of a link as its length. False: it does not reach all ranks.
bool TreePacker::grow(std::uint32_t root) {
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // length, link, rank behind it
  std::priority_queue<Key, std::vector<Key>, std::greater<>> open;
  std::vector<std::uint32_t> depth(graph_.ranks, kNoLink), links;
  const std::uint64_t room = std::accumulate(most_.begin(), most_.end(), std::uint64_t{0}),
                      loads = trees_.size() * (graph_.ranks - 1);
  const auto reach = [&](std::uint32_t rank, std::uint32_t at) {
    depth[rank] = at;
    for (const End& end : ends_[rank])
      if (depth[end.rank] == kNoLink && most_[end.link] != 0) {
        const std::uint64_t share = loads * most_[end.link] / room;
        const std::uint64_t more = load_[end.link] > share ? load_[end.link] - share : 0;
        open.emplace(at + 1 + more * kLevelsPerLoad, end.link, end.rank);
      }
  };
  reach(root, 0);
  while (links.size() + 1 < graph_.ranks) {
    if (open.empty()) return false;
    const auto [length, link, rank] = open.top();
    open.pop();
    if (depth[rank] != kNoLink) continue;
    links.push_back(link);
    const auto& [a, b] = graph_.links[link];
    reach(rank, depth[a == rank ? b : a] + 1);
  }
  trees_.emplace_back();
  set_links(trees_.back(), links);
  for (const std::uint32_t link : links) ++load_[link];
  return true;
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
  std::vector<std::size_t> unreached;  // links, by rank
  for (const auto& ends : ends_) unreached.push_back(ends.size());
  const auto reach = [&](std::uint32_t link, std::uint32_t from, std::uint32_t tree) {
    reached_[link] = {from, tree, true};
    --unreached[graph_.links[link].first];
    --unreached[graph_.links[link].second];
  };
  reach(overloaded, kNoLink, 0);
  std::deque<std::uint32_t> queue = {overloaded};
  while (!queue.empty()) {
    const std::uint32_t link = queue.front();
    queue.pop_front();
    const auto& [a, b] = graph_.links[link];
    for (std::uint32_t number = 0; number < trees_.size(); ++number) {
      const Spanning& tree = trees_[number];
      if (!tree.has[link]) continue;
      const std::uint32_t top = tree.link[a] == link ? a : b;
      searched_ += tree.size[top];
      for (std::uint32_t at = tree.position[top]; at < tree.position[top] + tree.size[top]; ++at) {
        if (unreached[tree.order[at]] == 0) continue;
        for (const End& end : ends_[tree.order[at]]) {
          if (reached_[end.link].is || tree.is_below(end.rank, top)) continue;
          reach(end.link, link, number);
          if (load_[end.link] < most_[end.link]) {
            exchange(end.link);
            --load_[overloaded];
            ++load_[end.link];
            return true;
          }
          queue.push_back(end.link);
        }
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
    while (load_[link] > most_[link])
      if (!relieve(link)) return false;
  return true;
}

/// Each tree joins every part of what is left without the links that were reached, so that it has parts less
/// one of these.
TreePacker::Partition TreePacker::partition_of_reached() const {
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
  Partition partition{{}, parts - 1};
  for (std::uint32_t link = 0; link < reached_.size(); ++link)
    if (reached_[link].is) partition.links.push_back(link);
  return partition;
}

std::vector<Tree> TreePacker::pack(const std::vector<std::uint32_t>& most_by_link) {
  most_ = most_by_link;
  trees_.clear();
  std::fill(load_.begin(), load_.end(), 0U);
  const std::uint64_t most = most_trees();
  for (std::uint64_t number = 0; number < most; ++number)
    if (!grow(central_[number % central_.size()])) return {};
  while (!relieve_all()) {
    partitions_.push_back(partition_of_reached());
    while (trees_.size() > most_trees()) drop_tree();
  }
  std::vector<Tree> trees;
  for (const Spanning& tree : trees_) trees.push_back(rooted_at_centre(tree));
  return trees;
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
