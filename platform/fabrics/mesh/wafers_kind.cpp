// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/wafers_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platform/describe/struct_type.h"
#include "platform/fabrics/graph/on_graph.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/fabrics/mesh/outer_cable.h"
#include "platform/fabrics/mesh/wafers_graph.h"
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
  if (const std::uint64_t headroom = outer_headroom_bytes(*wafer.outer);
      fabric.buffer_bytes != 0 && fabric.buffer_bytes < headroom)
    check.fail(
        {&fabric.buffer_bytes, &wafer.outer->ethernet},
        "Ethernet between wafers would lose frames, for a pause takes effect {} B later; take auto, or "
        "that much",
        headroom);
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

/// For collectives inside, outside and inside again: columns, rows and wafers. The rate of the outer
/// dimension is what an NPU has of the controller that most share. All links of a controller to other wafers
/// share its link to its router; a switch's latency counts half for either of its links.
Dimensions wafer_dimensions(const config::WaferSpec& spec) {
  using Kind = FabricDimension::Kind;
  const auto fabric = spec.fabric.complete<MeshParams>();
  const TimePs hop = fabric.link_latency_ps + fabric.router_pipeline_ps;
  const OuterCable cable = outer_cable(*spec.outer);
  const std::uint64_t controllers = io_ports(spec).size(), npus = std::uint64_t{spec.width} * spec.height,
                      sharing = (npus + controllers - 1) / controllers;
  FabricDimension outer{Kind::ring, spec.outer->wafers, 0, cable.latency_ps + 2 * spec.io.latency_ps};
  std::uint64_t at_once = 1;
  if (spec.outer->topology == config::OuterTopology::switched) {
    outer.kind = Kind::switched;
    outer.latency_ps = cable.latency_ps + spec.io.latency_ps + (cable.switch_pipeline_ps + 1) / 2;
  } else if (spec.outer->topology == config::OuterTopology::direct) {
    outer.kind = Kind::fully_connected;
    at_once = outer.size - 1;
  }
  outer.bytes_per_s = std::max<std::uint64_t>(
      std::min(cable.bytes_per_s, spec.io.bandwidth_bytes_per_s / at_once) / sharing, 1);
  return Dimensions({{Kind::line, spec.width, fabric.link_bytes_per_s, hop},
                     {Kind::line, spec.height, fabric.vertical_bytes_per_s(), hop},
                     outer});
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
    const OuterCable cable = outer_cable(*wafer.outer);
    const TimePs latency = std::max({mesh.link_latency_ps, mesh.injection_latency_ps,
                                     mesh.ejection_latency_ps, wafer.io.latency_ps, cable.latency_ps});
    const std::uint64_t rate =
        std::min({mesh.link_bytes_per_s, mesh.vertical_bytes_per_s(), mesh.injection_bytes_per_s,
                  mesh.ejection_bytes_per_s, wafer.io.bandwidth_bytes_per_s, cable.bytes_per_s});
    return 2 * (latency +
                transfer_time_ps(std::min<std::uint64_t>(mesh.format.full_wire_bytes(), 1 << 16), rate) +
                std::max(mesh.credit_delay_ps, cable.credit_delay_ps));
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
    const OuterCable cable = outer_cable(*wafer.outer);
    wafers.lookahead_ps = std::min(cable.latency_ps, cable.credit_delay_ps);
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
    return describe_graph(in_words(wafer), wafers_params(wafer)) + describe_outer(*wafer.outer);
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
