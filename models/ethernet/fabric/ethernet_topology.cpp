// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/fabric/ethernet_topology.h"

#include <algorithm>

#include "models/ethernet/network/load_balance.h"

namespace wafertlm {

EthernetTopology::EthernetTopology(const EthernetFabricParams& params)
    : Topology({params.shape.bytes_per_s, params.shape.bytes_per_s}),
      places_(ethernet_places(params.shape, params.link_latency_ps)),
      link_latency_ps_(params.link_latency_ps),
      pipeline_ps_(params.engine.switches.pipeline_ps) {
  const ethernet::Network& network = places_.network;
  path_bytes_per_s_ = params.shape.bytes_per_s;
  if (params.shape.switch_bytes_per_s != 0)
    path_bytes_per_s_ = std::min(path_bytes_per_s_, params.shape.switch_bytes_per_s);
  // All topologies look alike from each of their hosts.
  for (std::uint32_t other = 1; other < network.hosts(); ++other)
    shortest_ps_ = std::min(shortest_ps_, way_ps(network.distance(0, other)));

  CutFamily switches;
  switches.adds_latency = false;
  for (std::uint32_t npu = 0; npu < npus(); ++npu) switches.part_of.push_back(attached_switch(NpuId{npu}));
  for (std::uint32_t node = network.hosts(); node < network.nodes(); ++node) {
    std::uint64_t rate = 0;
    for (const std::uint32_t port : network.ports_of(node))
      if (!network.is_host(network.ports()[port].peer_node)) rate += network.ports()[port].bytes_per_s;
    rate = std::max<std::uint64_t>(rate, 1);
    switches.rates.push_back({rate, rate});
  }
  cuts_.push_back(std::move(switches));
}

TopologyLink EthernetTopology::link(std::size_t number) const {
  const ethernet::Port& port = places_.network.ports()[number];
  return {port.bytes_per_s, port.latency_ps};
}

void EthernetTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  const std::uint64_t hash = ethernet::five_tuple_hash(host(from), host(to), 0);
  const auto choose = [hash](std::uint32_t node, std::uint32_t ways) {
    return ethernet::hashed_way(hash, ethernet::Random::mix(node), ways);
  };
  for (const std::uint32_t port : places_.network.path(host(from), host(to), choose)) route.push_back(port);
}

TimePs EthernetTopology::head_latency_ps(NpuId from, NpuId to) const {
  return from == to ? 0 : way_ps(places_.network.distance(host(from), host(to)));
}

std::uint32_t EthernetTopology::hops(NpuId from, NpuId to) const {
  return from == to ? 0 : places_.network.distance(host(from), host(to));
}

std::vector<Crossings> EthernetTopology::all_pairs_crossings(const Group& group) const {
  if (group.size() > 512) return {};
  Crossings all;
  for (const ethernet::Port& port : places_.network.ports()) all.bytes_per_s += port.bytes_per_s;
  for (const NpuId from : group)
    for (const NpuId to : group) all.links += hops(from, to);
  return {all};
}

}  // namespace wafertlm
