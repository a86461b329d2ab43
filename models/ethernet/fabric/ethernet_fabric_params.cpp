// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/fabric/ethernet_fabric_params.h"

#include <array>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "models/ethernet/network/topologies.h"
#include "models/ethernet/ns3/ns3_files.h"
#include "tlm/input/file.h"

namespace wafertlm {
namespace {

using ethernet::CableParams;
using ethernet::Network;

/// By EthernetShape::Topology.
constexpr std::array<Network (*)(const EthernetShape&, const CableParams&), 7> kNetworks = {
    [](const EthernetShape& of, const CableParams& cables) { return ethernet::star(of.npus, cables); },
    [](const EthernetShape& of, const CableParams& cables) {
      return ethernet::leaf_spine(of.leaves, of.npus_per_switch, of.spines, cables);
    },
    [](const EthernetShape& of, const CableParams& cables) {
      return ethernet::fat_tree(of.switch_ports, of.oversubscription, cables);
    },
    [](const EthernetShape& of, const CableParams& cables) {
      return ethernet::rail_optimised(of.servers, of.rails, of.spines, cables);
    },
    [](const EthernetShape& of, const CableParams& cables) {
      return ethernet::dragonfly(of.groups, of.routers, of.npus_per_switch, of.global_cables, cables);
    },
    [](const EthernetShape& of, const CableParams& cables) {
      return ethernet::bigraph(of.row, of.npus_per_switch, cables);
    },
    [](const EthernetShape& of, const CableParams&) {
      std::istringstream file(read_input(of.file));
      return ethernet::read_ns3_topology(file, of.file).network;
    },
};

}  // namespace

std::uint64_t ethernet_hosts(const EthernetShape& of) {
  const auto product = [](std::uint64_t a, std::uint64_t b, std::uint64_t c = 1) { return a * b * c; };
  switch (of.topology) {
    case EthernetShape::Topology::star:
      return of.npus;
    case EthernetShape::Topology::leaf_spine:
      return product(of.leaves, of.npus_per_switch);
    case EthernetShape::Topology::fat_tree:  // pods · edge switches · hosts
      return product(of.switch_ports, of.switch_ports / 2, of.switch_ports / 2) * of.oversubscription;
    case EthernetShape::Topology::rails:
      return product(of.servers, of.rails);
    case EthernetShape::Topology::dragonfly:
      return product(of.groups, of.routers, of.npus_per_switch);
    case EthernetShape::Topology::bigraph:
      return product(2, of.row, of.npus_per_switch);
    case EthernetShape::Topology::ns3: {
      if (!why_unreadable(of.file).empty()) return 0;
      auto file = open_input(of.file);
      std::uint64_t nodes = 0, switches = 0;
      return file >> nodes >> switches && switches <= nodes ? nodes - switches : 0;
    }
  }
  return 0;
}

std::string EthernetPlaces::port_name(std::uint32_t port) const {
  const auto name = [&](std::uint32_t node) {
    return network.is_host(node) ? "npu" + std::to_string(npu_of[node]) : network.name(node);
  };
  if (port >= network.ports().size()) {
    const ethernet::Port& of = this->port(port);
    const bool up = inside->is_host(of.node);
    const std::uint32_t npu = up ? of.node : of.peer_node;
    const std::string end = "npu" + std::to_string(npu);
    const std::string server = "server" + std::to_string(npu / server_npus);
    return up ? end + "->" + server : server + "->" + end;
  }
  return name(network.ports()[port].node) + "->" + name(network.ports()[port].peer_node);
}

EthernetPlaces ethernet_places(const EthernetShape& shape, TimePs link_latency_ps) {
  CableParams cables;
  cables.host_bytes_per_s = shape.bytes_per_s;
  cables.switch_bytes_per_s = shape.switch_bytes_per_s != 0 ? shape.switch_bytes_per_s : shape.bytes_per_s;
  cables.host_latency_ps = cables.switch_latency_ps = link_latency_ps;
  EthernetPlaces places{kNetworks[static_cast<std::size_t>(shape.topology)](shape, cables), {}, {}};
  const std::uint32_t hosts = places.network.hosts();
  if (shape.ranks == EthernetShape::Ranks::hdrm) {
    places.host_of = ethernet::hdrm_hosts(hosts, shape.row, shape.npus_per_switch);
  } else {
    places.host_of.resize(hosts);
    std::iota(places.host_of.begin(), places.host_of.end(), 0);
  }
  places.npu_of.resize(hosts);
  for (std::uint32_t npu = 0; npu < hosts; ++npu) places.npu_of[places.host_of[npu]] = npu;
  if (shape.server_npus != 0) {
    const auto npus = static_cast<std::uint32_t>(places.host_of.size());
    if (npus % shape.server_npus != 0)
      throw std::invalid_argument(std::to_string(npus) + " NPUs do not divide into servers of " +
                                  std::to_string(shape.server_npus));
    const CableParams server_cables{shape.server_bytes_per_s, shape.server_bytes_per_s,
                                    shape.server_latency_ps, shape.server_latency_ps};
    places.inside = ethernet::star(npus, server_cables);
    places.server_npus = shape.server_npus;
  }
  return places;
}

}  // namespace wafertlm
