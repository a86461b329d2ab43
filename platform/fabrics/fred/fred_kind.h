// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/fred_params.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/traffic/channel_load.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {

namespace config {
/// The keys of `dead`.
std::shared_ptr<const Struct<DeadChips>> dead_chips_type();
/// The rules of the physical view of a FRED wafer.
void check_fred_chips(const FabricSpec& fabric, const Check& check);
/// Of wafer.defects.chips.
void check_fred_defects(const FabricSpec& fabric, const Check& check);
}  // namespace config

FredParams fred_params(const config::WaferSpec& wafer, bool with_io);

/// What a pattern asks of the links of a tree of switches: packets go up to the first common switch and down
/// again. A cycle is the time of a flit at an NPU's port. Links in the order of FredFabric::links(), then
/// injection.
traffic::ChannelLoads fred_channel_loads(const FredParams& fred, const traffic::Pattern& pattern);

/// A tree of FRED switches.
class FredKind final : public FabricKind {
 public:
  std::string name() const override { return "fred"; }
  std::string meaning() const override { return "a tree of FRED switches"; }
  std::any default_params() const override { return FredParams(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  void check_wafer(const config::WaferSpec& wafer, const config::Check& check) const override;
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return wafer.fabric.as<FredParams>().geometry.npus();
  }
  std::vector<std::string> size_keys() const override {
    return {"wafer.fabric.l1_switches", "wafer.fabric.npus_per_l1"};
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
  const FabricKind& of_several_wafers() const override;
};

}  // namespace wafertlm
