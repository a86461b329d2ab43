// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/ethernet/engine/engine_params.h"
#include "models/ethernet/network/network.h"
#include "models/nic/congestion/tuning.h"
#include "tlm/fabric/fabric_params.h"

namespace wafertlm {

/// Hosts, switches and cables between them, from sizes. An NPU has a host: a NIC with one cable.
struct EthernetShape {
  enum class Topology : std::uint8_t { star, leaf_spine, fat_tree, rails, dragonfly, bigraph, ns3 };
  enum class Ranks : std::uint8_t {
    blocked,  ///< NPU n is host n, switch by switch
    hdrm,     ///< EFLOPS: partners of halving and doubling never share a cable
  };
  Topology topology = Topology::star;
  std::uint32_t npus = 0;                                    ///< star
  std::uint32_t leaves = 0;                                  ///< leaf_spine
  std::uint32_t spines = 0;                                  ///< leaf_spine, rails
  std::uint32_t switch_ports = 0, oversubscription = 1;      ///< fat_tree
  std::uint32_t servers = 0, rails = 0;                      ///< rails
  std::uint32_t groups = 0, routers = 0, global_cables = 0;  ///< dragonfly
  std::uint32_t row = 0;                                     ///< bigraph
  std::uint32_t npus_per_switch = 0;                         ///< leaf_spine, dragonfly, bigraph
  Ranks ranks = Ranks::blocked;                              ///< bigraph
  std::uint64_t bytes_per_s = 50'000'000'000;                ///< of a NIC's cable, each direction
  std::uint64_t switch_bytes_per_s = 0;                      ///< of those between switches; 0: the same
  std::string file;                                          ///< ns3: a topology file (ns3_files.h)
  /// NPUs n · server_npus … of a server are also joined by a switch of their own (NVLink), which their
  /// messages take; 0: no servers. Rate and latency of an NPU's cable to it, each direction; headers of a
  /// packet there, whose payload is that of the fabric's.
  std::uint32_t server_npus = 0;
  std::uint64_t server_bytes_per_s = 450'000'000'000;
  TimePs server_latency_ps = 250'000;
  std::uint32_t server_header_bytes = 256;
  /// Sizes of logical dimensions of the NPUs' numbers, the first fastest, by which collectives may go; empty:
  /// none.
  std::vector<std::uint32_t> dimensions;

  /// Cables are all alike, and so is the network as each NPU sees it.
  bool is_regular() const { return topology != Topology::ns3; }
};

struct EthernetSwitchKeys {
  ethernet::EthernetSwitchParams params;
  int alpha_log2 = -3;
};

struct EthernetNicKeys {
  ethernet::NicParams params;
  std::string congestion_control = "none";  ///< a preset's name (models/nic/congestion)
  nic::Tuning tuning;                       ///< what is not as the preset has it
  std::uint64_t rates_for_bytes_per_s = 0;  ///< the line that its rates are for; 0: any
  std::uint32_t queue_pairs = 1;            ///< over which each message is divided
};

/// The latency is that of every cable; packet_bytes is the MTU.
struct EthernetFabricParams : FabricParams {
  EthernetShape shape;
  EthernetSwitchKeys switches;
  EthernetNicKeys nics;
  std::string ns3_config;  ///< a file (ns3_files.h) that says what switches and NICs have; empty: the keys do
  ethernet::EthernetParams engine;  ///< what it takes from the keys above: ethernet_params()
};

/// NPUs of this shape, whether it can be built or not; 0: its file cannot be read.
std::uint64_t ethernet_hosts(const EthernetShape& shape);

/// A network, and the host of each NPU. Ports are those of the network, then those inside servers.
struct EthernetPlaces {
  ethernet::Network network;
  std::vector<std::uint32_t> host_of;  ///< by NPU
  std::vector<std::uint32_t> npu_of;   ///< by host
  /// The switches of all servers as one, which nothing crosses from server to server; NPUs are its hosts.
  std::optional<ethernet::Network> inside = {};
  std::uint32_t server_npus = 0;

  bool same_server(NpuId a, NpuId b) const {
    return inside && index_of(a) / server_npus == index_of(b) / server_npus;
  }
  std::size_t ports() const { return network.ports().size() + (inside ? inside->ports().size() : 0); }
  const ethernet::Port& port(std::size_t number) const {
    const std::size_t outer = network.ports().size();
    return number < outer ? network.ports()[number] : inside->ports()[number - outer];
  }
  /// "npu7->leaf0", "leaf0->spine1", "npu7->server0"
  std::string port_name(std::uint32_t port) const;
};

/// @throws std::invalid_argument: sizes that do not fit; "file:line: " what is wrong in a file
EthernetPlaces ethernet_places(const EthernetShape& shape, TimePs link_latency_ps);

}  // namespace wafertlm
