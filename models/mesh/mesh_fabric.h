// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {

struct MeshParams {
  std::uint32_t width = 0, height = 0;
  std::uint64_t link_bytes_per_s = 0;
  TimePs link_latency_ps = 0;
  TimePs router_pipeline_ps = 0;
  TimePs credit_delay_ps = 0;
  std::uint64_t injection_bytes_per_s = 0, ejection_bytes_per_s = 0;
  TimePs injection_latency_ps = 0, ejection_latency_ps = 0;
  WireFormat format;
  InputQueue input_queue = InputQueue::per_output;
  std::uint64_t buffer_bytes = 0;  ///< per virtual channel and input; 0: auto
};

/// Room that keeps a link of this speed busy: bandwidth × round trip (link, router, credit) + 2 packets.
std::uint64_t auto_buffer_bytes(std::uint64_t bytes_per_s, TimePs round_trip_ps, const WireFormat& format);

/// Links of the mesh and the switch ports at their ends, for results and for the check of the routes.
struct MeshLink {
  std::string name;
  std::size_t router;  ///< that sends
  PortId output;
  bool to_npu;
};

/// A wafer mesh of SwitchModules with X-Y routing.
class MeshFabric : public sc_core::sc_module {
 public:
  /// Builds the routers in reverse order when `reverse` is set; the results must not change.
  /// @throws std::invalid_argument: a packet larger than half an explicit buffer; a hop without any delay; a
  /// cycle in the channel dependencies of the routes.
  MeshFabric(const sc_core::sc_module_name& name, const MeshParams& params, const ClassTable& classes,
             Scheduler& scheduler, bool reverse = false);

  /// Bind the NPU's injection port to this.
  FabricTargetSocket& injection(NpuId npu);
  /// Bind this to the NPU's ejection port.
  FabricInitiatorSocket& ejection(NpuId npu);

  /// The link from an NPU into its router: speed, latency and the router's buffer.
  OutputParams injection_link() const;

  const MeshParams& params() const { return params_; }
  const MeshGeometry& geometry() const { return geometry_; }
  const std::vector<MeshLink>& links() const { return links_; }
  const SwitchModule& router(std::size_t index) const { return *routers_[index]; }
  std::size_t routers() const { return routers_.size(); }
  /// Packets crossed over all router outputs so far.
  std::uint64_t packet_hops() const;

 private:
  std::uint64_t buffer_bytes(std::uint64_t bytes_per_s, TimePs link_latency_ps, TimePs pipeline_ps) const;
  SwitchParams switch_params(const std::vector<Direction>& ports) const;
  void check_routes() const;

  MeshParams params_;
  MeshGeometry geometry_;
  std::deque<XyRouting> routing_;
  std::vector<std::unique_ptr<SwitchModule>> routers_;
  std::vector<MeshLink> links_;
};

}  // namespace wafertlm
