// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// How a collective library of GPUs moves data: LL sends 8 bytes of flags with 8 of data, LL128 8 with 120,
/// and both need no fence; Simple sends data alone, and waits for it.
enum class GpuProtocol : std::uint8_t { ll, ll128, simple };
constexpr GpuProtocol kGpuProtocols[] = {GpuProtocol::ll, GpuProtocol::ll128, GpuProtocol::simple};
const char* to_string(GpuProtocol protocol);

/// A value for each protocol.
template <typename T>
struct PerProtocol {
  T ll{}, ll128{}, simple{};
  const T& operator[](GpuProtocol protocol) const {
    return protocol == GpuProtocol::ll ? ll : protocol == GpuProtocol::ll128 ? ll128 : simple;
  }
};

/// A value for a group in one server, in two, and in more.
template <typename T>
struct PerServers {
  T one{}, two{}, more{};
  const T& operator[](std::size_t servers) const { return servers <= 1 ? one : servers == 2 ? two : more; }
};

/// In-switch reduction (NVLS) of a library.
struct InSwitchReduction {
  double efficiency = 0;                   ///< of the link's rate that the library counts on
  TimePs base_ps = 0;                      ///< before its first step
  TimePs step_ps = 0;                      ///< of each of its steps: what a flag takes over a link
  TimePs network_ps = 0;                   ///< of a step between servers
  PerServers<std::uint64_t> tree_channel;  ///< a channel between servers at most, to choose by
  std::uint32_t channels = 0;              ///< thread blocks
  std::uint64_t chunk_bytes = 0;           ///< of a channel and head, at most
};

/// What a collective library of GPUs (NCCL and its like) costs and how it cuts a vector; the keys below
/// npu.endpoint.library. Its link is that of a fabric's dimension 0 (within a server), its network the
/// dimension behind. Rates in bytes/s.
struct GpuLibrary {
  std::string name;
  /// Before the first step, beside the endpoint's launch cost (which has the software's part).
  PerProtocol<TimePs> ring_base, tree_base;
  /// Of a step, by the link that it goes over.
  PerProtocol<TimePs> ring_server, tree_server, ring_network, tree_network;
  PerServers<std::uint64_t> ll;  ///< what LL moves at most
  /// Of a channel at most, to choose by.
  PerServers<std::uint64_t> tree_channel, ring_ll128_channel, tree_ll128_channel;
  std::uint32_t channels = 0;  ///< of rings and trees: thread blocks of a GPU, each with a part of the vector
  std::optional<InSwitchReduction> nvls;  ///< none: it does not use it

  bool is_given() const { return channels != 0; }
};

}  // namespace wafertlm
