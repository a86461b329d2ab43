// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/fabrics/mesh/mesh_kind.h"

namespace wafertlm {

namespace config {
/// What meshes need to be connected to others (wafer.outer).
void check_several_wafers(const WaferSpec& wafer, const Check& check);
}  // namespace config

/// Several meshes, connected through their I/O controllers: one graph.
class WafersKind final : public MeshKind {
 public:
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return MeshKind::npus(wafer) * wafer.outer->wafers;
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  PlacementGrid grid(const config::WaferSpec& wafer) const override {
    return {wafer.width, wafer.height * wafer.outer->wafers};
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
  WaferDrawing drawing(const config::WaferSpec& wafer) const override {
    return {"tree", wafer.width, wafer.height};
  }
};

}  // namespace wafertlm
