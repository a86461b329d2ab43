// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/fred/routing/flow.h"

namespace wafertlm {

/// How FRED_m(3) is set for a set of flows: found once by trying all 12³ settings of its three RD-µswitches,
/// so its answer is exact. Not every set of flows has one: {0,2→1, 1→0,2} does not.
class BaseSwitch {
 public:
  /// The inputs that each of the two outputs of the three µswitches takes.
  using Setting = std::array<std::uint32_t, 6>;

  BaseSwitch();
  /// @param wanted input ports (bits) at each output port.
  const std::optional<Setting>& setting(const std::array<std::uint32_t, 3>& wanted) const {
    return settings_[wanted[0] | wanted[1] << 3U | wanted[2] << 6U];
  }

 private:
  std::vector<std::optional<Setting>> settings_;
};

/// The input ports (bits) that each of at most 32 output ports shall carry.
std::vector<std::uint32_t> wanted_inputs(const std::vector<FredFlow>& flows, std::uint32_t ports);

}  // namespace wafertlm
