// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm {

/// A stretch of a rank's time and what it went into: "compute", "idle", "memory" or the name of a traffic
/// class.
struct TimeSegment {
  TimePs from_ps, to_ps;
  std::string category;
};

/// Where a rank's time went, from 0 to `end_ps`, without a hole: every picosecond is compute if the compute
/// unit is busy. A gap is charged by walking back from the task that ended it: what it waited for last covers
/// its own time, then what that one waited for, and so on; what nobody covers is idle. CPU time counts as
/// idle of the NPU.
std::vector<TimeSegment> account_time(const SequencerEngine& rank, TimePs end_ps);

/// Picoseconds per category between two times; they sum to to_ps − from_ps.
std::map<std::string, TimePs> breakdown(const std::vector<TimeSegment>& segments, TimePs from_ps,
                                        TimePs to_ps);

}  // namespace wafertlm
