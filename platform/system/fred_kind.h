// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/fred_fabric.h"
#include "platform/system/fabric_kind.h"

namespace wafertlm {

FredParams fred_params(const config::WaferSpec& spec, bool with_io);

class FredKind final : public FabricKind {
 public:
  TimePs horizon_ps(const config::WaferSpec& spec) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& spec, bool with_io,
                               const FabricSurroundings& in) const override;
  FabricTraits traits(const config::WaferSpec& spec) const override;
  /// One line of NPUs: a placement fills the L1 switches one after the other.
  PlacementGrid grid(const config::WaferSpec& spec) const override;
  Link fastest_link(const config::WaferSpec& spec) const override;
  std::string describe(const config::WaferSpec& spec) const override;
};

}  // namespace wafertlm
