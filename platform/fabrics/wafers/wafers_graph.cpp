// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafers/wafers_graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "platform/fabrics/graph/on_graph.h"
#include "platform/fabrics/wafers/outer_cable.h"

namespace wafertlm {
namespace {

/// Numbers of rings: within the wafers, with the way to controllers; around the wafers up, and down.
constexpr std::uint16_t kInside = 1, kUp = 2, kDown = 3;

class WafersBuilder {
 public:
  WafersBuilder(const config::WaferSpec& spec, const WaferPiece& piece)
      : spec_(spec),
        piece_(piece),
        cable_(outer_cable(*spec.outer)),
        wafers_(spec.outer->wafers),
        npus_(wafers_ * piece.npus()),
        switches_(static_cast<std::uint32_t>(piece.switches.size())),
        users_(piece.controllers()) {}

  std::shared_ptr<const FabricGraph> graph() {
    std::vector<FabricGraph::Vertex> all = vertices();
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) add_wafer(wafer);
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) add_controllers(wafer);
    for (std::uint32_t k = 0; k < piece_.controllers(); ++k) add_outer(k);
    for (std::uint32_t n = 0; n < piece_.npus(); ++n) add_routes(n, controller_of(n));
    return std::make_shared<const FabricGraph>(npus_, std::move(all), std::move(links_), piece_.ways,
                                               routes_);
  }

  /// In the order of the vertices; switches between wafers are dealt out.
  std::vector<std::uint32_t> wafer_of(std::size_t vertices) const {
    std::vector<std::uint32_t> wafer_of;
    for (const std::uint32_t each : {piece_.npus(), switches_, piece_.controllers()})
      for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) wafer_of.insert(wafer_of.end(), each, wafer);
    while (wafer_of.size() < vertices)
      wafer_of.push_back(static_cast<std::uint32_t>(wafer_of.size()) % wafers_);
    return wafer_of;
  }
  std::uint32_t first_controller() const { return controller(0, 0); }

 private:
  std::uint32_t inner(std::uint32_t wafer, std::uint32_t n) const { return npus_ + wafer * switches_ + n; }
  std::uint32_t controller(std::uint32_t wafer, std::uint32_t k) const {
    return npus_ + wafers_ * switches_ + wafer * piece_.controllers() + k;
  }
  std::uint32_t outer_switch(std::uint32_t k) const { return controller(wafers_, k); }

  std::vector<FabricGraph::Vertex> vertices() const {
    std::vector<FabricGraph::Vertex> vertices;
    for (std::uint32_t npu = 0; npu < npus_; ++npu) vertices.push_back({"npu" + std::to_string(npu), 0});
    const auto on = [](std::uint32_t wafer, const std::string& name) {
      return "wafer" + std::to_string(wafer) + "_" + name;
    };
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer)
      for (const FabricGraph::Vertex& each : piece_.switches)
        vertices.push_back({on(wafer, each.name), each.pipeline_ps});
    for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer)
      for (std::uint32_t k = 0; k < piece_.controllers(); ++k)
        vertices.push_back({on(wafer, "io" + std::to_string(k)), 0});
    if (spec_.outer->topology == config::OuterTopology::switched)
      for (std::uint32_t k = 0; k < piece_.controllers(); ++k)
        vertices.push_back({"outer_switch" + std::to_string(k), cable_.switch_pipeline_ps});
    return vertices;
  }

  void add(FabricGraph::Link link, std::uint32_t from, std::uint32_t to, std::uint16_t ring) {
    link.from = from;
    link.to = to;
    link.ring = ring;
    links_.push_back(link);
  }
  void add_outer_link(std::uint32_t from, std::uint32_t to, std::uint16_t ring = 0, bool dateline = false) {
    links_.push_back(
        {from, to, cable_.bytes_per_s, cable_.latency_ps, ring, dateline, false, cable_.credit_delay_ps});
  }

  void add_wafer(std::uint32_t wafer) {
    if (piece_.npus_first) add_npus(wafer);
    for (const FabricGraph::Link& link : piece_.links) {
      add(link, inner(wafer, link.from), inner(wafer, link.to), kInside);
      add(link, inner(wafer, link.to), inner(wafer, link.from), kInside);
    }
    if (!piece_.npus_first) add_npus(wafer);
  }
  void add_npus(std::uint32_t wafer) {
    for (std::uint32_t n = 0; n < piece_.npus(); ++n) {
      const std::uint32_t npu = wafer * piece_.npus() + n, at = inner(wafer, piece_.switch_of_npu[n]);
      add(piece_.injection, npu, at, 0);
      add(piece_.ejection, at, npu, 0);
    }
  }

  /// Who comes in has crossed the dateline.
  void add_controllers(std::uint32_t wafer) {
    for (std::uint32_t k = 0; k < piece_.controllers(); ++k) {
      const std::uint32_t at = inner(wafer, piece_.switch_of_controller[k]), own = controller(wafer, k);
      links_.push_back({at, own, spec_.io.bandwidth_bytes_per_s, spec_.io.latency_ps, kInside, false});
      links_.push_back({own, at, spec_.io.bandwidth_bytes_per_s, spec_.io.latency_ps, kInside, true});
    }
  }

  void add_outer(std::uint32_t k) {
    switch (spec_.outer->topology) {
      case config::OuterTopology::switched:
        for (std::uint32_t wafer = 0; wafer < wafers_; ++wafer) {
          add_outer_link(controller(wafer, k), outer_switch(k));
          add_outer_link(outer_switch(k), controller(wafer, k));
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
      return std::pair(users_[k], piece_.way(piece_.switch_of_npu[n], piece_.switch_of_controller[k]).size());
    };
    for (std::uint32_t k = 1; k < piece_.controllers(); ++k)
      if (cost(k) < cost(best)) best = k;
    ++users_[best];
    return best;
  }

  void go(std::vector<std::uint32_t>& route, std::uint32_t wafer, std::uint32_t from,
          std::uint32_t to) const {
    for (const std::uint32_t at : piece_.way(from, to)) route.push_back(inner(wafer, at));
  }

  /// What a route passes between the controllers k of two wafers.
  void add_between(std::vector<std::uint32_t>& route, std::uint32_t from, std::uint32_t to,
                   std::uint32_t k) const {
    if (spec_.outer->topology == config::OuterTopology::switched) route.push_back(outer_switch(k));
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
    const std::uint32_t own = piece_.switch_of_npu[n], at = piece_.switch_of_controller[k];
    for (std::uint32_t from = 0; from < wafers_; ++from)
      for (std::uint32_t to = 0; to < wafers_; ++to) {
        if (from == to) continue;
        std::vector<std::uint32_t> route{from * piece_.npus() + n};
        go(route, from, own, at);
        route.push_back(controller(from, k));
        add_between(route, from, to, k);
        route.push_back(controller(to, k));
        go(route, to, at, own);
        route.push_back(to * piece_.npus() + n);
        routes_.push_back(std::move(route));
      }
  }

  const config::WaferSpec& spec_;
  const WaferPiece& piece_;
  OuterCable cable_;
  std::uint32_t wafers_, npus_, switches_;  // switches: of a wafer
  std::vector<FabricGraph::Link> links_;
  std::vector<std::vector<std::uint32_t>> routes_;
  std::vector<std::uint32_t> users_;  // by controller: NPU numbers that go over it
};

/// As WaferPiece::ports_as_alone says.
std::vector<std::uint8_t> exits(const FabricGraph& graph, std::uint32_t first_controller, NpuId from) {
  std::vector<std::uint8_t> exits(graph.npus());
  const std::uint32_t own = graph.cluster_of(from);
  for (std::uint32_t npu = 0; npu < graph.npus(); ++npu) {
    const auto to = static_cast<NpuId>(npu);
    if (graph.cluster_of(to) == own) continue;
    exits[npu] = graph.links()[graph.next_link(own, from, to)].to < first_controller ? 1 : 2;
  }
  return exits;
}

}  // namespace

GraphParams wafers_params(const config::WaferSpec& spec, const WaferPiece& piece) {
  WafersBuilder builder(spec, piece);
  GraphParams params = graph_params(spec.fabric, builder.graph());
  params.wafer_of = builder.wafer_of(params.graph->vertices().size());
  params.message_bytes_per_s = piece.message_bytes_per_s;
  params.npus_on_lower_half = piece.ports_as_alone;
  if (piece.ports_as_alone)
    params.exits = [graph = params.graph, first = builder.first_controller()](NpuId from) {
      return exits(*graph, first, from);
    };
  return params;
}

}  // namespace wafertlm
