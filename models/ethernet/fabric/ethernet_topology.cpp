// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/fabric/ethernet_topology.h"

#include <algorithm>
#include <map>

#include "models/ethernet/network/load_balance.h"

namespace wafertlm {

namespace {

/// The fastest: rates of single NPUs are npu_sends_bytes_per_s().
EndpointPorts ports_of(const EthernetFabricParams& params) {
  const std::uint64_t inside = params.shape.server_npus != 0 ? params.shape.server_bytes_per_s : 0;
  if (params.shape.is_regular())
    return {params.shape.bytes_per_s + inside, params.shape.bytes_per_s + inside};
  const EthernetPlaces places = ethernet_places(params.shape, params.link_latency_ps);
  const ethernet::Network& network = places.network;
  std::uint64_t fastest = 0;
  for (std::uint32_t host = 0; host < network.hosts(); ++host)
    fastest = std::max(fastest, network.ports()[network.host_port(host)].bytes_per_s);
  return {fastest + inside, fastest + inside};
}

/// Every NPU joined to all that differ in one coordinate only.
Dimensions dimensions_of(const std::vector<std::uint32_t>& sizes, std::uint64_t bytes_per_s,
                         TimePs latency_ps) {
  if (sizes.empty()) return {};
  std::vector<FabricDimension> all;
  for (const std::uint32_t size : sizes)
    all.push_back({FabricDimension::Kind::switched, size, bytes_per_s, latency_ps});
  return Dimensions(all);
}

}  // namespace

EthernetTopology::EthernetTopology(const EthernetFabricParams& params)
    : Topology(ports_of(params)),
      places_(ethernet_places(params.shape, params.link_latency_ps)),
      is_regular_(params.shape.is_regular()),
      link_latency_ps_(params.link_latency_ps),
      pipeline_ps_(params.engine.switches.pipeline_ps),
      server_npus_(params.shape.server_npus),
      server_bytes_per_s_(params.shape.server_bytes_per_s),
      server_latency_ps_(params.shape.server_latency_ps) {
  const ethernet::Network& network = places_.network;
  path_bytes_per_s_ = params.shape.bytes_per_s;
  if (params.shape.switch_bytes_per_s != 0)
    path_bytes_per_s_ = std::min(path_bytes_per_s_, params.shape.switch_bytes_per_s);
  if (is_regular_) {  // it looks alike from each of its hosts
    for (std::uint32_t other = 1; other < network.hosts(); ++other)
      shortest_ps_ = std::min(shortest_ps_, way_ps(network.distance(0, other)));
  } else {
    std::vector<TimePs> cables;
    for (std::uint32_t host = 0; host < network.hosts(); ++host)
      cables.push_back(network.ports()[network.host_port(host)].latency_ps);
    std::partial_sort(cables.begin(), cables.begin() + 2, cables.end());
    shortest_ps_ = cables[0] + cables[1];
  }
  dimensions_ = dimensions_of(params.shape.dimensions, host_cable(NpuId{0}).bytes_per_s, shortest_ps_ / 2);

  if (places_.inside) {
    shortest_ps_ = std::min(shortest_ps_, 2 * server_latency_ps_);
    CutFamily servers;
    servers.adds_latency = false;
    for (std::uint32_t npu = 0; npu < npus(); ++npu) {
      servers.part_of.push_back(npu / places_.server_npus);
      if (npu % places_.server_npus == 0) servers.rates.emplace_back();
      servers.rates.back().out += host_cable(NpuId{npu}).bytes_per_s;
      servers.rates.back().in += host_cable(NpuId{npu}).bytes_per_s;
    }
    cuts_.push_back(std::move(servers));
    return;
  }
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
  const ethernet::Port& port = places_.port(number);
  return {port.bytes_per_s, port.latency_ps};
}

void EthernetTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  if (from != to && places_.same_server(from, to)) {
    const auto only = [](std::uint32_t, std::size_t) { return std::size_t{0}; };
    const auto a = static_cast<std::uint32_t>(index_of(from)), b = static_cast<std::uint32_t>(index_of(to));
    for (const std::uint32_t port : places_.inside->path(a, b, only))
      route.push_back(places_.network.ports().size() + port);
    return;
  }
  const std::uint64_t hash = ethernet::five_tuple_hash(host(from), host(to), 0);
  const auto choose = [hash](std::uint32_t node, std::uint32_t ways) {
    return ethernet::hashed_way(hash, splitmix64::mix(node), ways);
  };
  for (const std::uint32_t port : places_.network.path(host(from), host(to), choose)) route.push_back(port);
}

TimePs EthernetTopology::head_latency_ps(NpuId from, NpuId to) const {
  if (from == to) return 0;
  if (places_.same_server(from, to)) return 2 * server_latency_ps_;
  return is_regular_ ? way_ps(places_.network.distance(host(from), host(to))) : walked_ps(from, to);
}

TimePs EthernetTopology::walked_ps(NpuId from, NpuId to) const {
  std::vector<std::size_t> way;
  append_route(from, to, way);
  TimePs sum = (way.size() - 1) * pipeline_ps_;
  for (const std::size_t port : way) sum += places_.port(port).latency_ps;
  return sum;
}

std::uint64_t EthernetTopology::path_bytes_per_s(NpuId from, NpuId to) const {
  if (places_.same_server(from, to)) return server_bytes_per_s_;
  return is_regular_ ? path_bytes_per_s_ : std::min(host_cable(from).bytes_per_s, host_cable(to).bytes_per_s);
}

std::uint32_t EthernetTopology::hops(NpuId from, NpuId to) const {
  if (from != to && places_.same_server(from, to)) return 2;
  return from == to ? 0 : places_.network.distance(host(from), host(to));
}

std::optional<GroupGrid> EthernetTopology::group_grid(const Group& group) const {
  if (!places_.inside) return {};
  std::map<std::size_t, std::map<std::size_t, std::uint32_t>> rows;  // server, NPU: rank
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    rows[index_of(group[rank]) / places_.server_npus][index_of(group[rank])] = rank;
  const std::size_t width = rows.empty() ? 0 : rows.begin()->second.size();
  if (width < 2 || rows.size() < 2) return {};
  GroupGrid grid;
  grid.width = static_cast<std::uint32_t>(width);
  grid.height = static_cast<std::uint32_t>(rows.size());
  grid.parts = 1;
  for (const auto& [server, members] : rows) {
    if (members.size() != width) return {};
    for (const auto& [npu, rank] : members) grid.at.push_back(rank);
  }
  grid.row = {server_bytes_per_s_, 2 * server_latency_ps_};
  const NpuId first = group[grid.at[0]], next = group[grid.at[width]];
  grid.column = {path_bytes_per_s(first, next), head_latency_ps(first, next)};
  return grid;
}

std::vector<Crossings> EthernetTopology::all_pairs_crossings(const Group& group) const {
  if (group.size() > 512) return {};
  Crossings all;
  for (std::size_t port = 0; port < links(); ++port) all.bytes_per_s += places_.port(port).bytes_per_s;
  for (const NpuId from : group)
    for (const NpuId to : group) all.links += hops(from, to);
  return {all};
}

}  // namespace wafertlm
