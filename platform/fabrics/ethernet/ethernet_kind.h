// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/ethernet/fabric/ethernet_fabric_params.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {

/// As the model wants them: with the congestion control that is named, and what follows from it.
EthernetFabricParams ethernet_params(const config::FabricSpec& fabric);

/// RoCE between NICs, through Ethernet switches (models/ethernet).
class EthernetKind final : public FabricKind {
 public:
  std::string name() const override { return "ethernet"; }
  std::string meaning() const override { return "RoCE NICs and Ethernet switches"; }
  std::any default_params() const override { return EthernetFabricParams(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override;
  std::vector<std::string> size_keys() const override { return {"wafer.fabric.network"}; }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
  const FabricResults* results() const override;
};

}  // namespace wafertlm
