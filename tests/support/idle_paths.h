// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm::test {

/// The times that tests/timing/idle_paths.py computes for these cases (JSON, one per entry).
/// @throws std::runtime_error when the script fails or answers something else than a number per case.
std::vector<TimePs> expected_idle_times(const std::vector<std::string>& cases);

}  // namespace wafertlm::test
