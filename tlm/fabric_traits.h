// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/fabric/wire_format.h"
#include "tlm/program.h"
#include "tlm/units.h"

namespace wafertlm {

/// A side of a router or of the wafer; row 0 is north.
enum class Side : std::uint8_t { east, west, north, south };
constexpr Side kAllSides[] = {Side::east, Side::west, Side::north, Side::south};

/// Where an I/O controller hangs: the free port of an edge router.
struct IoPort {
  NpuId npu{};
  Side side{};
};

/// What a collective planner needs to know of a wafer mesh, as plain data that the platform fills in. NPU n
/// sits at column n mod width, row n / width; routes are X-Y.
struct FabricTraits {
  std::uint32_t width = 0, height = 0;
  std::uint64_t link_bytes_per_s = 0;
  std::uint64_t injection_bytes_per_s = 0, ejection_bytes_per_s = 0;
  TimePs ends_latency_ps = 0;  ///< injection, the first router's pipeline, ejection
  TimePs hop_latency_ps = 0;   ///< link and the next router's pipeline
  WireFormat format;
  bool in_network = false;           ///< the switches reduce and distribute (Step::Kind::flow_send)
  FlowAdditions flow_additions;      ///< the order in which they add
  TimePs step_cost_ps = 0;           ///< endpoint: before each message is sent
  TimePs receive_cost_ps = 0;        ///< endpoint: after each message has arrived
  std::vector<IoPort> io;            ///< controller k is the endpoint npus() + k
  std::uint64_t io_bytes_per_s = 0;  ///< between a controller and its router, each direction
  TimePs io_latency_ps = 0;          ///< of that link

  NpuId io_controller(std::uint32_t k) const { return static_cast<NpuId>(npus() + k); }
  std::uint32_t npus() const { return width * height; }
  std::uint32_t column(NpuId npu) const { return static_cast<std::uint32_t>(npu) % width; }
  std::uint32_t row(NpuId npu) const { return static_cast<std::uint32_t>(npu) / width; }
  std::uint32_t hops(NpuId from, NpuId to) const;
  /// Links to neighbours.
  std::uint32_t degree(NpuId npu) const;
  /// What a message takes beyond its bytes: the head over the idle route, and the costs at its ends.
  TimePs latency_ps(NpuId from, NpuId to) const {
    return step_cost_ps + ends_latency_ps + hops(from, to) * hop_latency_ps + receive_cost_ps;
  }
  /// What one message can reach: the slowest of injection, links on the way, ejection.
  std::uint64_t path_bytes_per_s(NpuId from, NpuId to) const;
  /// What an NPU can send, and receive, at most: its own port or all its links.
  std::uint64_t npu_bytes_per_s(NpuId npu) const;
};

}  // namespace wafertlm
