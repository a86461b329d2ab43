// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "workloads/sequencer/collective_registry.h"
#include "workloads/sequencer/task.h"

namespace wafertlm {

/// Is told what happens in a run as it happens: reports and timelines are made of it. Tasks and records are
/// good for the time of the call. Without an observer a run pays a branch per event.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// A rank hands a task to its NPU (compute, CPU, communication, memory): it may still wait there.
  virtual void operation_started(std::uint32_t /*rank*/, const Task&, TimePs /*now*/) {}
  /// It ended; `start_ps` is when the NPU began with it.
  virtual void operation_ended(std::uint32_t /*rank*/, const Task&, TimePs /*start_ps*/, TimePs /*end_ps*/) {}
  /// All ranks have left a collective.
  virtual void collective_ended(const CollectiveRecord&) {}
  /// What a stretch of a rank's time went into; of a gap the last stretch comes first.
  virtual void time_spent(std::uint32_t /*rank*/, TimePs /*from_ps*/, TimePs /*to_ps*/,
                          const std::string& /*category*/) {}
};

}  // namespace wafertlm
