// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "platform/commands/optimize/outcome.h"

namespace wafertlm::optimize {

/// Why the best candidate takes another time than LIBRA's model says (Outcome::difference), by runs in
/// folder/cells. @param engine as that of the candidates
void explain_difference(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine,
                        Outcome& outcome);

}  // namespace wafertlm::optimize
