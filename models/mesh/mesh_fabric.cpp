// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_fabric.h"

#include <stdexcept>

#include "models/endpoint/injection_windows.h"
#include "tlm/fabric/checker.h"

namespace wafertlm {
namespace {

PortId port_of(const std::vector<Direction>& ports, Direction side) {
  return static_cast<PortId>(std::find(ports.begin(), ports.end(), side) - ports.begin());
}

std::string number(NpuId npu) { return std::to_string(index_of(npu)); }

/// Every stream has a packet on its way through the buffer, at its own pace, and two more may wait. With
/// fewer, a stream whose link is free waits for room that others' packets hold.
std::uint32_t packets_of(std::uint32_t streams) { return streams == 1 ? 2 : streams + 2; }

/// X-Y where that is whole, else the detour.
class HoleRouting final : public XyRouting {
 public:
  HoleRouting(const MeshGeometry& geometry, const DetourRoutes& detours, NpuId here)
      : XyRouting(geometry, here), detours_(detours), here_(here) {}
  PortId output_for(const Packet& packet) const override {
    return port(detours_.next(here_, geometry_.router(packet.source), geometry_.router(packet.destination)),
                packet.destination);
  }
  bool on_upper_half(const Packet& packet) const override {
    return !detours_.is_xy(geometry_.router(packet.source), geometry_.router(packet.destination));
  }

 private:
  const DetourRoutes& detours_;
  NpuId here_;
};

}  // namespace

/// X-Y up to a link that is avoided; from there on the detour of the table. Who has come on the upper half of
/// its class's channels from another router is on one.
class AvoidingRouting final : public XyRouting {
 public:
  AvoidingRouting(const MeshGeometry& geometry, const DetourRoutes& around, const ClassTable& classes,
                  NpuId here)
      : XyRouting(geometry, here), around_(around), classes_(classes), here_(here) {}
  void avoid(Direction side, bool avoids) { avoids_[static_cast<std::size_t>(side)] = avoids; }
  PortId output_for(const Packet& packet) const override {
    const NpuId to = geometry_.router(packet.destination);
    const Direction xy = geometry_.next_direction(here_, to);
    const bool turns = comes_on_detour(packet) || avoids_[static_cast<std::size_t>(xy)];
    return port(turns ? around_.detour(here_, to) : xy, packet.destination);
  }
  /// Of the output that was chosen when it came.
  bool on_upper_half(const Packet& packet) const override {
    return comes_on_detour(packet) || packet.output != XyRouting::output_for(packet);
  }

 private:
  bool comes_on_detour(const Packet& packet) const {
    if (packet.hops <= 1) return false;  // from its NPU or controller, on any channel
    const ChannelRange vcs = classes_.channels_of(packet.traffic_class, false);
    return index_of(packet.vc) >= std::size_t{vcs.first} + vcs.count / 2;
  }

  const DetourRoutes& around_;
  const ClassTable& classes_;
  NpuId here_;
  bool avoids_[kDirections]{};
};

MeshFabric::MeshFabric(const sc_core::sc_module_name& name, const MeshParams& params,
                       const ClassTable& classes, Scheduler& scheduler, CheckerSet* checkers, bool reverse)
    : Fabric(name),
      params_(params),
      classes_(classes),
      checkers_(checkers),
      geometry_(params.width, params.height, params.io),
      rates_(params, geometry_),
      detours_(detour_routes(params, geometry_)) {
  check_params();
  switches_.resize(geometry_.npus());
  if (!params.dying_ways.empty()) {
    MeshParams later = params;
    later.failed_ways = params.dying_ways;
    around_dying_.emplace(geometry_, dead_links(later, geometry_));
  }
  for (std::uint32_t n = 0; n < geometry_.npus(); ++n)
    if (const auto here = static_cast<NpuId>(n); detours_)
      routing_.push_back(std::make_unique<HoleRouting>(geometry_, *detours_, here));
    else if (around_dying_)
      avoiding_.push_back(static_cast<AvoidingRouting*>(
          routing_.emplace_back(std::make_unique<AvoidingRouting>(geometry_, *around_dying_, classes, here))
              .get()));
    else
      routing_.push_back(std::make_unique<XyRouting>(geometry_, here));
  for (std::uint32_t k = 0; k < geometry_.npus(); ++k) {
    const std::uint32_t n = reverse ? geometry_.npus() - 1 - k : k;
    SwitchParams router;
    router.pipeline_ps = params.router_pipeline_ps;
    router.input_queue = params.input_queue;
    router.input_start_ps = params.input_start_ps;
    if (params.format.by_flit) set_wormhole(router);
    std::vector<std::string> names;
    for (const Direction side : geometry_.ports(static_cast<NpuId>(n))) {
      router.credit_delay_ps.push_back(params.credit_delay_ps);
      router.outputs.push_back(output_params(static_cast<NpuId>(n), side));
      names.emplace_back(to_string(side));
    }
    if (detours_ || around_dying_) router.ring_outputs.assign(names.size(), {0, false, true});
    switches_[n] = std::make_unique<SwitchModule>(("router_" + std::to_string(n)).c_str(), router, names,
                                                  names, classes, *routing_[n], scheduler);
    switches_[n]->set_partition(n);
  }
  bind_links(classes);
  if (detours_) require_no_cycle(*detours_);
  if (!around_dying_) return;
  require_ways_around_dying();
  require_no_cycle(*around_dying_);
}

void MeshFabric::avoid(const FabricLink& link, bool avoids) {
  if (!around_dying_) return Fabric::avoid(link, avoids);
  const auto here = static_cast<NpuId>(link.from);
  avoiding_[link.from]->avoid(geometry_.ports(here)[index_of(link.output)], avoids);
}

void MeshFabric::require_ways_around_dying() const {
  for (std::uint32_t a = 0; a < geometry_.npus(); ++a)
    for (std::uint32_t b = 0; b < geometry_.npus(); ++b)
      if (const auto from = static_cast<NpuId>(a), to = static_cast<NpuId>(b);
          !around_dying_->has_detour(from, to))
        throw std::invalid_argument(
            "run.on_fault: reroute: without the links that go down for good there is "
            "no way from router " +
            number(from) + " to router " + number(to) + "; take wait or stop, or leave a fault out");
}

/// X-Y routes have no cycle, and share no channel with detours. Who turns from the one to the other goes on
/// to a channel of detours, and never back; so both together have none.
void MeshFabric::require_no_cycle(const DetourRoutes& detours) const {
  const std::vector<std::size_t> cycle = detours.find_cycle();
  if (cycle.empty()) return;
  std::string names;
  for (const std::size_t link : cycle)
    names += " router" + std::to_string(link / 4) + ":" + to_string(static_cast<Direction>(link % 4));
  throw std::logic_error("detours can deadlock:" + names);
}

void MeshFabric::set_wormhole(SwitchParams& router) const {
  router.switching = Switching::wormhole;
  router.link_cycle_ps = std::max<TimePs>(
      1, static_cast<TimePs>(Uint128{params_.format.flit_bytes} * kPsPerSecond / params_.link_bytes_per_s));
  router.internal_speedup = params_.internal_speedup;
  const TimePs two_cycles = 2 * router.link_cycle_ps / params_.internal_speedup;
  router.head_pipeline_ps =
      std::min(params_.head_pipeline_ps.value_or(two_cycles), params_.router_pipeline_ps);
}

void MeshFabric::check_params() const {
  if (params_.width == 0 || params_.height == 0)
    throw std::invalid_argument("a mesh needs at least one column and one row");
  if (params_.injection_streams == 0 || params_.ejection_streams == 0)
    throw std::invalid_argument("a port carries at least one stream: injection_ or ejection_streams is 0");
  if (!params_.io.empty() && params_.io_bytes_per_s == 0)
    throw std::invalid_argument("I/O controllers need a bandwidth");
  if (params_.link_latency_ps + params_.router_pipeline_ps == 0)
    throw std::invalid_argument("link latency and router pipeline are both 0: a hop must take at least 1 ps");
  check_buffer(params_.format, params_.buffer_bytes);
}

void MeshFabric::bind_links(const ClassTable& classes) {
  for (std::uint32_t n = 0; n < geometry_.npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    const std::vector<Direction> ports = geometry_.ports(here);
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const auto port = static_cast<PortId>(p);
      if (!geometry_.has_neighbor(here, ports[p])) {
        const NpuId endpoint = geometry_.endpoint_at(here, ports[p]);
        links_.push_back({"router" + number(here) + "->" + endpoint_name(endpoint), n, port, true});
        continue;
      }
      const NpuId there = geometry_.neighbor(here, ports[p]);
      links_.push_back({"router" + number(here) + "->router" + number(there), n, port, false});
      const PortId input = port_of(geometry_.ports(there), opposite(ports[p]));
      bind_checked(switches_[n]->output(port), switches_[index_of(there)]->input(input), checkers_,
                   "router" + number(here) + "_to_router" + number(there), output_params(here, ports[p]),
                   classes);
    }
  }
}

std::uint64_t MeshFabric::buffer_bytes(std::uint64_t bytes_per_s, TimePs link_latency_ps, TimePs pipeline_ps,
                                       std::uint32_t packets) const {
  if (params_.buffer_bytes != 0) return params_.buffer_bytes;
  return auto_buffer_bytes(bytes_per_s, link_latency_ps + pipeline_ps + params_.credit_delay_ps,
                           params_.format, packets);
}

/// An NPU that is faster than a link feeds several links at once, through one buffer.
OutputParams MeshFabric::injection_link() const {
  const auto bytes_for = [&](std::uint32_t packets) {
    return buffer_bytes(params_.injection_bytes_per_s, params_.injection_latency_ps,
                        params_.router_pipeline_ps, packets);
  };
  OutputParams made{params_.injection_bytes_per_s, params_.injection_latency_ps,
                    bytes_for(packets_of(params_.injection_streams))};
  if (params_.buffer_bytes == 0) made.round_trip_bytes = bytes_for(0);
  return made;
}

/// What comes over a link parts in the router: beside a packet that comes and one that leaves, one may wait
/// for another output.
OutputParams MeshFabric::router_link(NpuId router, Direction side) const {
  const std::uint64_t rate = rates_.of(mesh_link(router, side));
  return {rate, params_.link_latency_ps,
          buffer_bytes(rate, params_.link_latency_ps, params_.router_pipeline_ps, 3)};
}

OutputParams MeshFabric::io_link() const {
  return {params_.io_bytes_per_s, params_.io_latency_ps,
          buffer_bytes(params_.io_bytes_per_s, params_.io_latency_ps, params_.router_pipeline_ps)};
}

std::vector<std::uint8_t> MeshFabric::exits(NpuId npu) const {
  std::vector<std::uint8_t> by_side(kMeshSides, InjectionWindows::kFree);
  for (std::size_t side = 0; side < kMeshSides; ++side)
    if (const auto to = static_cast<Direction>(side);
        geometry_.has_neighbor(npu, to) && rates_.of(mesh_link(npu, to)) < rates_.of(to))
      by_side[side] = static_cast<std::uint8_t>(side);
  if (by_side == std::vector<std::uint8_t>(kMeshSides, InjectionWindows::kFree)) return {};
  std::vector<std::uint8_t> exits(geometry_.endpoints(), InjectionWindows::kFree);
  for (std::uint32_t e = 0; e < geometry_.endpoints(); ++e) {
    const NpuId to = geometry_.router(static_cast<NpuId>(e));
    if (to == npu) continue;
    const Direction side = detours_ ? detours_->next(npu, npu, to) : geometry_.next_direction(npu, to);
    exits[e] = by_side[static_cast<std::size_t>(side)];
  }
  return exits;
}

/// Heads and credits are announced so much ahead.
TimePs MeshFabric::lookahead_ps() const {
  if (params_.format.by_flit) return 0;
  return std::min(params_.link_latency_ps + params_.router_pipeline_ps, params_.credit_delay_ps);
}

std::string MeshFabric::switch_of(NpuId endpoint) const {
  return "router" + number(geometry_.router(endpoint));
}

OutputParams MeshFabric::output_params(NpuId router, Direction port) const {
  if (port != Direction::local && !geometry_.has_neighbor(router, port))
    return {params_.io_bytes_per_s, params_.io_latency_ps,
            buffer_bytes(params_.io_bytes_per_s, params_.io_latency_ps, 0)};
  if (port == Direction::local)
    return {params_.ejection_bytes_per_s, params_.ejection_latency_ps,
            buffer_bytes(params_.ejection_bytes_per_s, params_.ejection_latency_ps, 0,
                         packets_of(params_.ejection_streams))};
  return router_link(router, port);
}

void MeshFabric::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  const NpuId here = geometry_.router(endpoint);
  const Direction exit = geometry_.exit(endpoint);
  SwitchModule& router = *switches_[index_of(here)];
  const PortId port = port_of(geometry_.ports(here), exit);
  const std::string router_name = switch_of(endpoint), name = endpoint_name(endpoint);
  bind_checked(to_fabric, router.input(port), checkers_, name + "_to_" + router_name,
               exit == Direction::local ? injection_link() : io_link(), classes_);
  bind_checked(router.output(port), from_fabric, checkers_, router_name + "_to_" + name,
               output_params(here, exit), classes_);
}

std::string MeshFabric::route_failure(NpuId from, NpuId to) const {
  const NpuId first = geometry_.router(from), last = geometry_.router(to);
  for (const NpuId failed : params_.failed_routers)
    if (failed == first || failed == last) return "router " + number(failed) + " has failed";
  for (const NpuId failed : params_.failed_npus)
    if (failed == from || failed == to) return "NPU " + number(failed) + " does not work";
  if (detours_)
    return detours_->reaches(first, last)
               ? ""
               : "no links that work join router " + number(first) + " to router " + number(last);
  return params_.has_holes() ? xy_failure(from, to) : "";
}

std::string MeshFabric::xy_failure(NpuId from, NpuId to) const {
  const std::vector<bool> dead = dead_links(params_, geometry_);
  const std::vector<NpuId> route = geometry_.route(from, to);
  for (std::size_t i = 0; i + 1 < route.size(); ++i) {
    for (const NpuId failed : params_.failed_routers)
      if (route[i] == failed) return "router " + number(failed) + " has failed";
    if (dead[mesh_link(route[i], geometry_.next_direction(route[i], to))])
      return "the link between routers " + number(route[i]) + " and " + number(route[i + 1]) + " has failed";
  }
  return "";
}

TimePs MeshFabric::head_latency_ps(NpuId from, NpuId to) const {
  const TimePs hops =
      detours_ ? detours_->hops(geometry_.router(from), geometry_.router(to)) : geometry_.hops(from, to);
  return params_.injection_latency_ps + params_.ejection_latency_ps + hops * params_.link_latency_ps +
         (hops + 1) * params_.router_pipeline_ps;
}

}  // namespace wafertlm
