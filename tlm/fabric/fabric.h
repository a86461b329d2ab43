// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/checking/checking.h"
#include "tlm/kernel/module_list.h"
#include "tlm/link/route_check.h"
#include "tlm/link/switch_module.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/message_service.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// A link of a fabric and the switch port at its beginning, for results.
struct FabricLink {
  std::string name;
  std::size_t from;  ///< number of the switch that sends
  PortId output;
  bool exit;  ///< to an NPU or an I/O controller, or from one
};

/// Room that keeps a link of this speed busy: bandwidth × round trip (link, switch, credit) + packets, more
/// than two if several streams share the room.
std::uint64_t auto_buffer_bytes(std::uint64_t bytes_per_s, TimePs round_trip_ps, const WireFormat& format,
                                std::uint64_t packets = 2);

/// What all fabrics have in common: switches, the links between them, and endpoints that are bound to them.
/// Endpoints 0 … npus() − 1 are the NPUs, behind them come the I/O controllers.
class Fabric : public sc_core::sc_module {
 public:
  virtual std::uint32_t npus() const = 0;
  virtual std::uint32_t io_controllers() const = 0;
  std::uint32_t endpoints() const { return npus() + io_controllers(); }

  /// Binds the fabric sockets of an NPU or an I/O controller to its switch.
  virtual void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) = 0;
  /// The link from an NPU, and from an I/O controller, into its switch: speed, latency and the switch's
  /// buffer.
  virtual OutputParams injection_link() const = 0;
  virtual OutputParams io_link() const = 0;
  /// Of one NPU, where they differ.
  virtual OutputParams npu_link(NpuId) const { return injection_link(); }
  virtual const WireFormat& format() const = 0;
  /// Tail out → room known upstream; endpoints keep to it too.
  virtual TimePs credit_delay_ps() const = 0;
  /// How fast one message of an NPU should leave it at most.
  virtual std::uint64_t message_bytes_per_s() const = 0;
  virtual std::uint64_t message_bytes_per_s_of(NpuId) const { return message_bytes_per_s(); }
  /// Of each destination: through which exit of its first switch an NPU's packets leave, 0, 1 or 2, if these
  /// should have a window of packets each in the buffer there; or slow exits 0 to 3, and 255 for the others,
  /// which have none; else empty.
  virtual std::vector<std::uint8_t> exits(NpuId) const { return {}; }
  /// NPUs send on the lower half of a class's channels: the upper one is for packets behind a dateline.
  virtual bool sends_on_lower_half() const { return false; }

  /// Of a fabric whose NPUs have a port per link: the routes and the number of outputs of the NPU's first
  /// switch, which is a part of it. Null: one port.
  virtual const RouteFunction* port_routes(NpuId) const { return nullptr; }
  virtual std::uint32_t ports(NpuId) const { return 0; }

  /// Who carries whole messages in place of packets; null: the fabric's switches carry packets.
  virtual MessageService* messages() { return nullptr; }

  /// "npu7", "io3": as in the names of links.
  std::string endpoint_name(NpuId endpoint) const;
  /// Packets to a destination are striped over several ways, by Packet::lane.
  virtual bool striped() const { return false; }
  /// The link between an endpoint and what it is bound to is a wire, and not a part of the endpoint.
  virtual bool injection_is_wire() const { return true; }

  /// What happens at one switch reaches another not before so much later; 0: somewhere it may at once. Then
  /// the scheduler must not have windows. It may change in the course of a run.
  virtual TimePs lookahead_ps() const { return 0; }
  /// The region of an endpoint's switch, which is its own, too.
  virtual Partition partition_of(NpuId) const { return kNoPartition; }
  /// The switch that an endpoint is bound to: "router7".
  virtual std::string switch_of(NpuId endpoint) const = 0;
  /// Latency of the head over an idle route, from endpoint to endpoint.
  virtual TimePs head_latency_ps(NpuId from, NpuId to) const = 0;
  /// Why packets cannot go from one endpoint to the other (something on the route has failed); empty if they
  /// can.
  virtual std::string route_failure(NpuId, NpuId) const { return ""; }
  /// @throws std::invalid_argument if one of these endpoints cannot reach another.
  void require_routes(const std::vector<NpuId>& endpoints) const;

  /// From now on packets go around this link, or over it again.
  /// @throws std::logic_error: the fabric was not made for that.
  virtual void avoid(const FabricLink& link, bool avoids);

  const std::vector<FabricLink>& links() const { return links_; }
  /// Switch number `n`. Requires n < switches(), and that messages() is null.
  SwitchModule& switch_module(std::size_t n) { return *switches_[n]; }
  virtual std::size_t switches() const { return switches_.size(); }
  virtual OutputCounters counters(const FabricLink& link) const {
    return switches_[link.from] ? switches_[link.from]->core().counters(link.output) : OutputCounters{};
  }
  virtual std::uint64_t bytes_per_s(const FabricLink& link) const {
    return switches_[link.from]->output_params()[index_of(link.output)].bytes_per_s;
  }
  /// Why it cannot list what it keeps when nothing is under way; empty: it can.
  virtual std::string keeps_unlisted() const { return ""; }
  /// What switches and flows keep when nothing is under way (tlm/acceleration).
  virtual void list_state(StateVisitor& state);
  /// Who admits in-network flows; null: the fabric does not reduce.
  virtual FlowControl* flow_control() { return nullptr; }
  virtual const FlowControl* flow_control() const { return nullptr; }
  /// What the ranks of collective `id` did: its program, or what that one was decomposed into.
  const CollectiveProgram& done_program(const CollectiveProgram& program, std::uint64_t id) const {
    const FlowControl* const flows = program.decomposed ? flow_control() : nullptr;
    return flows && flows->decomposed(id) ? *program.decomposed : program;
  }
  virtual std::vector<std::string> pending_flows() const { return {}; }
  virtual std::uint64_t queued_flow_packets() const { return 0; }
  /// Tells `observer` about every packet that leaves a switch, with the switch's number.
  virtual void observe(LinkObserver& observer);
  /// Bit errors on every link that leaves a switch; before the simulation starts.
  void add_errors(const BitErrors& errors);
  std::uint64_t spoiled_packets() const;
  /// What Go-Back-N cost in the flow units of the switches.
  FlowRepairCounters flow_repairs() const;

  virtual std::uint64_t packet_hops() const;
  /// Packets waiting in switches, and credits that are not home, in bytes: both 0 when the fabric is at rest.
  virtual std::uint64_t queued_packets() const;
  std::uint64_t outstanding_credits() const;

 protected:
  using sc_module::sc_module;

  virtual bool has_failures() const { return false; }
  /// @throws std::invalid_argument: a full packet (of wormhole switching: a flit) that does not fit an
  /// explicit buffer, 0: auto.
  static void check_buffer(const WireFormat& format, std::uint64_t buffer_bytes);

  /// Calls `visit(number, module)`.
  template <typename Visit>
  void for_each_switch(const Visit& visit) const {
    for (std::size_t n = 0; n < switches_.size(); ++n)
      if (switches_[n]) visit(n, *switches_[n]);
  }

  ModuleList<SwitchModule> switches_;  // by number; null: another process has it
  std::vector<FabricLink> links_;
};

}  // namespace wafertlm
