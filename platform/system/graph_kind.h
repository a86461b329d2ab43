// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/system/fabric_kind.h"
#include "tlm/fabric_graph.h"

namespace wafertlm {

class GraphKind final : public FabricKind {
 public:
  TimePs horizon_ps(const config::WaferSpec& spec) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& spec, bool with_io,
                               const FabricSurroundings& in) const override;
  FabricTraits traits(const config::WaferSpec& spec) const override;
  /// One row.
  PlacementGrid grid(const config::WaferSpec& spec) const override;
  Link fastest_link(const config::WaferSpec& spec) const override;
  std::string describe(const config::WaferSpec& spec) const override;
};

}  // namespace wafertlm
