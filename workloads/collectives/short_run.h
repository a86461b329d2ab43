// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

/// Every link, and on fabrics whose NPUs have one port every port, carries the messages of one pair of NPUs
/// only, one after the other, no port is slower than what it carries at once, and all pairs are equally far
/// and fast: nothing meets, so closed forms hold.
bool meets_nothing(const CollectiveProgram& program, const FabricTraits& fabric);

/// Time of a request whose algorithm and chunks are set, alone on the idle fabric: simulated as it is, if it
/// is short; else with fewer bytes, twice: what is beyond the closed form there, on a line through both, is
/// added to the closed form. None: nothing to simulate with, or the closed form is the best there is: nothing
/// meets, a schedule that nothing holds up and that is too long to simulate as it is, or
/// is_too_long_to_predict.
std::optional<TimePs> short_run_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// The same for the last candidates of a search: up to 30 times as much is simulated. Where that is too long,
/// too, predicted_ps.
TimePs simulated_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// More than kMaxShortRunSteps steps or too many packets also with few bytes: where messages meet, nothing
/// says what that costs.
bool is_too_long_to_predict(const CollectiveRequest& request, const FabricTraits& fabric);

constexpr std::uint64_t kMaxShortRunSteps = 200'000;

}  // namespace wafertlm
