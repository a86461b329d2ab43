// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/fabrics/wafers/wafer_piece.h"
#include "platform/spec/fabric_kind.h"

namespace wafertlm {

/// Several wafers of a kind, connected through their I/O controllers: one graph. The keys, and the rules
/// between them, are those of the kind.
class WafersKind : public FabricKind {
 public:
  /// `one` must outlive it.
  explicit WafersKind(const FabricKind& one) : one_(one) {}

  /// One wafer, with its I/O controllers.
  virtual WaferPiece piece(const config::WaferSpec& wafer) const = 0;

  std::string name() const override { return one_.name(); }
  std::string meaning() const override { return one_.meaning(); }
  std::any default_params() const override { return one_.default_params(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override { one_.add_keys(fabric); }
  void check(const config::FabricSpec& fabric, const config::Check& check) const override {
    one_.check(fabric, check);
  }
  void check_wafer(const config::WaferSpec& wafer, const config::Check& check) const override {
    one_.check_wafer(wafer, check);
  }
  FabricAbilities abilities(const config::FabricSpec& fabric) const override;
  std::uint32_t npus(const config::WaferSpec& wafer) const override;
  std::vector<std::string> size_keys() const override;
  std::vector<NpuId> failed_npus(const config::FabricSpec& fabric) const override {
    return one_.failed_npus(fabric);
  }
  std::string wafer_name(const config::WaferSpec& wafer) const override { return one_.wafer_name(wafer); }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override;
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override;
  FabricTraits traits(const config::WaferSpec& wafer) const override;
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override;
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override;
  std::string describe(const config::WaferSpec& wafer) const override;
  WaferDrawing drawing(const config::WaferSpec& wafer) const override;
  Wafers wafers(const config::WaferSpec& wafer) const override;

 private:
  const FabricKind& one_;
};

}  // namespace wafertlm
