// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/commands/study/sweep/sweep_plan.h"

namespace wafertlm {

/// Seconds until every cell has ended, if as many run at a time as do now. Expected times are scaled by what
/// those that ended have really taken, what the running ones have had is taken off, and the longest that is
/// left is not divided.
/// @param at_a_time while none runs  @param expects the cells' `expected_s` are seconds; else only relative
/// to each other, and until one has ended nothing is known: nullopt
std::optional<double> seconds_left(const std::vector<PlannedCell>& cells,
                                   const std::vector<Attempt>& attempts, const CellFiles::Ended& ended,
                                   double now_unix_s, unsigned at_a_time, bool expects);

/// ", about 12 s left"; of nothing: empty.
std::string in_words(const std::optional<double>& seconds_left);

}  // namespace wafertlm
