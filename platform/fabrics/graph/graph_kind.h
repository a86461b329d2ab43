// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/wafer_spec.h"
#include "platform/fabrics/fabric_kind.h"
#include "platform/fabrics/graph/graph_spec.h"
#include "tlm/fabric_graph.h"

namespace wafertlm {

/// A list of links (tlm/fabric_graph.h).
class GraphKind final : public FabricKind {
 public:
  std::string name() const override { return "graph"; }
  std::string meaning() const override { return "a list of links"; }
  std::any default_params() const override { return config::GraphSpec(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return wafer.fabric.as<config::GraphSpec>().npus;
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
};

}  // namespace wafertlm
