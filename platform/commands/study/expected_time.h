// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/commands/study/grid/grid.h"
#include "platform/spec/study_spec.h"

namespace wafertlm {

/// Seconds of the host that the cells will take, by cell, roughly: to run the longest first and to say how
/// long it takes. Estimated (run/host_estimate.h) for the first cell and those that differ from it in one
/// axis; the effects of axes are multiplied, and of long axes a sample is looked at. Then each cell gets an
/// estimate of its own, the longest first, as long as that takes less than a twentieth of the study. All 1
/// for commands other than `run`. Processes do it, within a second each: what takes longer to plan is long.
/// @param scratch a folder to be made and removed @param at_a_time processes @throws Interrupted
std::vector<double> expected_seconds(const config::StudySpec& study, const std::vector<Cell>& cells,
                                     const std::filesystem::path& scratch, unsigned at_a_time,
                                     std::uint64_t memory_bytes);

/// What such a process does: prints the estimate. @return exit code.
int print_expected_seconds(const std::string& experiment, const std::vector<std::string>& overrides);

}  // namespace wafertlm
