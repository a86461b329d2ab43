// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "models/mesh/io_port.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/link/switch_core.h"
#include "tlm/units.h"

namespace wafertlm {

struct MeshParams {
  std::uint32_t width = 0, height = 0;
  std::uint64_t link_bytes_per_s = 0;
  TimePs link_latency_ps = 0;
  TimePs router_pipeline_ps = 0;
  TimePs credit_delay_ps = 0;
  std::uint64_t injection_bytes_per_s = 0, ejection_bytes_per_s = 0;
  TimePs injection_latency_ps = 0, ejection_latency_ps = 0;
  WireFormat format;
  InputQueue input_queue = InputQueue::per_output;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
  /// Links whose traffic an injection and an ejection port can carry at the same time; buffers `auto` have
  /// room for their packets.
  std::uint32_t injection_streams = 1, ejection_streams = 1;
  std::vector<std::pair<NpuId, NpuId>> failed_links;  ///< neighbours; both directions
  std::vector<NpuId> failed_routers;
  std::vector<IoPort> io;  ///< controller k is the endpoint width × height + k
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;
};

}  // namespace wafertlm
