// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/flow_schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace wafertlm {
namespace {

/// Slots of a period, by link; as many as fit, at least what crosses the link.
class PeriodSlots {
 public:
  PeriodSlots(const ExchangePaths& paths, const std::vector<TimePs>& slots)
      : slots_(slots), taken_(slots.size()) {
    for (std::size_t link = 0; link < slots.size(); ++link)
      period_ = std::max(period_, slots[link] * paths.loads[link]);
    for (std::size_t link = 0; link < slots.size(); ++link)
      taken_[link].assign(static_cast<std::size_t>(period_ / slots[link]), false);
  }

  TimePs period() const { return period_; }
  /// The start of the first free one that begins at `ready` or later.
  TimePs take(std::uint32_t link, TimePs ready) {
    std::vector<bool>& taken = taken_[link];
    TimePs begins = ready / period_ * period_;
    auto slot = static_cast<std::size_t>((ready - begins + slots_[link] - 1) / slots_[link]);
    for (;; ++slot) {
      if (slot >= taken.size()) {
        slot = 0;
        begins += period_;
      }
      if (taken[slot]) continue;
      taken[slot] = true;
      return begins + slot * slots_[link];
    }
  }

 private:
  const std::vector<TimePs>& slots_;
  std::vector<std::vector<bool>> taken_;
  TimePs period_ = 1;
};

/// Of the first chunks, in the order in which they may begin; of several first the one with the longest way
/// to go.
std::vector<PlannedSend> crossings_of(const ExchangePaths& paths, PeriodSlots& slots,
                                      const std::vector<TimePs>& hops) {
  struct Ready {
    TimePs ready;
    std::uint32_t hops_left, part, hop;
    bool operator<(const Ready& other) const {  // the first one is on top
      return std::tuple(ready, ~hops_left, part) > std::tuple(other.ready, ~other.hops_left, other.part);
    }
  };
  std::priority_queue<Ready> open;
  const auto left = [&](std::uint32_t part, std::uint32_t hop) {
    return static_cast<std::uint32_t>(paths.paths[part].size()) - hop;
  };
  for (std::uint32_t part = 0; part < paths.paths.size(); ++part)
    if (!paths.paths[part].empty()) open.push({0, left(part, 0), part, 0});
  std::vector<PlannedSend> crossings;
  while (!open.empty()) {
    const Ready next = open.top();
    open.pop();
    const std::uint32_t link = paths.paths[next.part][next.hop];
    const TimePs start = slots.take(link, next.ready);
    crossings.push_back({start, link, next.part});
    if (left(next.part, next.hop) > 1)
      open.push({start + hops[link], left(next.part, next.hop + 1), next.part, next.hop + 1});
  }
  return crossings;
}

}  // namespace

std::vector<PlannedSend> flow_schedule(const ExchangePaths& paths, std::uint32_t chunks,
                                       const LinkTimes& times) {
  PeriodSlots free(paths, times.slots);
  const std::vector<PlannedSend> crossings = crossings_of(paths, free, times.hops);
  std::vector<PlannedSend> sends;
  sends.reserve(crossings.size() * chunks);
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    for (const PlannedSend& first : crossings)
      sends.push_back({first.start + chunk * free.period(), first.link, first.piece * chunks + chunk});
  sort_by_start(sends);
  return sends;
}

}  // namespace wafertlm
