// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "workloads/pytorch/graph_draft.h"

namespace wafertlm::pytorch {
namespace {

/// A thread at work between two long gaps.
struct Period {
  std::uint16_t thread = 0;
  std::uint32_t first = 0, last = 0;  // items
  std::int64_t start_ns = 0, end_ns = 0, idle_since_ns = 0;
};

class ThreadWaits {
 public:
  explicit ThreadWaits(Draft& draft) : draft_(draft) {}

  void add() {
    find_periods();
    std::stable_sort(periods_.begin(), periods_.end(),
                     [](const Period& a, const Period& b) { return a.start_ns < b.start_ns; });
    for (const Period& period : periods_) wake(period);
    // A thread that does nothing else until what it woke is done waits for it.
    std::stable_sort(woken_.begin(), woken_.end(),
                     [](const Woken& a, const Woken& b) { return a.end_ns < b.end_ns; });
    for (const Woken& woken : woken_) join(woken);
  }

 private:
  struct Woken {
    std::uint32_t covering, last;  // the item of the waker as it was cut, the last one of the woken thread
    std::int64_t end_ns;
  };

  Item& item(std::uint32_t index) { return draft_.graph.items[index]; }

  void find_periods() {
    for (std::uint16_t thread = 0; thread < draft_.thread_items.size(); ++thread) {
      std::int64_t idle_since = draft_.graph.start_ns;
      Period period;
      bool open = false;
      for (const std::uint32_t index : draft_.thread_items[thread]) {
        if (!open || item(index).start_ns - idle_since > draft_.options.thread_gap_ns) {
          if (open) periods_.push_back(period);
          period = {thread, index, index, item(index).start_ns, 0, idle_since};
          open = true;
        }
        period.last = index;
        period.end_ns = idle_since = item(index).end_ns;
      }
      if (open) periods_.push_back(period);
    }
  }

  /// The item of a thread that began last before a time; its position.
  std::size_t position_before(std::uint16_t thread, std::int64_t time) {
    const auto& items = draft_.thread_items[thread];
    return static_cast<std::size_t>(
        std::partition_point(items.begin(), items.end(),
                             [&](std::uint32_t index) { return original_start(index) < time; }) -
        items.begin());
  }
  std::int64_t original_start(std::uint32_t index) { return item(index).start_ns; }
  std::int64_t original_end(std::uint32_t index) {
    const auto found = rest_.find(index);
    return item(found == rest_.end() ? index : found->second).end_ns;
  }

  void wake(const Period& period) {
    if (period.start_ns - period.idle_since_ns <= draft_.options.thread_gap_ns) return;
    std::uint32_t covering = Item::kNone, ended = Item::kNone;
    for (std::uint16_t thread = 0; thread < draft_.thread_items.size(); ++thread) {
      if (thread == period.thread) continue;
      const std::size_t behind = position_before(thread, period.start_ns);
      if (behind == 0) continue;
      const std::uint32_t index = draft_.thread_items[thread][behind - 1];
      if (original_end(index) > period.start_ns) {
        if (covering == Item::kNone || item(index).start_ns > item(covering).start_ns) covering = index;
      } else if (original_end(index) > period.idle_since_ns &&
                 (ended == Item::kNone || original_end(index) > original_end(ended))) {
        ended = index;
      }
    }
    if (covering != Item::kNone)
      wake_from(covering, period);
    else if (ended != Item::kNone)
      draft_.graph.summary.thread_waits += draft_.add_edge(rest_of(ended), period.first) ? 1 : 0;
  }

  std::uint32_t rest_of(std::uint32_t index) const {
    const auto found = rest_.find(index);
    return found == rest_.end() ? index : found->second;
  }

  /// Cuts the item that was under way when the thread went on.
  void wake_from(std::uint32_t covering, const Period& period) {
    const std::uint32_t index = rest_of(covering);
    if (item(index).is_call) {
      if (item(index).before != Item::kNone)
        draft_.graph.summary.thread_waits += draft_.add_edge(item(index).before, period.first) ? 1 : 0;
      return;
    }
    if (period.start_ns > item(index).start_ns) {
      Item rest = item(index);
      rest.start_ns = period.start_ns;
      rest.before = index;
      item(index).end_ns = period.start_ns;
      const std::uint32_t number = draft_.add(rest);
      rest_[covering] = number;
      // What followed the item follows its rest.
      const std::size_t next = position_of(covering) + 1;
      const auto& items = draft_.thread_items[rest.unit - std::size_t{1}];
      if (next < items.size()) item(items[next]).before = number;
    }
    draft_.graph.summary.thread_waits += draft_.add_edge(index, period.first) ? 1 : 0;
    woken_.push_back({covering, period.last, period.end_ns});
  }
  std::size_t position_of(std::uint32_t index) {
    const auto& items = draft_.thread_items[item(index).unit - std::size_t{1}];
    // Items of a thread were added in order; those of no length share their start.
    return static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), index) - items.begin());
  }

  void join(const Woken& woken) {
    const std::uint32_t rest = rest_of(woken.covering);
    Item& waiting = item(rest);
    // What is left of the wait must be something, so that it comes before what follows it.
    if (waiting.end_ns <= woken.end_ns || waiting.start_ns > woken.end_ns) return;
    waiting.start_ns = woken.end_ns;
    draft_.graph.summary.thread_waits += draft_.add_edge(rest_of(woken.last), rest) ? 1 : 0;
  }

  Draft& draft_;
  std::vector<Period> periods_;
  std::vector<Woken> woken_;
  std::map<std::uint32_t, std::uint32_t> rest_;  // of an item that was cut: its last part
};

}  // namespace

void add_thread_waits(Draft& draft) { ThreadWaits(draft).add(); }

}  // namespace wafertlm::pytorch
