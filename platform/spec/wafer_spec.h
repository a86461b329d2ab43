// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/mesh/io_port.h"
#include "platform/spec/fabric_spec.h"
#include "tlm/kernel/units.h"

namespace wafertlm::config {

enum class IoPlacement : std::uint8_t { none, perimeter, listed, spread };

struct IoControllersSpec {
  IoPlacement placement = IoPlacement::none;
  std::vector<IoPort> list;  ///< if listed; controller k is entry k
  std::uint32_t count = 0;   ///< if spread: over the L1 switches, as evenly as possible

  bool any() const { return placement == IoPlacement::perimeter || !list.empty() || count != 0; }
};

/// I/O controllers on free ports of edge routers, or on L1 switches.
struct IoSpec {
  IoControllersSpec controllers;
  std::uint64_t bandwidth_bytes_per_s = 128'000'000'000;  ///< of one, each direction
  TimePs latency_ps = 0;                                  ///< between controller and router
  std::optional<std::uint64_t> chunk_bytes;               ///< of a stream; nullopt: from its size
};

enum class OuterTopology : std::uint8_t { ring, switched, direct };
/// As files write them.
constexpr const char* kOuterTopologies[] = {"ring", "switch", "direct"};

/// Links between wafers that are RoCE v2.
struct OuterEthernet {
  std::uint32_t mtu_bytes = 4096;  ///< of packets in a frame
  bool vlan = false, ipv6 = false;
  TimePs switch_latency_ps = 0;
};

/// Several wafers, connected from I/O controller k of each to the controllers k of the others.
struct OuterSpec {
  std::uint32_t wafers = 2;
  OuterTopology topology = OuterTopology::ring;
  /// Of a link between controllers, or to a switch; each direction, with Ethernet also its headers.
  std::uint64_t bandwidth_bytes_per_s = 0;
  TimePs latency_ps = 0;  ///< of that link
  std::optional<OuterEthernet> ethernet;
};

struct WaferSpec {
  /// Of a mesh: NPU n sits in column n % width and row n / width. 0: not given.
  std::uint32_t width = 0, height = 0;
  FabricSpec fabric;
  IoSpec io;
  /// NPU n of wafer w is the NPU w · width · height + n.
  std::optional<OuterSpec> outer;

  std::uint32_t npu_count() const;
};

}  // namespace wafertlm::config
