// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafers/wafers_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "platform/fabrics/graph/on_graph.h"
#include "platform/fabrics/wafers/outer_cable.h"
#include "platform/fabrics/wafers/wafers_graph.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

/// For collectives inside, outside and inside again: those of a wafer, and the wafers. The rate of the outer
/// dimension is what an NPU has of the controller that most share. All links of a controller to other wafers
/// share its link to its switch; an outer switch's latency counts half for either of its links.
Dimensions wafer_dimensions(const config::WaferSpec& spec, const WaferPiece& piece) {
  using Kind = FabricDimension::Kind;
  const OuterCable cable = outer_cable(*spec.outer);
  const std::uint64_t sharing = (piece.npus() + piece.controllers() - 1) / piece.controllers();
  const TimePs to_controller = piece.to_controller_ps + spec.io.latency_ps;
  FabricDimension outer{Kind::ring, spec.outer->wafers, 0, cable.latency_ps + 2 * to_controller};
  std::uint64_t at_once = 1;
  if (spec.outer->topology == config::OuterTopology::switched) {
    outer.kind = Kind::switched;
    outer.latency_ps = cable.latency_ps + to_controller + (cable.switch_pipeline_ps + 1) / 2;
  } else if (spec.outer->topology == config::OuterTopology::direct) {
    outer.kind = Kind::fully_connected;
    at_once = outer.size - 1;
  }
  outer.bytes_per_s = std::max<std::uint64_t>(
      std::min(cable.bytes_per_s, spec.io.bandwidth_bytes_per_s / at_once) / sharing, 1);
  std::vector<FabricDimension> all = piece.dimensions;
  all.push_back(outer);
  return Dimensions(std::move(all));
}

std::string in_words(const config::WaferSpec& wafer, const WaferPiece& piece) {
  return fmt::format("{} wafers of {}", wafer.outer->wafers, piece.in_words);
}

}  // namespace

FabricAbilities WafersKind::abilities(const config::FabricSpec&) const {
  FabricAbilities abilities;
  abilities.endpoint_memory = false;
  abilities.dateline_channels = true;
  return abilities;
}

std::uint32_t WafersKind::npus(const config::WaferSpec& wafer) const {
  return one_.npus(wafer) * wafer.outer->wafers;
}

std::vector<std::string> WafersKind::size_keys() const {
  std::vector<std::string> keys = one_.size_keys();
  keys.emplace_back("wafer.outer.wafers");
  return keys;
}

/// Of the slowest link with the longest latency: the graph of thousands of NPUs takes seconds.
TimePs WafersKind::horizon_ps(const config::WaferSpec& wafer) const {
  const WaferPiece of = piece(wafer);
  const config::FabricSpec& fabric = wafer.fabric;
  const OuterCable cable = outer_cable(*wafer.outer);
  TimePs latency = std::max(wafer.io.latency_ps, cable.latency_ps);
  std::uint64_t rate = std::min(wafer.io.bandwidth_bytes_per_s, cable.bytes_per_s);
  const auto add = [&](const FabricGraph::Link& link) {
    latency = std::max(latency, link.latency_ps);
    rate = std::min(rate, link.bytes_per_s);
  };
  add(of.injection);
  add(of.ejection);
  for (const FabricGraph::Link& link : of.links) add(link);
  return 2 * (latency +
              transfer_time_ps(std::min<std::uint64_t>(fabric.format.full_wire_bytes(), 1 << 16), rate) +
              std::max(fabric.credit_delay_ps, cable.credit_delay_ps));
}

std::unique_ptr<Fabric> WafersKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  return make_graph_fabric(wafers_params(wafer, piece(wafer)), in);
}

FabricTraits WafersKind::traits(const config::WaferSpec& wafer) const {
  const WaferPiece of = piece(wafer);
  return graph_traits(wafers_params(wafer, of), wafer_dimensions(wafer, of));
}

FabricLinkRate WafersKind::fastest_link(const config::WaferSpec& wafer) const {
  return wafertlm::fastest_link(*wafers_params(wafer, piece(wafer)).graph);
}

traffic::TrafficModel WafersKind::traffic(const config::WaferSpec& wafer) const {
  const WaferPiece of = piece(wafer);
  const PlacementGrid grid{of.columns, npus(wafer) / of.columns, failed_npus(wafer.fabric)};
  return graph_traffic(in_words(wafer, of), wafers_params(wafer, of), grid);
}

std::string WafersKind::describe(const config::WaferSpec& wafer) const {
  const WaferPiece of = piece(wafer);
  return describe_graph(in_words(wafer, of), wafers_params(wafer, of)) + describe_outer(*wafer.outer);
}

/// Its dead parts are refused.
WaferDrawing WafersKind::drawing(const config::WaferSpec& wafer) const {
  const WaferDrawing one = one_.drawing(wafer);
  return {"tree", one.width, one.height};
}

Wafers WafersKind::wafers(const config::WaferSpec& wafer) const {
  Wafers wafers;
  const std::uint32_t each = one_.npus(wafer);
  for (std::uint32_t npu = 0; npu < npus(wafer); ++npu) wafers.of_npu.push_back(npu / each);
  wafers.count = wafer.outer->wafers;
  const OuterCable cable = outer_cable(*wafer.outer);
  wafers.lookahead_ps = std::min(cable.latency_ps, cable.credit_delay_ps);
  return wafers;
}

}  // namespace wafertlm
