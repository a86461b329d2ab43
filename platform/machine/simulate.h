// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

class Machine;

/// Called now and then during a run, with the simulated time.
using ProgressReport = std::function<void(TimePs)>;

/// What is said of a run that is stuck, in lines; `pending` is what the machine says of itself, and all that
/// is said without such a report.
using WaitingReport = std::function<std::vector<std::string>(std::vector<std::string> pending)>;

/// No time passes.
void elaborate();

/// Elaborates, calls `start` at time 0 and runs until nothing happens any more or the platform's watchdog
/// time is over; then the wafer must be at rest and `done` true.
/// @throws std::runtime_error that names what every stuck NPU is waiting for.
void simulate(Machine& machine, const std::function<void()>& start, const std::function<bool()>& done,
              const ProgressReport& progress = {}, const WaitingReport& waiting = {});

}  // namespace wafertlm
