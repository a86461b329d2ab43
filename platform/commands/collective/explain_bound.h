// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/collective/collective_setup.h"

namespace wafertlm {

/// Lower bounds with their certificates, a row per size, of the first group of the first class: `bound_ps`,
/// and below `tight` the cut or partition: its parts and links by name, what they carry, what must cross
/// them. `tight` is null, and `why` says so, where there is none.
/// Of several groups also what bounds all of them at once: `joint_bound_ps`, and `joint` like `tight`.
/// @throws std::invalid_argument of a stream over the I/O controllers.
nlohmann::ordered_json explained_bounds(const CollectiveSetup& setup, const std::vector<std::uint64_t>& sizes,
                                        const FabricTraits& fabric);
nlohmann::ordered_json explained_bounds_schema();

/// The same in words; of long lists the beginning.
std::string bounds_text(const nlohmann::ordered_json& explained);

}  // namespace wafertlm
