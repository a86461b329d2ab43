// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Who hangs where in a tree of switches: NPU n on L1 switch n / npus_per_l1, L1 switch a on L2 switch
/// a / (l1_switches / l2_switches), and with more than one L2 switch an L3 switch above them. Controller k is
/// the endpoint npus() + k on the L1 switch io[k].
struct FredGeometry {
  std::uint32_t l1_switches = 0, npus_per_l1 = 0;
  std::uint32_t l2_switches = 1;  ///< divides l1_switches
  std::vector<std::uint32_t> io;

  std::uint32_t npus() const { return l1_switches * npus_per_l1; }
  std::uint32_t endpoints() const { return npus() + static_cast<std::uint32_t>(io.size()); }
  std::uint32_t levels() const { return l2_switches > 1 ? 3 : 2; }
  std::uint32_t l1_per_l2() const { return l1_switches / l2_switches; }
  std::uint32_t l1_of(NpuId endpoint) const {
    const auto n = static_cast<std::uint32_t>(endpoint);
    return n < npus() ? n / npus_per_l1 : io[n - npus()];
  }
  std::uint32_t l2_of(std::uint32_t l1) const { return l1 / l1_per_l2(); }
  /// The level of the switch at which the route between two endpoints turns.
  std::uint32_t turn_level(NpuId from, NpuId to) const;
  /// Most controllers on one L1 switch.
  std::uint32_t most_io() const;

  /// @throws std::invalid_argument: no switch or NPU, L1 switches that do not divide among the L2 switches, a
  /// controller on a switch that does not exist.
  void check() const;
};

/// `controllers` on `l1_switches` as evenly as possible, the first ones have one more: 18 on 5 are 4, 4, 4,
/// 3, 3. In the order of the switches.
std::vector<std::uint32_t> spread_io(std::uint32_t controllers, std::uint32_t l1_switches);

}  // namespace wafertlm
