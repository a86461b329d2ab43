// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/fabric_kind.h"
#include "platform/spec/wafer_spec.h"
#include "star_params.h"

namespace wafertlm::star {

/// A kind of fabric that is not in the library: the example of a fabric of one's own.
class StarKind final : public FabricKind {
 public:
  std::string name() const override { return "star"; }
  std::string meaning() const override { return "NPUs around one switch"; }
  std::any default_params() const override { return StarParams(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override;
  void check(const config::FabricSpec& fabric, const config::Check& check) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return wafer.fabric.as<StarParams>().npus;
  }
  std::vector<std::string> size_keys() const override { return {"wafer.fabric.npus"}; }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
};

}  // namespace wafertlm::star
