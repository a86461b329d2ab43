// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dimensional/dimensional_fabric.h"
#include "platform/system/fabric_kind.h"

namespace wafertlm {

DimensionalParams dimensional_params(const config::WaferSpec& spec);
/// Classes with two channels for each: rings need the second ones behind their datelines.
config::FabricSpec with_dateline_channels(const config::WaferSpec& wafer);
HierarchyOptions hierarchy_options(const config::PlatformSpec& spec);

class DimensionalKind final : public FabricKind {
 public:
  TimePs horizon_ps(const config::WaferSpec& spec) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& spec, bool with_io,
                               const FabricSurroundings& in) const override;
  FabricTraits traits(const config::WaferSpec& spec) const override;
  /// Dimension 0 by all others.
  PlacementGrid grid(const config::WaferSpec& spec) const override;
  Link fastest_link(const config::WaferSpec& spec) const override;
  std::string describe(const config::WaferSpec& spec) const override;
};

}  // namespace wafertlm
