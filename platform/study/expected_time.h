// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/config/study_spec.h"
#include "platform/study/grid.h"

namespace wafertlm {

/// Seconds of the host that the cells will take, by cell, roughly: to run the longest first and to say how
/// long it takes. Estimated (run/host_estimate.h) for the first cell and those that differ from it in one
/// axis; the effects of axes are multiplied, and of long axes a sample is looked at. All 1 for commands
/// other than `run`.
/// @param at_a_time processes that estimate
std::vector<double> expected_seconds(const config::StudySpec& study, const std::vector<Cell>& cells,
                                     unsigned at_a_time);

}  // namespace wafertlm
