// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/units.h"

namespace wafertlm {

/// A FRED wafer of two levels, as far as routing needs it. The defaults are a plane of the physical view of
/// FRED-C and D: the L1 switch of four NPUs is five chips, each NPU has a port on each, and packets of a flow
/// are striped over them; a plane is one chip of every L1 and the two L2 chips that they reach. All planes
/// are alike, so a set of flows routes in all of them or in none.
///
/// Ports of an L1 switch: its NPUs, its uplinks, its I/O controllers. Uplink u leads to L2 switch
/// u / uplinks_per_l2(); ports of an L2 switch: uplinks_per_l2() of L1 switch 0, then of 1, …
struct FredWaferShape {
  std::uint32_t l1_switches = 5, npus_per_l1 = 4;
  std::vector<std::uint32_t> io_per_l1 = {4, 4, 4, 3, 3};  ///< empty: none
  std::uint32_t uplinks = 4;                               ///< of an L1 switch, to all L2 switches together
  std::uint32_t l2_switches = 2;                           ///< that share the uplinks
  std::uint32_t planes = 5;

  /// One L1 switch for four NPUs and one L2 switch; the fat uplink carries as many flows at a time as it has
  /// NPU bandwidths.
  static FredWaferShape logical() { return {5, 4, {4, 4, 4, 3, 3}, 4, 1, 1}; }

  std::uint32_t npus() const { return l1_switches * npus_per_l1; }
  std::uint32_t uplinks_per_l2() const { return uplinks / l2_switches; }
  /// NPU n is port n mod npus_per_l1 of L1 switch n / npus_per_l1.
  std::uint32_t l1_of(NpuId npu) const { return static_cast<std::uint32_t>(npu) / npus_per_l1; }
  std::uint32_t l1_port_of(NpuId npu) const { return static_cast<std::uint32_t>(npu) % npus_per_l1; }
  std::uint32_t uplink_port(std::uint32_t uplink) const { return npus_per_l1 + uplink; }
  std::uint32_t l1_ports(std::uint32_t l1) const {
    return npus_per_l1 + uplinks + (io_per_l1.empty() ? 0 : io_per_l1[l1]);
  }
  std::uint32_t l2_ports() const { return l1_switches * uplinks_per_l2(); }

  /// @throws std::invalid_argument that says which number does not fit.
  void check() const;
};

}  // namespace wafertlm
