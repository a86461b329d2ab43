// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/link_schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

/// Ticks of a slot, if links have unequal numbers of slots.
constexpr std::uint32_t kTicksPerSlot = 8;

/// The slots of a period that links have left.
class FreeSlots {
 public:
  explicit FreeSlots(const TreePacking& packing)
      : period_(LinkSchedule::period_of(packing)), slots_(packing.slots) {
    for (const std::uint32_t slots : slots_) {
      first_.push_back(taken_.size());
      taken_.resize(taken_.size() + slots, false);
    }
  }
  /// The tick at which the first one from `ready` on begins.
  std::uint32_t take(std::size_t link, std::uint32_t ready) {
    const std::uint64_t slots = slots_[link];
    std::uint32_t start = ready / period_ * period_;
    std::uint64_t slot = (ready % period_ * slots + period_ - 1) / period_;  // that begins then or later
    for (;; ++slot) {
      if (slot == slots) {
        slot = 0;
        start += period_;
      }
      if (!taken_[first_[link] + slot]) break;
    }
    taken_[first_[link] + slot] = true;
    return start + static_cast<std::uint32_t>((slot * period_ + slots - 1) / slots);
  }
  std::uint32_t slot_ticks(std::size_t link) const { return (period_ + slots_[link] - 1) / slots_[link]; }

 private:
  std::uint32_t period_;
  const std::vector<std::uint32_t>& slots_;
  std::vector<std::size_t> first_;  // by link
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

std::uint32_t LinkSchedule::period_of(const TreePacking& packing) {
  std::uint32_t most = 1, least = ~std::uint32_t{0};
  for (const std::uint32_t slots : packing.slots)
    if (slots != 0) {
      most = std::max(most, slots);
      least = std::min(least, slots);
    }
  return most == least ? most : most * kTicksPerSlot;
}

/// Crossings in the order in which they may begin; of several first the one with the longest way to go.
LinkSchedule::LinkSchedule(const RankGraph& graph, const TreePacking& packing, std::uint32_t lag, bool up,
                           bool down)
    : period_(period_of(packing)),
      ranks_(graph.ranks),
      links_(graph.links),
      up_(up ? packing.trees.size() * ranks_ : 0),
      down_(down ? packing.trees.size() * ranks_ : 0) {
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
    const std::size_t link = next.down ? graph.number(parent, next.rank) : graph.number(next.rank, parent);
    const std::uint32_t start = free.take(link, next.ready), end = start + free.slot_ticks(link);
    end_ = std::max(end_, end);
    (next.down ? down_ : up_)[next.tree * ranks_ + next.rank] = start;
    if (next.down) {
      go_down(next.tree, next.rank, end + lag - 1);
      continue;
    }
    const std::size_t at = std::size_t{next.tree} * ranks_ + parent;
    ready[at] = std::max(ready[at], end + lag - 1);
    if (--waits_for[at] == 0) go_up(next.tree, parent, ready[at]);
  }
  list_crossings(graph, packing, up, down);
}

void LinkSchedule::list_crossings(const RankGraph& graph, const TreePacking& packing, bool up, bool down) {
  struct Named {
    std::uint32_t tick;
    std::uint32_t tree, rank;
    bool down;
  };
  per_link_.assign(graph.links.size(), 0);
  std::vector<Named> named;
  for (std::uint32_t number = 0; number < packing.trees.size(); ++number)
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (packing.trees[number].is_root(rank)) continue;
      if (up) named.push_back({this->up(number, rank), number, rank, false});
      if (down) named.push_back({this->down(number, rank), number, rank, true});
    }
  std::stable_sort(named.begin(), named.end(),
                   [&](const Named& a, const Named& b) { return a.tick % period_ < b.tick % period_; });
  std::vector<std::uint32_t> place(2 * packing.trees.size() * ranks_);
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
    const auto wait_for = [&](std::uint32_t rank, bool is_down) {
      const std::uint32_t tick = is_down ? this->down(each.tree, rank) : this->up(each.tree, rank);
      waits_.push_back({place[key(each.tree, rank, is_down)], each.tick / period_ - tick / period_});
    };
    if (of_parent) wait_for(parent, true);
    if (!of_parent && up)
      for (const std::uint32_t child : tree.children(each.down ? parent : each.rank)) wait_for(child, false);
    const std::size_t link = each.down ? graph.number(parent, each.rank) : graph.number(each.rank, parent);
    ++per_link_[link];
    crossings_.push_back({each.tick / period_, each.tick % period_, static_cast<std::uint32_t>(link),
                          waits_from, static_cast<std::uint32_t>(waits_.size())});
  }
}

TimePs LinkSchedule::busiest_ps(const ChunkTimes& times) const {
  TimePs most = 0;
  std::vector<TimePs> out(ranks_, 0), in = out;
  for (std::size_t link = 0; link < per_link_.size(); ++link)
    most = std::max({most, per_link_[link] * times.slot_ps[link],
                     out[links_[link].from] += per_link_[link] * times.out_ps[links_[link].from],
                     in[links_[link].to] += per_link_[link] * times.in_ps[links_[link].to]});
  return most;
}

/// Chunk by chunk as long as the first ones and the last ones are on the way at the same time; what is
/// between them adds a period each.
TimePs LinkSchedule::end_ps(std::uint64_t chunks, const ChunkTimes& times) const {
  const std::uint32_t periods = end_ / period_ + 1;
  const auto counted = static_cast<std::uint32_t>(std::min<std::uint64_t>(chunks, 2 * periods + 2));
  // When chunks have come over each crossing: a row for each period that a crossing looks back, or for each
  // chunk, if these are fewer.
  std::uint32_t looks_back = 0;
  for (const Wait& wait : waits_) looks_back = std::max(looks_back, wait.periods);
  const bool by_chunk = counted <= looks_back;
  const std::uint32_t rows = by_chunk ? counted : looks_back + 1;
  std::vector<TimePs> free(per_link_.size(), 0), come(crossings_.size() * rows, 0);
  std::vector<SharedPort> out(ranks_), in(ranks_);
  std::vector<TimePs*> row_of;  // by period or chunk
  for (std::uint32_t at = 0; at < periods + counted; ++at)
    row_of.push_back(come.data() + at % rows * crossings_.size());

  std::vector<std::vector<std::uint32_t>> first(periods);  // crossings, by the period of their first chunk
  for (std::uint32_t number = 0; number < crossings_.size(); ++number)
    first[crossings_[number].first_period].push_back(number);
  std::vector<std::uint32_t> active;  // in this period, in their order
  TimePs last = 0;
  for (std::uint32_t period = 0; period < periods + counted; ++period) {
    const auto is_done = [&](std::uint32_t number) {
      return crossings_[number].first_period + counted == period;
    };
    active.erase(std::remove_if(active.begin(), active.end(), is_done), active.end());
    if (period < periods) {
      const auto middle = active.insert(active.end(), first[period].begin(), first[period].end());
      std::inplace_merge(active.begin(), middle, active.end());
    }
    for (const std::uint32_t number : active) {
      const Crossing& each = crossings_[number];
      const std::uint32_t row = by_chunk ? period - each.first_period : period;
      TimePs start = free[each.link];
      for (std::uint32_t wait = each.waits_from; wait < each.waits_to; ++wait)
        start = std::max(start, row_of[by_chunk ? row : row - waits_[wait].periods][waits_[wait].crossing]);
      const RankGraph::Link& link = links_[each.link];
      free[each.link] =
          std::max(out[link.from].carry(start, times.slot_ps[each.link], times.out_ps[link.from]),
                   in[link.to].carry(start, times.slot_ps[each.link], times.in_ps[link.to]));
      row_of[row][number] = free[each.link] + times.latency_ps[each.link];
      last = std::max(last, row_of[row][number]);
    }
  }
  return last + (chunks - counted) * busiest_ps(times);
}

}  // namespace wafertlm
