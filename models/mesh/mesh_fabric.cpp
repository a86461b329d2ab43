// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_fabric.h"

#include <stdexcept>

#include "tlm/link/route_check.h"

namespace wafertlm {
namespace {

Direction opposite(Direction side) {
  switch (side) {
    case Direction::east:
      return Direction::west;
    case Direction::west:
      return Direction::east;
    case Direction::north:
      return Direction::south;
    case Direction::south:
      return Direction::north;
    case Direction::local:
      break;
  }
  return Direction::local;
}

PortId port_of(const std::vector<Direction>& ports, Direction side) {
  std::uint32_t port = 0;
  while (ports[port] != side) ++port;
  return static_cast<PortId>(port);
}

std::string number(NpuId npu) { return std::to_string(index_of(npu)); }

}  // namespace

std::uint64_t auto_buffer_bytes(std::uint64_t bytes_per_s, TimePs round_trip_ps, const WireFormat& format) {
  const auto in_flight =
      static_cast<std::uint64_t>((Uint128{bytes_per_s} * round_trip_ps + kPsPerSecond - 1) / kPsPerSecond);
  return in_flight + 2 * std::uint64_t{format.full_wire_bytes()};
}

MeshFabric::MeshFabric(const sc_core::sc_module_name& name, const MeshParams& params,
                       const ClassTable& classes, Scheduler& scheduler, bool reverse)
    : sc_module(name), params_(params), geometry_(params.width, params.height) {
  if (params.width == 0 || params.height == 0)
    throw std::invalid_argument("a mesh needs at least one column and one row");
  if (params.link_latency_ps + params.router_pipeline_ps == 0)
    throw std::invalid_argument("link latency and router pipeline are both 0: a hop must take at least 1 ps");
  if (params.buffer_bytes != 0 && params.format.full_wire_bytes() > params.buffer_bytes / 2)
    throw std::invalid_argument("a packet of " + std::to_string(params.format.full_wire_bytes()) +
                                " B on the wire needs an input buffer of at least twice its size; it is " +
                                std::to_string(params.buffer_bytes) + " B");

  routers_.resize(geometry_.npus());
  for (std::uint32_t n = 0; n < geometry_.npus(); ++n)
    routing_.emplace_back(geometry_, static_cast<NpuId>(n));
  for (std::uint32_t k = 0; k < geometry_.npus(); ++k) {
    const std::uint32_t n = reverse ? geometry_.npus() - 1 - k : k;
    const std::vector<Direction> ports = geometry_.ports(static_cast<NpuId>(n));
    std::vector<std::string> names;
    for (const Direction side : ports) names.emplace_back(to_string(side));
    routers_[n] =
        std::make_unique<SwitchModule>(("router_" + std::to_string(n)).c_str(), switch_params(ports), names,
                                       names, classes, routing_[n], scheduler);
  }
  for (std::uint32_t n = 0; n < geometry_.npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    const std::vector<Direction> ports = geometry_.ports(here);
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const auto port = static_cast<PortId>(p);
      if (ports[p] == Direction::local) {
        links_.push_back({"router" + number(here) + "->npu" + number(here), n, port, true});
        continue;
      }
      const NpuId there = geometry_.neighbor(here, ports[p]);
      links_.push_back({"router" + number(here) + "->router" + number(there), n, port, false});
      const PortId input = port_of(geometry_.ports(there), opposite(ports[p]));
      routers_[n]->output(port).bind(routers_[index_of(there)]->input(input));
    }
  }
  check_routes();
}

std::uint64_t MeshFabric::buffer_bytes(std::uint64_t bytes_per_s, TimePs link_latency_ps,
                                       TimePs pipeline_ps) const {
  if (params_.buffer_bytes != 0) return params_.buffer_bytes;
  return auto_buffer_bytes(bytes_per_s, link_latency_ps + pipeline_ps + params_.credit_delay_ps,
                           params_.format);
}

OutputParams MeshFabric::injection_link() const {
  return {
      params_.injection_bytes_per_s, params_.injection_latency_ps,
      buffer_bytes(params_.injection_bytes_per_s, params_.injection_latency_ps, params_.router_pipeline_ps)};
}

SwitchParams MeshFabric::switch_params(const std::vector<Direction>& ports) const {
  SwitchParams result;
  result.pipeline_ps = params_.router_pipeline_ps;
  result.input_queue = params_.input_queue;
  for (const Direction side : ports) {
    result.credit_delay_ps.push_back(params_.credit_delay_ps);
    if (side == Direction::local)
      result.outputs.push_back({params_.ejection_bytes_per_s, params_.ejection_latency_ps,
                                buffer_bytes(params_.ejection_bytes_per_s, params_.ejection_latency_ps, 0)});
    else
      result.outputs.push_back(
          {params_.link_bytes_per_s, params_.link_latency_ps,
           buffer_bytes(params_.link_bytes_per_s, params_.link_latency_ps, params_.router_pipeline_ps)});
  }
  return result;
}

void MeshFabric::check_routes() const {
  RouteCheck check(geometry_.npus());
  for (std::uint32_t n = 0; n < geometry_.npus(); ++n) check.add_switch(n, routing_[n]);
  for (const MeshLink& link : links_) {
    const auto here = static_cast<NpuId>(link.router);
    const Direction side = geometry_.ports(here)[index_of(link.output)];
    if (link.to_npu)
      check.add_exit(link.name, link.router, link.output);
    else
      check.add_link(link.name, link.router, link.output, index_of(geometry_.neighbor(here, side)));
  }
  check.require_no_cycle(geometry_.npus());
}

FabricTargetSocket& MeshFabric::injection(NpuId npu) {
  return routers_[index_of(npu)]->input(port_of(geometry_.ports(npu), Direction::local));
}

FabricInitiatorSocket& MeshFabric::ejection(NpuId npu) {
  return routers_[index_of(npu)]->output(port_of(geometry_.ports(npu), Direction::local));
}

std::uint64_t MeshFabric::packet_hops() const {
  std::uint64_t hops = 0;
  for (const MeshLink& link : links_) hops += routers_[link.router]->core().counters(link.output).packets;
  return hops;
}

}  // namespace wafertlm
