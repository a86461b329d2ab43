// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A side of a router or of the wafer; row 0 is north.
enum class Side : std::uint8_t { east, west, north, south };
constexpr Side kAllSides[] = {Side::east, Side::west, Side::north, Side::south};

/// Where an I/O controller hangs: the free port of an edge router.
struct IoPort {
  NpuId npu{};
  Side side{};
};

}  // namespace wafertlm
