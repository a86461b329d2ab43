// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "models/mesh/detour_routes.h"
#include "models/mesh/mesh_geometry.h"
#include "models/mesh/mesh_params.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

class AvoidingRouting;

/// A wafer mesh of SwitchModules with X-Y routing, which cannot deadlock (Dally and Seitz, 1987; walked by
/// the tests of RouteCheck, because that takes the square of the routers). Around parts that do not work
/// packets take DetourRoutes on the upper half of their class's channels, around links that die from the
/// router on where they meet one.
class MeshFabric final : public Fabric {
 public:
  /// With `checkers` every link gets a protocol checker. Routers are built in reverse order when `reverse` is
  /// set; the results must not change.
  /// @throws std::invalid_argument: a packet larger than half an explicit buffer; a hop without any delay;
  /// with detours, a class with an odd number of channels.
  MeshFabric(const sc_core::sc_module_name& name, const MeshParams& params, const ClassTable& classes,
             Scheduler& scheduler, CheckerSet* checkers = nullptr, bool reverse = false);

  std::uint32_t npus() const override { return geometry_.npus(); }
  std::uint32_t io_controllers() const override { return geometry_.endpoints() - geometry_.npus(); }
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  OutputParams injection_link() const override;
  OutputParams io_link() const override;
  /// Between two routers.
  OutputParams router_link(NpuId router, Direction side) const;
  const WireFormat& format() const override { return params_.format; }
  TimePs credit_delay_ps() const override { return params_.credit_delay_ps; }
  /// A link's rate: one that is faster would fill the buffer that messages for other links share.
  std::uint64_t message_bytes_per_s() const override {
    return std::min(params_.fastest_bytes_per_s(), params_.injection_bytes_per_s);
  }
  /// Messages over slow links of an NPU's router must not fill the buffer that it shares out.
  std::vector<std::uint8_t> exits(NpuId npu) const override;
  TimePs lookahead_ps() const override;
  Partition partition_of(NpuId endpoint) const override {
    return static_cast<Partition>(index_of(geometry_.router(endpoint)));
  }
  std::string switch_of(NpuId endpoint) const override;
  TimePs head_latency_ps(NpuId from, NpuId to) const override;
  std::string route_failure(NpuId from, NpuId to) const override;
  /// Of MeshParams::dying_ways.
  void avoid(const FabricLink& link, bool avoids) override;

  const MeshGeometry& geometry() const { return geometry_; }

 private:
  std::uint64_t buffer_bytes(std::uint64_t bytes_per_s, TimePs link_latency_ps, TimePs pipeline_ps,
                             std::uint32_t packets = 2) const;
  OutputParams output_params(NpuId router, Direction port) const;
  void set_wormhole(SwitchParams& router) const;
  void check_params() const;
  void bind_links(const ClassTable& classes);
  void require_no_cycle(const DetourRoutes& detours) const;
  void require_ways_around_dying() const;
  /// What the X-Y route crosses that does not work.
  std::string xy_failure(NpuId from, NpuId to) const;
  bool has_failures() const override { return params_.has_holes() || !params_.failed_npus.empty(); }

  MeshParams params_;
  const ClassTable& classes_;
  CheckerSet* checkers_;
  MeshGeometry geometry_;
  MeshRates rates_;
  std::shared_ptr<const DetourRoutes> detours_;  // around what has failed from the beginning
  std::optional<DetourRoutes> around_dying_;     // from some time on
  std::vector<AvoidingRouting*> avoiding_ = {};  // by router, with around_dying_
  std::deque<std::unique_ptr<XyRouting>> routing_;
};

}  // namespace wafertlm
