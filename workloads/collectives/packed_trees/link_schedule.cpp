// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/link_schedule.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace wafertlm {
namespace {

/// Numbers the links of trees in each direction.
class LinkNumbers {
 public:
  explicit LinkNumbers(const TreePacking& packing) {
    for (const Tree& tree : packing.trees)
      for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
        if (!tree.is_root(rank)) {
          number_.emplace(std::pair{rank, tree.parent(rank)}, number_.size());
          number_.emplace(std::pair{tree.parent(rank), rank}, number_.size());
        }
  }
  std::size_t count() const { return number_.size(); }
  std::size_t at(std::uint32_t from, std::uint32_t to) const { return number_.at({from, to}); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> number_;
};

/// The slots of a period that links have left, by directed link.
class FreeSlots {
 public:
  explicit FreeSlots(const TreePacking& packing)
      : period_(packing.trees_per_link), links_(packing), taken_(links_.count() * period_, false) {}
  /// The first one from `ready` on.
  std::uint32_t take(std::uint32_t from, std::uint32_t to, std::uint32_t ready) {
    const std::size_t first = links_.at(from, to) * period_;
    while (taken_[first + ready % period_]) ++ready;
    taken_[first + ready % period_] = true;
    return ready;
  }

 private:
  std::uint32_t period_;
  LinkNumbers links_;
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
  struct Ready {
    std::uint32_t ready, levels_left;
    std::uint32_t tree, rank;  // and its parent
    bool down;

    bool operator<(const Ready& other) const {  // the first one is on top
      return std::make_tuple(ready, ~levels_left, tree, rank, down) >
             std::make_tuple(other.ready, ~other.levels_left, other.tree, other.rank, other.down);
    }
  };
  FreeSlots free(packing);
  std::priority_queue<Ready> open;
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
    const Ready next = open.top();
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
  list_crossings(packing, up, down);
}

void LinkSchedule::list_crossings(const TreePacking& packing, bool up, bool down) {
  const LinkNumbers links(packing);
  links_ = static_cast<std::uint32_t>(links.count());
  struct Named {
    std::uint32_t slot;
    std::uint32_t tree, rank;
    bool down;
  };
  std::vector<Named> named;
  for (std::uint32_t number = 0; number < packing.trees.size(); ++number)
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (packing.trees[number].is_root(rank)) continue;
      if (up) named.push_back({this->up(number, rank), number, rank, false});
      if (down) named.push_back({this->down(number, rank), number, rank, true});
    }
  std::stable_sort(named.begin(), named.end(),
                   [&](const Named& a, const Named& b) { return a.slot % period_ < b.slot % period_; });
  std::vector<std::uint32_t> place(2 * up_.size());
  const auto key = [&](std::uint32_t tree, std::uint32_t rank, bool is_down) {
    return 2 * (std::size_t{tree} * ranks_ + rank) + (is_down ? 1 : 0);
  };
  for (std::uint32_t at = 0; at < named.size(); ++at)
    place[key(named[at].tree, named[at].rank, named[at].down)] = at;
  for (const Named& each : named) {
    const Tree& tree = packing.trees[each.tree];
    const std::uint32_t parent = tree.parent(each.rank);
    const auto waits_from = static_cast<std::uint32_t>(waits_.size());
    const bool of_parent = each.down && !tree.is_root(parent);
    if (of_parent) waits_.push_back(place[key(each.tree, parent, true)]);
    if (!of_parent && up)
      for (const std::uint32_t child : tree.children(each.down ? parent : each.rank))
        waits_.push_back(place[key(each.tree, child, false)]);
    crossings_.push_back(
        {each.slot / period_, each.slot % period_,
         static_cast<std::uint32_t>(each.down ? links.at(parent, each.rank) : links.at(each.rank, parent)),
         waits_from, static_cast<std::uint32_t>(waits_.size())});
  }
}

/// Chunk by chunk as long as the first ones and the last ones are on the way at the same time; what is
/// between them adds a period each.
TimePs LinkSchedule::end_ps(std::uint64_t chunks, TimePs slot_ps, TimePs latency_ps) const {
  const std::uint32_t periods = end_ / period_ + 1;
  const auto counted = static_cast<std::uint32_t>(std::min<std::uint64_t>(chunks, 2 * periods + 2));
  std::vector<TimePs> free(links_, 0), ends(crossings_.size() * counted, 0);
  TimePs last = 0;
  for (std::uint32_t period = 0; period < periods + counted; ++period)
    for (std::size_t number = 0; number < crossings_.size(); ++number) {
      const Crossing& each = crossings_[number];
      if (each.first_period > period || period - each.first_period >= counted) continue;
      const std::uint32_t chunk = period - each.first_period;
      TimePs start = free[each.link];
      for (std::uint32_t wait = each.waits_from; wait < each.waits_to; ++wait)
        start = std::max(start, ends[std::size_t{waits_[wait]} * counted + chunk] + latency_ps);
      free[each.link] = ends[number * counted + chunk] = start + slot_ps;
      last = std::max(last, start + slot_ps);
    }
  return last + latency_ps + (chunks - counted) * period_ * slot_ps;
}

}  // namespace wafertlm
