// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A clock of any frequency in whole picoseconds: edge k is at k / frequency, rounded up, so that the edges
/// do not drift.
struct RtlClock {
  std::uint64_t hz = 1'000'000'000;

  TimePs edge_ps(std::uint64_t edge) const {
    return static_cast<TimePs>((Uint128{edge} * kPsPerSecond + hz - 1) / hz);
  }
  /// The first edge at `time` or later.
  std::uint64_t edge_from(TimePs time) const {
    auto edge = static_cast<std::uint64_t>(Uint128{time} * hz / kPsPerSecond);
    while (edge_ps(edge) < time) ++edge;
    return edge;
  }
  /// A cycle, rounded up.
  TimePs period_ps() const { return edge_ps(1); }
};

}  // namespace wafertlm
