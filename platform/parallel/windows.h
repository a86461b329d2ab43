// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/parallel/transport.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

class Machine;
class PartRun;

/// What the windows of a process came to.
struct WindowCounts {
  std::uint64_t windows = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t work_ns = 0;      ///< processor time in windows, of this process
  std::uint64_t critical_ns = 0;  ///< of each window the most that a process took
};

/// Simulates the part of this process together with those of the others, conservatively, window by window
/// (YAWNS: Nicol, 1993): all agree on the time of the next event anywhere, run up to that time plus
/// `lookahead_ps`, within which nothing reaches another process, and exchange what has crossed. What is on
/// its way is an event, so that agreement and exchange are one. The same calls by all processes.
class Windows {
 public:
  Windows(Transport& transport, Machine& machine, PartRun& part, TimePs lookahead_ps);

  /// Called between two windows with the time that all have reached; what it throws, this process throws.
  using Progress = std::function<void(TimePs)>;
  /// Until nothing happens any more, or the watchdog time is over. A failure here is kept and ends all.
  void run(TimePs watchdog_ps, const Progress& progress);

  const WindowCounts& counts() const { return counts_; }
  /// What failed in this process; empty: nothing.
  const std::string& failure() const { return failure_; }

 private:
  struct Bounds {
    TimePs next_ps, next_active_ps, done_ps;
    bool has_failed, all_at_barrier;
  };
  Bounds exchange();
  Transport::Minima own_bounds();
  TimePs next_ps() const;
  void work(const std::function<void()>& part);

  Transport& transport_;
  Machine& machine_;
  PartRun& part_;
  const TimePs lookahead_ps_;
  WindowCounts counts_;
  std::uint64_t last_work_ns_ = 0;
  std::string failure_;
};

}  // namespace wafertlm
