// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "models/mesh/mesh_params.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {

/// With the parts that do not work; without the sides and I/O controllers.
MeshParams mesh_params(const config::FabricSpec& fabric);
/// Without I/O controllers.
MeshParams mesh_params(const config::WaferSpec& wafer);
MeshParams mesh_params_with_io(const config::WaferSpec& wafer);
/// The whole wafer's I/O controllers: by NPU, then east, west, north, south.
std::vector<IoPort> all_io_ports(const config::WaferSpec& wafer);
/// Those that work, in the order of their numbers; on a router that does not they do not.
std::vector<IoPort> io_ports(const config::WaferSpec& wafer);
FabricTraits fabric_traits(const MeshParams& mesh);

/// A grid of routers, an NPU on each.
class MeshKind : public FabricKind {
 public:
  std::string name() const override { return "mesh"; }
  std::string meaning() const override { return "a grid of routers"; }
  std::any default_params() const override;
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  void check_wafer(const config::WaferSpec& wafer, const config::Check& check) const override;
  FabricAbilities abilities(const config::FabricSpec& fabric) const override {
    FabricAbilities abilities;
    abilities.input_starts = true;
    KnownDefects& known = abilities.defects;
    known.routers = known.links = known.slow_links = known.io = known.drawn = true;
    abilities.reroutes = true;
    const MeshParams mesh = mesh_params(fabric);
    abilities.dateline_channels = mesh.has_detours() || !mesh.dying_ways.empty();
    return abilities;
  }
  std::uint32_t npus(const config::WaferSpec& wafer) const override { return wafer.width * wafer.height; }
  std::vector<std::string> size_keys() const override { return {"wafer.width", "wafer.height"}; }
  std::vector<NpuId> failed_npus(const config::FabricSpec& fabric) const override {
    return mesh_params(fabric).idle_npus();
  }
  void prepare_detours(config::WaferSpec& wafer, const std::vector<std::string>& ways) const override;
  std::string wafer_name(const config::WaferSpec& wafer) const override;
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  PlacementGrid grid(const config::WaferSpec& wafer) const override {
    return {wafer.width, wafer.height, failed_npus(wafer.fabric)};
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
  WaferDrawing drawing(const config::WaferSpec& wafer) const override;
  const FabricKind& of_several_wafers() const override;
};

}  // namespace wafertlm
