// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "tlm/kernel/units.h"
#include "workloads/sequencer/task.h"

namespace wafertlm {

struct CollectiveRecord;

/// Is told what happens in a run as it happens: reports and timelines are made of it. Without an observer a
/// run pays a branch per event; with one its results are the same.
///
/// The contract:
/// - Calls come in the order of simulated time, from within the simulation. An observer looks and takes
/// notes:
///   it must not call the run, the machine or the kernel. What it throws ends the run.
/// - References are good for the time of the call.
/// - Every node has one operation_started and, later or at the same time, one operation_ended
///   in each iteration, unless the run fails. METADATA nodes, collectives of one rank, and loads and stores
///   of no bytes have neither.
/// - A rank's time_spent stretches are not empty, do not overlap, and in a run that succeeds cover all from 0
/// to
///   its end. They come late: a gap is known when the operation behind it ends.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// A rank hands a task to its NPU (compute, CPU, communication, memory): it may still wait there.
  virtual void operation_started(std::uint32_t /*rank*/, const Task&, TimePs /*now*/) {}
  /// It ended, now; `start_ps` is when the NPU began with it, not before operation_started.
  virtual void operation_ended(std::uint32_t /*rank*/, const Task&, TimePs /*start_ps*/, TimePs /*end_ps*/) {}
  /// All ranks have left a collective, the last of them now: after its operation_ended. Collectives that meet
  /// have the same record.
  virtual void collective_ended(const CollectiveRecord&) {}
  /// What a stretch of a rank's time went into ("compute", "idle", "memory" or a traffic class); of a gap the
  /// last stretch comes first. It may cross the end of an iteration.
  virtual void time_spent(std::uint32_t /*rank*/, TimePs /*from_ps*/, TimePs /*to_ps*/,
                          const std::string& /*category*/) {}
};

}  // namespace wafertlm
