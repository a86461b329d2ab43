// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "models/mesh/mesh_fabric.h"
#include "platform/system/fabric_kind.h"

namespace wafertlm {

/// Without I/O controllers.
MeshParams mesh_params(const config::WaferSpec& spec);
MeshParams mesh_params_with_io(const config::WaferSpec& spec);
/// The wafer's I/O controllers in the order of their numbers: by NPU, then east, west, north, south.
std::vector<IoPort> io_ports(const config::WaferSpec& spec);
FabricTraits fabric_traits(const MeshParams& mesh);

class MeshKind final : public FabricKind {
 public:
  TimePs horizon_ps(const config::WaferSpec& spec) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& spec, bool with_io,
                               const FabricSurroundings& in) const override;
  FabricTraits traits(const config::WaferSpec& spec) const override;
  PlacementGrid grid(const config::WaferSpec& spec) const override;
  Link fastest_link(const config::WaferSpec& spec) const override {
    return {spec.fabric.link_bandwidth_bytes_per_s, spec.fabric.router_pipeline_ps};
  }
  std::string describe(const config::WaferSpec& spec) const override;
};

}  // namespace wafertlm
