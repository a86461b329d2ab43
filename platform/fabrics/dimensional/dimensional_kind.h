// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dimensional/dimensional_params.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {

DimensionalParams dimensional_params(const config::WaferSpec& wafer);

/// Rings, switches and others, one in each dimension (tlm/shape/dimensions.h).
class DimensionalKind final : public FabricKind {
 public:
  std::string name() const override { return "dimensional"; }
  std::string meaning() const override { return "rings, switches and others, one in each dimension"; }
  std::any default_params() const override { return DimensionalParams(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override;
  std::vector<std::string> size_keys() const override { return {"wafer.fabric.dimensions[0].size"}; }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  /// Dimension 0 by all others.
  PlacementGrid grid(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
};

}  // namespace wafertlm
