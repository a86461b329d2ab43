// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "tlm/checking.h"
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
  /// Links whose traffic an injection and an ejection port can carry at the same time; buffers `auto` have
  /// room for their packets.
  std::uint32_t injection_streams = 1, ejection_streams = 1;
  std::vector<std::pair<NpuId, NpuId>> failed_links;  ///< neighbours; both directions
  std::vector<NpuId> failed_routers;
  std::vector<IoPort> io;  ///< controller k is the endpoint width × height + k
  std::uint64_t io_bytes_per_s = 0;
  TimePs io_latency_ps = 0;
};

/// Room that keeps a link of this speed busy: bandwidth × round trip (link, router, credit) + packets.
std::uint64_t auto_buffer_bytes(std::uint64_t bytes_per_s, TimePs round_trip_ps, const WireFormat& format,
                                std::uint32_t packets = 2);

/// Links of the mesh and the switch ports at their ends, for results and for the check of the routes.
struct MeshLink {
  std::string name;
  std::size_t router;  ///< that sends
  PortId output;
  bool exit;  ///< to an NPU or an I/O controller
};

/// A wafer mesh of SwitchModules with X-Y routing.
class MeshFabric : public sc_core::sc_module {
 public:
  /// With `checkers` every link gets a protocol checker. Routers are built in reverse order when `reverse` is
  /// set; the results must not change.
  /// @throws std::invalid_argument: a packet larger than half an explicit buffer; a hop without any delay; a
  /// cycle in the channel dependencies of the routes.
  MeshFabric(const sc_core::sc_module_name& name, const MeshParams& params, const ClassTable& classes,
             Scheduler& scheduler, CheckerSet* checkers = nullptr, bool reverse = false);

  /// Binds the fabric sockets of an NPU or an I/O controller to its router.
  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric);
  /// The link from an NPU, and from an I/O controller, into its router: speed, latency and the router's
  /// buffer.
  OutputParams injection_link() const;
  /// Between two routers.
  OutputParams router_link() const;
  OutputParams io_link() const;
  /// "npu7", "io3": as in the names of links.
  std::string endpoint_name(NpuId endpoint) const;

  /// Why packets cannot go from one NPU to the other (a failed router or link on the X-Y route); empty if
  /// they can.
  std::string route_failure(NpuId from, NpuId to) const;
  /// @throws std::invalid_argument if one of these endpoints cannot reach another.
  void require_routes(const std::vector<NpuId>& endpoints) const;
  /// Latency of the head over an idle route: injection, routers and links, ejection.
  TimePs head_latency_ps(NpuId from, NpuId to) const;

  const MeshParams& params() const { return params_; }
  const MeshGeometry& geometry() const { return geometry_; }
  const std::vector<MeshLink>& links() const { return links_; }
  const OutputCounters& counters(const MeshLink& link) const {
    return routers_[link.router]->core().counters(link.output);
  }
  std::uint64_t bytes_per_s(const MeshLink& link) const {
    return routers_[link.router]->core().bytes_per_s(link.output);
  }
  /// Tells `observer` about every packet that leaves a router; the number of a switch is its NPU's.
  void observe(LinkObserver& observer);

  /// Packets that crossed a router, over all of them.
  std::uint64_t packet_hops() const;
  /// Packets waiting in routers, and credits that are not home, in bytes: both 0 when the fabric is at rest.
  std::uint64_t queued_packets() const;
  std::uint64_t outstanding_credits() const;

 private:
  std::uint64_t buffer_bytes(std::uint64_t bytes_per_s, TimePs link_latency_ps, TimePs pipeline_ps,
                             std::uint32_t packets = 2) const;
  OutputParams output_params(NpuId router, Direction port) const;
  void check_params() const;
  void bind_links(const ClassTable& classes);
  void check_routes() const;

  MeshParams params_;
  const ClassTable& classes_;
  CheckerSet* checkers_;
  MeshGeometry geometry_;
  std::deque<XyRouting> routing_;
  std::vector<std::unique_ptr<SwitchModule>> routers_;
  std::vector<MeshLink> links_;
};

}  // namespace wafertlm
