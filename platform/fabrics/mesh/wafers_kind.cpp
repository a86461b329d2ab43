// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/wafers_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/mesh/mesh_geometry.h"
#include "platform/describe/struct_type.h"
#include "platform/fabrics/graph/on_graph.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

void check_several_wafers(const config::WaferSpec& wafer, const config::Check& check) {
  const config::FabricSpec& fabric = wafer.fabric;
  const auto& mesh = fabric.as<MeshParams>();
  if (!wafer.io.controllers.any())
    check.fail({&wafer.outer, &wafer.io.controllers},
               "wafers are connected through I/O controllers; add {}: perimeter, or a list",
               check.path(&wafer.io.controllers));
  if (wafer.io.latency_ps == 0)
    check.fail(
        {&wafer.io.latency_ps, &wafer.outer},
        "between a router and an I/O controller that leads to other wafers it takes 1 ps or more; set {}",
        check.path(&wafer.io.latency_ps));
  if (wafer.npu_count() > 4096)
    check.fail({&wafer.outer->wafers, &wafer.width, &wafer.height},
               "more than 4096 NPUs in all; take smaller or fewer wafers");
  std::vector<const void*> culprits{&wafer.outer};
  const auto forbid = [&](bool is_used, const void* key) {
    if (is_used) culprits.push_back(key);
  };
  forbid(!mesh.failed_links.empty(), &mesh.failed_links);
  forbid(!mesh.failed_routers.empty(), &mesh.failed_routers);
  forbid(!fabric.defects.routers.empty(), &fabric.defects.routers);
  forbid(!fabric.defects.links.empty(), &fabric.defects.links);
  forbid(!fabric.defects.slow_links.empty(), &fabric.defects.slow_links);
  forbid(!fabric.defects.io.empty(), &fabric.defects.io);
  forbid(fabric.defects.drawn.has_value(), &fabric.defects.drawn);
  forbid(fabric.bit_error_rate > 0, &fabric.bit_error_rate);
  forbid(fabric.is_reliable(), &fabric.reliability.protocol);
  forbid(fabric.format.by_flit, &fabric.format.by_flit);
  forbid(fabric.input_queue == InputQueue::fifo, &fabric.input_queue);
  forbid(fabric.input_start_ps != 0, &fabric.input_start_ps);
  if (culprits.size() > 1)
    check.fail(culprits,
               "with several wafers there are no failures, bit errors, wormhole switching, input_queue: fifo "
               "or input_start_interval; leave them out");
  if (2 * fabric.virtual_channels > 16)
    check.fail({&fabric.virtual_channels, &wafer.outer},
               "several wafers need two channels for each, so at most 8 are possible");
}

namespace {

/// Numbers of rings: routers and the way to controllers; around the wafers up, and down.
constexpr std::uint16_t kInside = 1, kUp = 2, kDown = 3;

class Builder {
 public:
  explicit Builder(const config::WaferSpec& spec)
      : spec_(spec),
        geometry_(spec.width, spec.height),
        ports_(io_ports(spec)),
        wafers_(spec.outer->wafers),
        mesh_(spec.width * spec.height),
        npus_(wafers_ * mesh_),
        users_(ports_.size()) {}

  std::shared_ptr<const FabricGraph> graph() {
    const auto controllers = static_cast<std::uint32_t>(ports_.size());
    std::vector<FabricGraph::Vertex> vertices;
    for (std::uint32_t npu = 0; npu < npus_; ++npu) vertices.push_back({"npu" + std::to_string(npu), 0});
    const auto name = [](const char* what, std::uint32_t wafer, std::uint32_t n) {
      return "wafer" + std::to_string(wafer) + "_" + what + std::to_string(n);
    };
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer)
      for (std::uint32_t n = 0; n < mesh_; ++n)
        vertices.push_back({name("router", wafer, n), spec_.fabric.as<MeshParams>().router_pipeline_ps});
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer)
      for (std::uint32_t k = 0; k < controllers; ++k) vertices.push_back({name("io", wafer, k), 0});
    if (spec_.outer->topology == config::OuterTopology::switched)
      for (std::uint32_t k = 0; k < controllers; ++k)
        vertices.push_back({"outer_switch" + std::to_string(k), 0});
    // Along rows first: of equally short ways that over the first link is taken.
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) add_mesh(wafer);
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) add_controllers(wafer);
    for (std::uint32_t k = 0; k < controllers; ++k) add_outer(k);
    for (std::uint32_t n = 0; n < mesh_; ++n) add_routes(n, controller_of(n));
    return std::make_shared<const FabricGraph>(npus_, std::move(vertices), std::move(links_),
                                               FabricGraph::Shortest::hops, routes_);
  }

 private:
  std::uint32_t router(std::uint32_t wafer, std::uint32_t n) const { return npus_ + wafer * mesh_ + n; }
  std::uint32_t controller(std::uint32_t wafer, std::uint32_t k) const {
    return 2 * npus_ + wafer * static_cast<std::uint32_t>(ports_.size()) + k;
  }
  void add_both(std::uint32_t a, std::uint32_t b, std::uint64_t rate, TimePs latency, std::uint16_t ring) {
    links_.push_back({a, b, rate, latency, ring, false});
    links_.push_back({b, a, rate, latency, ring, false});
  }
  /// Its credits fly back over the same cable.
  void add_outer_link(std::uint32_t from, std::uint32_t to, std::uint16_t ring, bool dateline) {
    const config::OuterSpec& outer = *spec_.outer;
    links_.push_back(
        {from, to, outer.bandwidth_bytes_per_s, outer.latency_ps, ring, dateline, false, outer.latency_ps});
  }

  void add_mesh(std::uint32_t wafer) {
    const auto fabric = spec_.fabric.complete<MeshParams>();
    const auto link = [&](std::uint32_t a, std::uint32_t b, std::uint64_t bytes_per_s) {
      add_both(router(wafer, a), router(wafer, b), bytes_per_s, fabric.link_latency_ps, kInside);
    };
    for (std::uint32_t n = 0; n < mesh_; ++n)
      if (n % spec_.width + 1 < spec_.width) link(n, n + 1, fabric.link_bytes_per_s);
    for (std::uint32_t n = 0; n + spec_.width < mesh_; ++n)
      link(n, n + spec_.width, fabric.vertical_bytes_per_s());
    for (std::uint32_t n = 0; n < mesh_; ++n) {
      const std::uint32_t npu = wafer * mesh_ + n;
      links_.push_back(
          {npu, router(wafer, n), fabric.injection_bytes_per_s, fabric.injection_latency_ps, 0, false});
      links_.push_back(
          {router(wafer, n), npu, fabric.ejection_bytes_per_s, fabric.ejection_latency_ps, 0, false});
    }
  }

  /// Who comes in has crossed the dateline.
  void add_controllers(std::uint32_t wafer) {
    for (std::uint32_t k = 0; k < ports_.size(); ++k) {
      const std::uint32_t at = router(wafer, static_cast<std::uint32_t>(ports_[k].npu)),
                          own = controller(wafer, k);
      links_.push_back({at, own, spec_.io.bandwidth_bytes_per_s, spec_.io.latency_ps, kInside, false});
      links_.push_back({own, at, spec_.io.bandwidth_bytes_per_s, spec_.io.latency_ps, kInside, true});
    }
  }

  void add_outer(std::uint32_t k) {
    const config::OuterSpec& outer = *spec_.outer;
    if (outer.topology == config::OuterTopology::switched) {
      const std::uint32_t at = controller(wafers_, 0) + k;
      for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer)
        for (const bool out : {true, false})
          add_outer_link(out ? controller(wafer, k) : at, out ? at : controller(wafer, k), 0, false);
      return;
    }
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) {
      const std::uint32_t next = (wafer + 1) % wafers_, here = controller(wafer, k);
      const bool closes = next == 0;
      if (wafers_ == 2 && closes) return;  // the same two again
      add_outer_link(here, controller(next, k), kUp, closes);
      add_outer_link(controller(next, k), here, kDown, closes);
    }
  }

  /// Between the NPUs with one number on all wafers: the controller that the fewest others have, the nearest
  /// of these.
  std::uint32_t controller_of(std::uint32_t n) {
    std::uint32_t best = 0;
    const auto cost = [&](std::uint32_t k) {
      return std::pair(users_[k], geometry_.hops(static_cast<NpuId>(n), ports_[k].npu));
    };
    for (std::uint32_t k = 1; k < ports_.size(); ++k)
      if (cost(k) < cost(best)) best = k;
    ++users_[best];
    return best;
  }

  /// Routers of a wafer, along the row first, both ends included.
  void go(std::vector<std::uint32_t>& route, std::uint32_t wafer, std::uint32_t from,
          std::uint32_t to) const {
    for (const NpuId at : geometry_.route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
      route.push_back(router(wafer, static_cast<std::uint32_t>(at)));
  }

  /// Between the NPUs n of all wafers over controller k: all controllers carry the same.
  void add_routes(std::uint32_t n, std::uint32_t k) {
    const auto at = static_cast<std::uint32_t>(ports_[k].npu);
    for (std::uint32_t from = 0; from < wafers_; ++from)
      for (std::uint32_t to = 0; to < wafers_; ++to) {
        if (from == to) continue;
        std::vector<std::uint32_t> route{from * mesh_ + n};
        go(route, from, n, at);
        route.push_back(controller(from, k));
        if (spec_.outer->topology == config::OuterTopology::switched) {
          route.push_back(controller(wafers_, 0) + k);
        } else {
          const std::uint32_t up = (to + wafers_ - from) % wafers_;
          const bool next = 2 * up == wafers_ ? from % 2 == 0 : 2 * up < wafers_;
          for (std::uint32_t wafer = from; wafer != to;) {
            wafer = (wafer + (next ? 1 : wafers_ - 1)) % wafers_;
            if (wafer != to) route.push_back(controller(wafer, k));
          }
        }
        route.push_back(controller(to, k));
        go(route, to, at, n);
        route.push_back(to * mesh_ + n);
        routes_.push_back(std::move(route));
      }
  }

  const config::WaferSpec& spec_;
  MeshGeometry geometry_;
  std::vector<IoPort> ports_;
  std::uint32_t wafers_, mesh_, npus_;
  std::vector<FabricGraph::Link> links_;
  std::vector<std::vector<std::uint32_t>> routes_;
  std::vector<std::uint32_t> users_;  // by controller: NPU numbers that go over it
};

/// The meshes of `spec.outer` as one graph: NPUs on routers with X-Y routes, I/O controllers as switches that
/// take no time, and the links between these. A packet for another wafer goes over one controller of each:
/// between NPUs with one number over the one that the fewest others have, else the shortest way. Behind the
/// controller through which it enters its wafer it goes on on the other half of its class's channels, and so
/// around a ring of wafers; so nothing waits in a circle.
std::shared_ptr<const FabricGraph> wafers_graph(const config::WaferSpec& spec) {
  return Builder(spec).graph();
}

/// For collectives inside, outside and inside again: columns, rows and wafers. The rate of the outer
/// dimension is an NPU's share of the controllers'.
Dimensions wafer_dimensions(const config::WaferSpec& spec) {
  using Kind = FabricDimension::Kind;
  const auto fabric = spec.fabric.complete<MeshParams>();
  const TimePs hop = fabric.link_latency_ps + fabric.router_pipeline_ps;
  const config::OuterSpec& outer = *spec.outer;
  const bool ring = outer.topology == config::OuterTopology::ring;
  const Uint128 rate = std::min(outer.bandwidth_bytes_per_s, spec.io.bandwidth_bytes_per_s);
  const auto share = static_cast<std::uint64_t>(rate * io_ports(spec).size() / (spec.width * spec.height));
  return Dimensions({{Kind::line, spec.width, fabric.link_bytes_per_s, hop},
                     {Kind::line, spec.height, fabric.vertical_bytes_per_s(), hop},
                     {ring ? Kind::ring : Kind::switched, outer.wafers, std::max<std::uint64_t>(share, 1),
                      outer.latency_ps + (ring ? 2 : 1) * spec.io.latency_ps}});
}

/// In the order of the graph's vertices: NPUs and routers, controllers, switches between wafers, which are
/// dealt out.
std::vector<std::uint32_t> wafer_of_vertices(const config::WaferSpec& spec, std::size_t vertices) {
  const std::uint32_t wafers = spec.outer->wafers, mesh = spec.width * spec.height;
  const auto controllers = static_cast<std::uint32_t>(io_ports(spec).size());
  std::vector<std::uint32_t> wafer_of;
  for (const std::uint32_t each : {mesh, mesh, controllers})
    for (std::uint32_t wafer = 0; wafer < wafers; ++wafer) wafer_of.insert(wafer_of.end(), each, wafer);
  while (wafer_of.size() < vertices) wafer_of.push_back(static_cast<std::uint32_t>(wafer_of.size()) % wafers);
  return wafer_of;
}

GraphParams wafers_params(const config::WaferSpec& wafer) {
  GraphParams params = graph_params(wafer.fabric, wafers_graph(wafer));
  params.wafer_of = wafer_of_vertices(wafer, params.graph->vertices().size());
  return params;
}

class WafersKind final : public MeshKind {
 public:
  FabricAbilities abilities(const config::FabricSpec&) const override {
    FabricAbilities abilities;
    abilities.endpoint_memory = false;
    abilities.dateline_channels = true;
    return abilities;
  }
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return MeshKind::npus(wafer) * wafer.outer->wafers;
  }
  std::vector<std::string> size_keys() const override {
    return {"wafer.width", "wafer.height", "wafer.outer.wafers"};
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override {
    // Of the slowest link with the longest latency: the graph of thousands of NPUs takes seconds.
    const auto mesh = wafer.fabric.complete<MeshParams>();
    const TimePs latency = std::max({mesh.link_latency_ps, mesh.injection_latency_ps,
                                     mesh.ejection_latency_ps, wafer.io.latency_ps, wafer.outer->latency_ps});
    const std::uint64_t rate = std::min({mesh.link_bytes_per_s, mesh.vertical_bytes_per_s(),
                                         mesh.injection_bytes_per_s, mesh.ejection_bytes_per_s,
                                         wafer.io.bandwidth_bytes_per_s, wafer.outer->bandwidth_bytes_per_s});
    return 2 * (latency +
                transfer_time_ps(std::min<std::uint64_t>(mesh.format.full_wire_bytes(), 1 << 16), rate) +
                std::max(mesh.credit_delay_ps, wafer.outer->latency_ps));
  }
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override {
    return make_graph_fabric(wafers_params(wafer), in);
  }
  FabricTraits traits(const config::WaferSpec& wafer) const override {
    return graph_traits(wafers_params(wafer), wafer_dimensions(wafer));
  }
  Wafers wafers(const config::WaferSpec& wafer) const override {
    Wafers wafers;
    for (std::uint32_t npu = 0; npu < npus(wafer); ++npu)
      wafers.of_npu.push_back(npu / (wafer.width * wafer.height));
    wafers.count = wafer.outer->wafers;
    wafers.lookahead_ps = wafer.outer->latency_ps;  // of each link between wafers, and of its credits
    return wafers;
  }
  PlacementGrid grid(const config::WaferSpec& wafer) const override {
    return {wafer.width, wafer.height * wafer.outer->wafers, failed_npus(wafer.fabric)};
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override {
    return wafertlm::fastest_link(*wafers_graph(wafer));
  }
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override {
    return graph_traffic(in_words(wafer), wafers_params(wafer), grid(wafer));
  }
  std::string describe(const config::WaferSpec& wafer) const override {
    return describe_graph(in_words(wafer), wafers_params(wafer));
  }
  WaferDrawing drawing(const config::WaferSpec& wafer) const override {
    return {"tree", wafer.width, wafer.height};
  }

 private:
  static std::string in_words(const config::WaferSpec& wafer) {
    return fmt::format("{} wafers of {} x {}", wafer.outer->wafers, wafer.width, wafer.height);
  }
};

}  // namespace

const FabricKind& wafers_kind() {
  static const WafersKind kind;
  return kind;
}

}  // namespace wafertlm
