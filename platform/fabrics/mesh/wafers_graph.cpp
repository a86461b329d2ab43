// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/wafers_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/fabrics/mesh/outer_cable.h"

namespace wafertlm {
namespace {

/// Numbers of rings: routers and the way to controllers; around the wafers up, and down.
constexpr std::uint16_t kInside = 1, kUp = 2, kDown = 3;

class WafersBuilder {
 public:
  explicit WafersBuilder(const config::WaferSpec& spec)
      : spec_(spec),
        geometry_(spec.width, spec.height),
        ports_(io_ports(spec)),
        cable_(outer_cable(*spec.outer)),
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
        vertices.push_back({"outer_switch" + std::to_string(k), cable_.switch_pipeline_ps});
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
  void add_outer_link(std::uint32_t from, std::uint32_t to, std::uint16_t ring = 0, bool dateline = false) {
    links_.push_back(
        {from, to, cable_.bytes_per_s, cable_.latency_ps, ring, dateline, false, cable_.credit_delay_ps});
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
    switch (spec_.outer->topology) {
      case config::OuterTopology::switched:
        for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) {
          add_outer_link(controller(wafer, k), controller(wafers_, 0) + k);
          add_outer_link(controller(wafers_, 0) + k, controller(wafer, k));
        }
        return;
      case config::OuterTopology::direct:
        for (std::uint32_t from = 0; from < wafers_; ++from)
          for (std::uint32_t to = 0; to < wafers_; ++to)
            if (from != to) add_outer_link(controller(from, k), controller(to, k));
        return;
      case config::OuterTopology::ring:
        for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) {
          const std::uint32_t next = (wafer + 1) % wafers_, here = controller(wafer, k);
          const bool closes = next == 0;
          if (wafers_ == 2 && closes) return;  // the same two again
          add_outer_link(here, controller(next, k), kUp, closes);
          add_outer_link(controller(next, k), here, kDown, closes);
        }
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

  /// What a route passes between the controllers k of two wafers.
  void add_between(std::vector<std::uint32_t>& route, std::uint32_t from, std::uint32_t to,
                   std::uint32_t k) const {
    if (spec_.outer->topology == config::OuterTopology::switched) route.push_back(controller(wafers_, 0) + k);
    if (spec_.outer->topology != config::OuterTopology::ring) return;
    const std::uint32_t up = (to + wafers_ - from) % wafers_;
    const bool next = 2 * up == wafers_ ? from % 2 == 0 : 2 * up < wafers_;
    for (std::uint32_t wafer = from; wafer != to;) {
      wafer = (wafer + (next ? 1 : wafers_ - 1)) % wafers_;
      if (wafer != to) route.push_back(controller(wafer, k));
    }
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
        add_between(route, from, to, k);
        route.push_back(controller(to, k));
        go(route, to, at, n);
        route.push_back(to * mesh_ + n);
        routes_.push_back(std::move(route));
      }
  }

  const config::WaferSpec& spec_;
  MeshGeometry geometry_;
  std::vector<IoPort> ports_;
  OuterCable cable_;
  std::uint32_t wafers_, mesh_, npus_;
  std::vector<FabricGraph::Link> links_;
  std::vector<std::vector<std::uint32_t>> routes_;
  std::vector<std::uint32_t> users_;  // by controller: NPU numbers that go over it
};

}  // namespace

std::shared_ptr<const FabricGraph> wafers_graph(const config::WaferSpec& spec) {
  return WafersBuilder(spec).graph();
}

}  // namespace wafertlm
