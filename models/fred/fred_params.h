// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "models/fred/flows/fred_flow_params.h"
#include "models/fred/fred_geometry.h"
#include "models/fred/physical/chip_wiring.h"
#include "models/fred/routing/network.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

struct FredParams {
  FredGeometry geometry;
  std::uint64_t npu_bytes_per_s = 0;        ///< NPU to L1, and back
  std::uint64_t l1_uplink_bytes_per_s = 0;  ///< of an L1 switch to its L2 switch, and back
  std::uint64_t l2_uplink_bytes_per_s = 0;  ///< with three levels
  TimePs link_latency_ps = 0;               ///< of every link but those to I/O controllers
  TimePs stage_latency_ps = 0;              ///< of a µswitch
  TimePs credit_delay_ps = 0;
  WireFormat format;
  InputQueue input_queue = InputQueue::per_output;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;
  std::optional<FredFlowParams> flows;  ///< the switches reduce and distribute
  std::optional<FredChipParams> chips;  ///< the physical view; none: the logical one

  /// @throws std::invalid_argument: a bandwidth that is missing, chips that cannot be wired so.
  void check() const;
  /// Ports of a switch of a level, in units of an NPU's port: a faster uplink counts as several. In the
  /// physical view those of a chip.
  std::uint32_t ports(std::uint32_t level) const;
  TimePs pipeline_ps(std::uint32_t level) const {
    return FredNetwork::stages(ports(level)) * stage_latency_ps;
  }
  std::uint64_t uplink_bytes_per_s(std::uint32_t level) const {
    return level == 1 ? l1_uplink_bytes_per_s : l2_uplink_bytes_per_s;
  }
  /// Streams of an NPU's speed that a link carries side by side: each needs packets of its own in the buffer.
  std::uint64_t streams(std::uint64_t bytes_per_s) const;
  /// Latency of the head from NPU to NPU when the route turns at a switch of this level.
  TimePs head_latency_ps(std::uint32_t turn_level) const;
};

}  // namespace wafertlm
