// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/time_account.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::string category_of(const Task& task) {
  switch (task.kind) {
    case Task::Kind::compute:
      return "compute";
    case Task::Kind::collective:
    case Task::Kind::send:
    case Task::Kind::receive:
      return task.traffic_class;
    case Task::Kind::memory_load:
    case Task::Kind::memory_store:
      return "memory";
    case Task::Kind::cpu:
    case Task::Kind::none:
      break;
  }
  return "idle";
}

/// Appends, back to front, who covers [from, to) before `run`.
void walk_back(const SequencerEngine& rank, std::uint32_t run, TimePs from, TimePs to,
               std::vector<TimeSegment>& backwards) {
  while (to > from && run != TaskRun::kNone) {
    const TaskRun& cause = rank.runs()[run];
    if (cause.end_ps < to) {
      const TimePs end = std::max(cause.end_ps, from);
      backwards.push_back({end, to, "idle"});
      to = end;
    }
    if (cause.start_ps < to) {
      const TimePs start = std::max(cause.start_ps, from);
      backwards.push_back({start, to, category_of(rank.tasks()[cause.task])});
      to = start;
    }
    run = cause.waited_for;
  }
  if (to > from) backwards.push_back({from, to, "idle"});
}

}  // namespace

std::vector<TimeSegment> account_time(const SequencerEngine& rank, TimePs end_ps) {
  std::vector<std::uint32_t> computes;
  std::uint32_t last = TaskRun::kNone;
  for (std::uint32_t run = 0; run < rank.runs().size(); ++run) {
    const TaskRun& entry = rank.runs()[run];
    if (rank.tasks()[entry.task].kind == Task::Kind::compute && entry.end_ps > entry.start_ps)
      computes.push_back(run);
    if (last == TaskRun::kNone || entry.end_ps > rank.runs()[last].end_ps ||
        (entry.end_ps == rank.runs()[last].end_ps &&
         rank.tasks()[entry.task].id < rank.tasks()[rank.runs()[last].task].id))
      last = run;
  }
  std::sort(computes.begin(), computes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.runs()[a].start_ps < rank.runs()[b].start_ps;
  });

  std::vector<TimeSegment> segments;
  TimePs covered = 0;
  const auto fill_gap = [&](TimePs to, std::uint32_t cause) {
    std::vector<TimeSegment> backwards;
    walk_back(rank, cause, covered, to, backwards);
    segments.insert(segments.end(), backwards.rbegin(), backwards.rend());
  };
  for (const std::uint32_t run : computes) {
    const TaskRun& entry = rank.runs()[run];
    if (entry.start_ps > covered) fill_gap(entry.start_ps, entry.waited_for);
    segments.push_back({entry.start_ps, entry.end_ps, "compute"});
    covered = entry.end_ps;
  }
  if (end_ps > covered) fill_gap(end_ps, last);
  return segments;
}

std::map<std::string, TimePs> breakdown(const std::vector<TimeSegment>& segments, TimePs from_ps,
                                        TimePs to_ps) {
  std::map<std::string, TimePs> sums;
  for (const TimeSegment& segment : segments) {
    const TimePs from = std::max(segment.from_ps, from_ps), to = std::min(segment.to_ps, to_ps);
    if (from < to) sums[segment.category] += to - from;
  }
  return sums;
}

}  // namespace wafertlm
