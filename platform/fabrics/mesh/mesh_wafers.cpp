// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/mesh_wafers.h"

#include <fmt/core.h>

#include "models/mesh/mesh_geometry.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/fabrics/wafers/wafers_check.h"
#include "platform/fabrics/wafers/wafers_kind.h"

namespace wafertlm {

void check_several_meshes(const config::WaferSpec& wafer, const config::Check& check) {
  const auto& mesh = wafer.fabric.as<MeshParams>();
  OneWaferKeys keys{"perimeter, or a list", {&wafer.width, &wafer.height}};
  if (!mesh.failed_links.empty()) keys.unknown.push_back(&mesh.failed_links);
  if (!mesh.failed_routers.empty()) keys.unknown.push_back(&mesh.failed_routers);
  check_several_wafers(wafer, keys, check);
}

namespace {

/// Along rows first: of equally short ways that over the first link is taken.
std::vector<FabricGraph::Link> mesh_links(const config::WaferSpec& spec, const MeshParams& mesh) {
  std::vector<FabricGraph::Link> links;
  const std::uint32_t all = spec.width * spec.height;
  for (std::uint32_t n = 0; n < all; ++n)
    if (n % spec.width + 1 < spec.width)
      links.push_back({n, n + 1, mesh.link_bytes_per_s, mesh.link_latency_ps});
  for (std::uint32_t n = 0; n + spec.width < all; ++n)
    links.push_back({n, n + spec.width, mesh.vertical_bytes_per_s(), mesh.link_latency_ps});
  return links;
}

class SeveralMeshes final : public WafersKind {
 public:
  using WafersKind::WafersKind;

  WaferPiece piece(const config::WaferSpec& wafer) const override {
    using Kind = FabricDimension::Kind;
    const auto mesh = wafer.fabric.complete<MeshParams>();
    WaferPiece piece;
    for (std::uint32_t n = 0; n < wafer.width * wafer.height; ++n) {
      piece.switches.push_back({"router" + std::to_string(n), mesh.router_pipeline_ps});
      piece.switch_of_npu.push_back(n);
    }
    piece.links = mesh_links(wafer, mesh);
    piece.injection = {0, 0, mesh.injection_bytes_per_s, mesh.injection_latency_ps};
    piece.ejection = {0, 0, mesh.ejection_bytes_per_s, mesh.ejection_latency_ps};
    for (const IoPort& port : io_ports(wafer))
      piece.switch_of_controller.push_back(static_cast<std::uint32_t>(port.npu));
    piece.way = [geometry = MeshGeometry(wafer.width, wafer.height)](std::uint32_t from, std::uint32_t to) {
      std::vector<std::uint32_t> way;
      for (const NpuId at : geometry.route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
        way.push_back(static_cast<std::uint32_t>(at));
      return way;
    };
    const TimePs hop = mesh.link_latency_ps + mesh.router_pipeline_ps;
    piece.dimensions = {{Kind::line, wafer.width, mesh.link_bytes_per_s, hop},
                        {Kind::line, wafer.height, mesh.vertical_bytes_per_s(), hop}};
    piece.columns = wafer.width;
    piece.in_words = fmt::format("{} x {}", wafer.width, wafer.height);
    return piece;
  }
  PlacementGrid grid(const config::WaferSpec& wafer) const override {
    return {wafer.width, wafer.height * wafer.outer->wafers, failed_npus(wafer.fabric)};
  }
};

}  // namespace

const FabricKind& several_meshes() {
  static const MeshKind one;
  static const SeveralMeshes kind(one);
  return kind;
}

}  // namespace wafertlm
