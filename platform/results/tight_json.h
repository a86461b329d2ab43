// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>

#include "workloads/collectives/bounds/tight_bound.h"

namespace wafertlm {

/// A certificate: kind; parts, relays, links by name; lengths of links; what they carry and what must cross
/// them; the rate of a vector of so many bytes, and the time.
nlohmann::ordered_json tight_json(const bounds::TightBound& tight, std::uint64_t bytes);

}  // namespace wafertlm
