// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/flows/fred_flow_params.h"
#include "models/fred/geometry/chip_wiring.h"
#include "models/fred/geometry/fred_geometry.h"
#include "models/fred/routing/network.h"
#include "tlm/fabric/fabric_params.h"

namespace wafertlm {

/// What a switch of a FRED wafer is: one switch, or the chips that it is made of.
enum class FredView : std::uint8_t { logical, physical };

/// `link_latency_ps` is that of every link but those to I/O controllers.
struct FredParams : FabricParams {
  FredGeometry geometry;
  std::uint64_t npu_bytes_per_s = 3'000'000'000'000;  ///< NPU to L1, and back
  std::uint64_t l1_uplink_bytes_per_s = 0;            ///< of an L1 switch to its L2 switch, and back
  std::uint64_t l2_uplink_bytes_per_s = 0;            ///< with three levels
  TimePs stage_latency_ps = 0;                        ///< of a µswitch
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;
  bool in_network = false;  ///< the switches reduce and distribute
  FredFlowParams flows;     ///< of in_network
  FredView view = FredView::logical;
  FredChipParams chips;  ///< of the physical view

  bool is_physical() const { return view == FredView::physical; }
  /// @throws std::invalid_argument: a bandwidth that is missing, chips that cannot be wired so.
  void check() const;
  /// Sets the numbers of chips and of their ports up from the rates.
  void set_chip_counts();
  /// Ports of a switch of a level, in units of an NPU's port: a faster uplink counts as several. In the
  /// physical view those of a chip.
  std::uint32_t ports(std::uint32_t level) const;
  TimePs pipeline_ps(std::uint32_t level) const {
    return FredNetwork::stages(ports(level)) * stage_latency_ps;
  }
  std::uint64_t uplink_bytes_per_s(std::uint32_t level) const {
    return level == 1 ? l1_uplink_bytes_per_s : l2_uplink_bytes_per_s;
  }
  /// Of a switch's port to an NPU, or of a chip's.
  std::uint64_t port_bytes_per_s() const { return is_physical() ? chips.port_bytes_per_s : npu_bytes_per_s; }
  /// Streams of an NPU's speed that a link carries side by side: each needs packets of its own in the buffer.
  std::uint64_t streams(std::uint64_t bytes_per_s) const;
  /// Latency of the head from NPU to NPU when the route turns at a switch of this level.
  TimePs head_latency_ps(std::uint32_t turn_level) const;
};

}  // namespace wafertlm
