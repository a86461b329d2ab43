// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "platform/commands/optimize/outcome.h"

namespace wafertlm::optimize {

/// The optimum that an earlier run has left in `folder`, by the names of the variables; others in the middle.
/// @throws std::invalid_argument: there is none, or none of the variables is in it.
Point earlier_optimum(const OptimizeSpec& spec, const std::string& folder);

/// Cheap models first, from `start` if it is given, then simulations; fills `outcome`.
/// @throws std::invalid_argument: no candidate could be simulated.
void find_optimum(const OptimizeSpec& spec, Candidates& candidates, const std::optional<Point>& start,
                  Outcome& outcome);

}  // namespace wafertlm::optimize
