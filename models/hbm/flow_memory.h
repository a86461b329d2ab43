// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/hbm/access_streams.h"
#include "models/hbm/dram/memory_timing.h"
#include "models/hbm/efficiency_grid.h"
#include "models/hbm/hbm_params.h"

namespace wafertlm {

/// Of stacks with the hashed address map.
FlowMemoryParams flow_memory_params(EfficiencyTable table, const DramTiming& timing, std::uint32_t stacks);

/// A memory whose data bus reads and writes share, by bandwidth × efficiency. By Little's law a request that
/// finds `n` requests of B bytes in all outstanding, itself among them, is done after B / (bandwidth ×
/// efficiency(n)). Streams (AccessStreams) and part of writes are those of the requests of late, the
/// alignment is its own.
///
/// Little's law is that of a loop that runs. The first request of a memory at rest pays its latency, and
/// nothing passes the pins before its data: what comes at the same time is later by that.
///
/// A number of stacks that the table does not know lies between its neighbours, at the same depth of each
/// stack.
class FlowMemory final : public MemoryTiming {
 public:
  /// @throws std::invalid_argument for a table with gaps.
  explicit FlowMemory(const FlowMemoryParams& params);

  Id submit(const TimedAccess& access, TimePs now) override;
  Answer ask(Id id, TimePs) override { return {true, ends_[id]}; }
  TimePs wait_for(Id id) override { return ends_[id]; }
  void end(Id id) override { free_.push_back(id); }

  std::uint64_t bytes_per_s() const { return stacks_ * stack_bytes_per_s_; }
  /// Of all stacks' pins; interpolated.
  double efficiency(const RequestPattern& of) const;
  /// Time in which nothing was outstanding, before the last end.
  TimePs idle_ps() const { return idle_ps_; }
  TimePs last_end_ps() const { return last_end_ps_; }

 private:
  struct Underway {
    TimePs end;
    std::uint64_t bytes;
    bool operator>(const Underway& other) const { return end > other.end; }
  };
  double time_per_byte(RequestPattern of, double random_part) const;
  double on_the_busiest_channel(double bytes) const;

  const std::uint32_t stacks_;
  const std::uint64_t stack_bytes_per_s_, access_bytes_;
  const double piece_bytes_, channels_;
  std::vector<EfficiencyGrid> grids_;  // one, or the neighbours

  std::vector<TimePs> ends_;
  std::vector<Id> free_;
  std::priority_queue<Underway, std::vector<Underway>, std::greater<>> underway_;
  std::uint64_t underway_bytes_ = 0;
  double moved_ps_ = 0;              // all that came in may have passed the pins by then
  std::uint64_t recent_writes_ = 0;  // a bit for each of the last requests
  std::uint32_t recent_ = 0;
  AccessStreams streams_[2];  // of reads and of writes
  TimePs idle_ps_ = 0, last_end_ps_ = 0;
};

}  // namespace wafertlm
