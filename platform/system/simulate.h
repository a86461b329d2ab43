// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "platform/system/machine.h"

namespace wafertlm {

/// Called now and then during a run, with the simulated time.
using ProgressReport = std::function<void(TimePs)>;

/// Elaborates, calls `start` at time 0 and runs until nothing happens any more or the platform's watchdog
/// time is over; then the wafer must be at rest and `done` true.
/// @throws std::runtime_error that names what every stuck NPU is waiting for.
void simulate(Machine& machine, const std::function<void()>& start, const std::function<bool()>& done,
              const ProgressReport& progress = {},
              const std::function<std::vector<std::string>()>& waiting = {});

}  // namespace wafertlm
