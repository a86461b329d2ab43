// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/time_account.h"

#include <algorithm>

namespace wafertlm {
namespace {

constexpr std::uint8_t kIdle = TimeCategories::kIdle, kBubble = TimeCategories::kBubble;

bool is_message(Task::Kind kind) { return kind == Task::Kind::send || kind == Task::Kind::receive; }

}  // namespace

std::uint8_t TimeCategories::of(const Task& task) {
  switch (task.kind) {
    case Task::Kind::compute:
      return kCompute;
    case Task::Kind::memory_load:
    case Task::Kind::memory_store:
      return kMemory;
    case Task::Kind::collective:
    case Task::Kind::send:
    case Task::Kind::receive: {
      const auto found = std::find(names_.begin() + kCpu + 1, names_.end(), task.traffic_class);
      const auto index = static_cast<std::uint8_t>(found - names_.begin());
      if (found == names_.end()) names_.push_back(task.traffic_class);
      return index;
    }
    case Task::Kind::cpu:
      return kCpu;
    case Task::Kind::none:
      break;
  }
  return kIdle;
}

void TimeAccount::computed(TimePs start_ps, TimePs end_ps, const CauseRef& cause) {
  start_ps = std::max(start_ps, covered_ps_);
  if (end_ps <= start_ps) return;
  fill(start_ps, cause.index());
  segments_({start_ps, end_ps, TimeCategories::kCompute});
  covered_ps_ = end_ps;
}

void TimeAccount::finish(TimePs end_ps, const CauseRef& last, bool has_messages) {
  if (last) fill(std::min(end_ps, log_.at(last.index()).end_ps), last.index());
  if (covered_ps_ == end_ps) return;
  segments_({covered_ps_, end_ps, has_messages ? kBubble : kIdle});
  covered_ps_ = end_ps;
}

/// Who covers what is left before `to`.
void TimeAccount::fill(TimePs to, std::uint32_t cause) {
  const TimePs from = covered_ps_;
  covered_ps_ = std::max(covered_ps_, to);
  bool through_message = false;
  while (to > from && cause != CauseRef::kNone) {
    const CauseLog::Run& run = log_.at(cause);
    if (run.end_ps < to) {
      const TimePs end = std::max(run.end_ps, from);
      segments_({end, to, kIdle});
      to = end;
    }
    if (run.start_ps < to) {
      const TimePs start = std::max(run.start_ps, from);
      // The rank's own compute unit is not busy in a gap: this one is another rank's.
      const bool elsewhere = run.category == TimeCategories::kCompute;
      segments_({start, to, !elsewhere ? run.category : through_message ? kBubble : kIdle});
      to = start;
    }
    through_message = through_message || is_message(run.kind);
    cause = log_.cause_of(cause);
  }
  if (to > from) segments_({from, to, kIdle});
}

void IterationAccount::add(std::uint32_t rank, const TimeSegment& segment) {
  auto& iterations = sums_[rank];
  TimePs from = segment.from_ps;
  auto iteration =
      static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), from) - ends_.begin());
  while (from < segment.to_ps) {
    const TimePs to = iteration < ends_.size() ? std::min(ends_[iteration], segment.to_ps) : segment.to_ps;
    if (listed_.has(iteration)) {
      const std::size_t place = listed_.place_of(iteration);
      if (iterations.size() <= place) iterations.resize(place + 1);
      ByCategory& sums = iterations[place];
      if (sums.size() <= segment.category) sums.resize(segment.category + std::size_t{1});
      sums[segment.category] += to - from;
    }
    from = to;
    ++iteration;
  }
}

TimePs IterationAccount::sum(std::uint32_t rank, std::uint32_t iteration, std::uint8_t category) const {
  const std::size_t place = listed_.place_of(iteration);
  if (place >= sums_[rank].size()) return 0;
  const ByCategory& sums = sums_[rank][place];
  return category < sums.size() ? sums[category] : 0;
}

}  // namespace wafertlm
