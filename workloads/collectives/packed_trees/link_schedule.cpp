// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/link_schedule.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace wafertlm {
namespace {

/// The slots of a period that links have left, by directed link.
class FreeSlots {
 public:
  FreeSlots(const TreePacking& packing) : period_(packing.trees_per_link) {
    for (const Tree& tree : packing.trees)
      for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
        if (!tree.is_root(rank)) {
          number_.emplace(std::pair{rank, tree.parent(rank)}, number_.size());
          number_.emplace(std::pair{tree.parent(rank), rank}, number_.size());
        }
    taken_.assign(number_.size() * period_, false);
  }
  /// The first one from `ready` on.
  std::uint32_t take(std::uint32_t from, std::uint32_t to, std::uint32_t ready) {
    const std::size_t first = number_.at({from, to}) * period_;
    while (taken_[first + ready % period_]) ++ready;
    taken_[first + ready % period_] = true;
    return ready;
  }

 private:
  std::uint32_t period_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> number_;
  std::vector<bool> taken_;
};

/// Levels below each rank.
std::vector<std::uint32_t> heights_of(const Tree& tree) {
  std::vector<std::uint32_t> heights(tree.ranks(), 0);
  for (auto rank = tree.preorder().rbegin(); rank != tree.preorder().rend(); ++rank)
    heights[tree.parent(*rank)] =
        std::max(heights[tree.parent(*rank)], tree.is_root(*rank) ? 0 : heights[*rank] + 1);
  return heights;
}

}  // namespace

/// Crossings in the order in which they may begin; of several first the one with the longest way to go.
LinkSchedule::LinkSchedule(const TreePacking& packing, std::uint32_t lag, bool up, bool down)
    : period_(packing.trees_per_link),
      ranks_(packing.trees.front().ranks()),
      up_(packing.trees.size() * ranks_),
      down_(packing.trees.size() * ranks_) {
  struct Crossing {
    std::uint32_t ready, levels_left;
    std::uint32_t tree, rank;  // and its parent
    bool down;

    bool operator<(const Crossing& other) const {  // the first one is on top
      return std::make_tuple(ready, ~levels_left, tree, rank, down) >
             std::make_tuple(other.ready, ~other.levels_left, other.tree, other.rank, other.down);
    }
  };
  FreeSlots free(packing);
  std::priority_queue<Crossing> open;
  std::vector<std::vector<std::uint32_t>> heights;
  std::vector<std::uint32_t> waits_for(up_.size()), ready(up_.size(), 0);  // children; when all have come
  for (const Tree& tree : packing.trees) heights.push_back(heights_of(tree));
  const auto go_down = [&](std::uint32_t number, std::uint32_t rank, std::uint32_t at) {
    if (!down) return;
    for (const std::uint32_t child : packing.trees[number].children(rank))
      open.push({at, heights[number][child], number, child, true});
  };
  const auto go_up = [&](std::uint32_t number, std::uint32_t rank, std::uint32_t at) {
    const Tree& tree = packing.trees[number];
    if (tree.is_root(rank)) return go_down(number, rank, at);
    open.push({at, tree.depth(rank) + (down ? heights[number][tree.root()] : 0), number, rank, false});
  };
  for (std::uint32_t number = 0; number < packing.trees.size(); ++number) {
    const Tree& tree = packing.trees[number];
    if (!up) go_down(number, tree.root(), 0);
    for (std::uint32_t rank = 0; up && rank < ranks_; ++rank) {
      waits_for[number * ranks_ + rank] = static_cast<std::uint32_t>(tree.children(rank).size());
      if (tree.children(rank).empty()) go_up(number, rank, 0);
    }
  }
  while (!open.empty()) {
    const Crossing next = open.top();
    open.pop();
    const Tree& tree = packing.trees[next.tree];
    const std::uint32_t parent = tree.parent(next.rank);
    const std::uint32_t slot =
        next.down ? free.take(parent, next.rank, next.ready) : free.take(next.rank, parent, next.ready);
    end_ = std::max(end_, slot + 1);
    (next.down ? down_ : up_)[next.tree * ranks_ + next.rank] = slot;
    if (next.down) {
      go_down(next.tree, next.rank, slot + lag);
      continue;
    }
    const std::size_t at = std::size_t{next.tree} * ranks_ + parent;
    ready[at] = std::max(ready[at], slot + lag);
    if (--waits_for[at] == 0) go_up(next.tree, parent, ready[at]);
  }
}

}  // namespace wafertlm
