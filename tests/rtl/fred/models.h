// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/rtl/fred/rtl_run.h"

namespace wafertlm::test {

/// Runs FRED_3(5), FRED_3(8) or FRED_3(12), whichever the scenario has ports for.
RtlRun run_rtl(const SwitchScenario& scenario, const RtlRunOptions& options = {});
/// The same with a waveform (VCD) of the pins in a window of cycles, of FRED_3(8).
RtlRun run_rtl_traced(const SwitchScenario& scenario, RtlRunOptions options, const std::string& file,
                      std::uint64_t from_cycle, std::uint64_t to_cycle);

}  // namespace wafertlm::test
