// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/simulate.h"

#include <algorithm>
#include <stdexcept>

#include "models/endpoint/fault.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

/// Simulated time between two looks at the progress.
constexpr TimePs kSlicePs = 10'000'000;
constexpr std::size_t kMaxLines = 20;

[[noreturn]] void report_stuck(const std::string& why, std::vector<std::string> lines) {
  // Who is named with what is missing is not named again.
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines.erase(std::remove_if(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end(),
                               [&](const std::string& line) { return lines[i].rfind(line, 0) == 0; }),
                lines.end());
  std::string text = why;
  const std::size_t shown = std::min(lines.size(), kMaxLines);
  for (std::size_t i = 0; i < shown; ++i) text += "\n  " + lines[i];
  if (shown < lines.size()) text += "\n  … and " + std::to_string(lines.size() - shown) + " more";
  throw std::runtime_error(text);
}

/// As Scheduler::run(), with a way on after an internal error.
void run_slice(Machine& machine, TimePs slice_ps) {
  try {
    machine.wafer().scheduler.run(slice_ps, sc_core::SC_EXIT_ON_STARVATION);
  } catch (const std::invalid_argument&) {
    throw;
  } catch (const std::logic_error& error) {
    std::string text = std::string("internal error: ") + error.what();
    if (machine.not_accelerated().empty())
      text +=
          "\nWith `--set run.acceleration=off` every packet is simulated: slower, and right if what fails is "
          "the acceleration.";
    throw std::logic_error(text);
  }
}

void run_until_idle(Machine& machine, TimePs watchdog_ps, const ProgressReport& progress) {
  while (sc_core::sc_pending_activity() && kernel_now_ps() < watchdog_ps) {
    // Up to and over the next event: the kernel warns when it finds nothing to do.
    const TimePs next = sc_core::sc_time_to_pending_activity().value();
    const TimePs slice = std::min(std::max(kSlicePs, next + 1), watchdog_ps - kernel_now_ps());
    if (next >= slice) break;
    run_slice(machine, slice);
    if (progress) progress(kernel_now_ps());
  }
}

}  // namespace

/// The kernel warns of that, but for the first time in a process (SimulationContext).
void elaborate() {
  const sc_core::sc_actions before =
      sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, before);
}

void simulate(Machine& machine, const std::function<void()>& start, const std::function<bool()>& done,
              const ProgressReport& progress, const WaitingReport& waiting) {
  const TimePs watchdog_ps = machine.wafer().spec().run.watchdog_ps;
  elaborate();
  start();
  run_until_idle(machine, watchdog_ps, progress);
  machine.settle();
  run_until_idle(machine, watchdog_ps, progress);  // of what was played packets may still be on their way
  if (!done()) {
    const bool deadlock = !sc_core::sc_pending_activity();
    std::vector<std::string> lines = machine.pending();
    if (waiting) lines = waiting(std::move(lines));
    report_stuck(
        deadlock
            ? "deadlock at " + std::to_string(kernel_now_ps()) + " ps: nothing can happen any more, but"
            : "the watchdog time of " + format_time(watchdog_ps) + " is over (run.watchdog); still waiting:",
        std::move(lines));
  }
  if (machine.fault() && !machine.fault()->hit()) throw std::runtime_error(machine.fault()->report());
  machine.require_rest();
}

}  // namespace wafertlm
