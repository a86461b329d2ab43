// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tlm/kernel/scheduler.h"
#include "tlm/link/flow_unit.h"
#include "tlm/link/switch_core.h"
#include "tlm/link/switch_view.h"
#include "tlm/packets/bit_errors.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

class LossyLinks;

/// The SystemC shell of a SwitchCore: a fabric target socket per input, an initiator socket per output.
class SwitchModule : public sc_core::sc_module,
                     private SwitchHost,
                     private FlowUnitHost,
                     private Wakeable,
                     private MayBeLate {
 public:
  /// Socket names are `in_<name>` and `out_<name>`, one per entry. The references must outlive the module.
  SwitchModule(const sc_core::sc_module_name& name, SwitchParams params,
               const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
               const ClassTable& classes, const RouteFunction& routes, Scheduler& scheduler);

  using Wakeable::set_partition;
  FabricTargetSocket& input(PortId port) { return input_sockets_[index_of(port)]; }
  FabricInitiatorSocket& output(PortId port) { return output_sockets_[index_of(port)]; }

  /// Gives a switch with SwitchParams::flow_lanes its flow unit, before the simulation starts.
  void enable_flows(PacketPool& packets, FlowListener& listener);
  /// Null without enable_flows().
  FlowUnit* flows() { return flows_.get(); }
  const FlowUnit* flows() const { return flows_.get(); }

  /// Bit errors on the links behind the outputs, numbered from `first_link` on; before the simulation starts.
  void add_errors(const BitErrors& errors, std::uint64_t first_link);
  std::uint64_t spoiled_packets() const;

  const SwitchCore& core() const { return *core_; }
  /// The core, for a neighbour that hands packets to it without a call of the socket's; null: nobody may.
  SwitchCore* plain_core() { return view_ ? nullptr : core_.get(); }
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  const std::vector<OutputParams>& output_params() const { return links_; }
  TimePs pipeline_ps() const { return flow_params_.pipeline_ps; }
  InputQueue input_queue() const { return input_queue_; }
  TimePs input_start_ps() const { return input_start_ps_; }

  /// Who follows the packets here, or carries them; after enable_flows(), before the simulation starts.
  void set_view(SwitchView& view);
  // For a view that carries them. The head leaves the output now, the tail at a time that may be pending.
  void send_for_view(PortId output, Packet& packet, TimePs tail_ps);
  void count_for_view(PortId output, const Packet& packet, TimePs head_ps, TimePs tail_ps) {
    core_->count(output, packet, head_ps, tail_ps);
  }
  /// The room of `packet`, which came on channel `vc`, in the buffer of `input` is free when its tail leaves
  /// at `tail_ps`.
  void return_for_view(PortId input, Packet& packet, VcId vc, TimePs tail_ps);
  TimePs credit_delay_ps(PortId input) const { return flow_params_.credit_delay_ps[index_of(input)]; }
  LinkEnd link_end(PortId output) const { return outputs_[index_of(output)].peer->link_end(); }
  /// As SwitchCore::list_state.
  void list_state(PortId output, StateVisitor& state);
  void ask_again(PortId output) { core_->ask_again(output); }
  void observe(LinkObserver& observer, std::size_t number) { core_->observe(observer, number); }

 private:
  // What a hop needs of a port, in one cache line; the sockets are far larger and lie elsewhere.
  struct alignas(64) Input final : FabricForwardIf {
    ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    const Scheduler* time_source() const override { return &owner->scheduler_; }
    LinkEnd link_end() override { return {owner, port}; }
    void prefetch() const override { owner->core_->prefetch_tables(); }
    void prefetch(const Packet& packet) const override { owner->core_->prefetch_arrival(port, packet); }
    SwitchModule* owner = nullptr;
    FabricBackwardIf* peer = nullptr;
    PortId port{};
  };
  struct alignas(64) Output final : FabricBackwardIf {
    ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    const Scheduler* time_source() const override { return &owner->scheduler_; }
    bool may_be_told_late() const override;
    void prefetch() const override { owner->core_->prefetch_tables(); }
    void prefetch(const Packet& packet) const override { owner->core_->prefetch_credit(port, packet.vc); }
    SwitchModule* owner = nullptr;
    FabricForwardIf* peer = nullptr;
    PortId port{};
    bool may_run_ahead = false;  // all that a grant here calls take their time from the scheduler
    sc_core::sc_time latency;
    mutable SwitchCore::Winner likely;  // of the look-ahead
  };

  /// Of the flow unit.
  struct FlowWake final : Wakeable {
    explicit FlowWake(SwitchModule& of) : owner(of) {}
    void wake(std::uint32_t, TimePs now) override { owner.flows_->wake(now); }
    SwitchModule& owner;
  };

  void end_of_elaboration() override;
  void start_of_simulation() override;
  void settle(TimePs now) override { core_->settle(now); }
  void forward(PortId output, Packet& packet, TimePs head_ps) override;
  void return_credit(PortId input, Packet& packet, TimePs at) override;
  void request_wake(PortId output, TimePs at) override;
  bool may_be_late() const override { return true; }
  TimePs request_late_wake(PortId output, TimePs at, TimePs by) override;
  TimePs later(TimePs a, TimePs b) override { return scheduler_.pending().later(a, b); }
  void send_copy(PortId output, std::uint32_t lane, Packet& copy, TimePs head_ps) override;
  void return_flow_credit(PortId input, Packet& packet, TimePs at) override;
  void branch_done(const Flow& flow, TimePs at) override;
  void request_flow_wake(TimePs at) override { scheduler_.schedule(at, flow_wake_, 0); }
  void wake(std::uint32_t output, TimePs now) override;
  bool moves_packets(std::uint32_t) const override { return true; }
  void prefetch(std::uint32_t output, unsigned depth) const override;

  // What a hop needs comes first.
  Scheduler& scheduler_;
  SwitchView* view_ = nullptr;
  std::vector<Input> inputs_;  // bound: must not move
  std::vector<Output> outputs_;
  std::unique_ptr<SwitchCore> core_;
  std::unique_ptr<FlowUnit> flows_;
  FlowListener* flow_listener_ = nullptr;
  PacketPool* flow_packets_ = nullptr;
  FlowUnitParams flow_params_;
  InputQueue input_queue_;
  TimePs input_start_ps_;  // not 0: the outputs share the inputs, and wake-ups of an instant keep their order
  std::vector<OutputParams> links_;
  FlowWake flow_wake_{*this};
  std::shared_ptr<LossyLinks> lossy_links_;  // behind the outputs, if there are errors
  std::deque<FabricTargetSocket> input_sockets_;
  std::deque<FabricInitiatorSocket> output_sockets_;
};

/// BEGIN_REQ and END_REQ as calls, for whoever holds a fabric socket. Throws std::logic_error on another
/// answer than TLM_ACCEPTED: posted packets have no other.
void begin_request(FabricInitiatorSocket& socket, Packet& packet, TimePs delay_ps);
void end_request(FabricTargetSocket& socket, Packet& packet, TimePs delay_ps);

/// The interface that a bound socket calls; the same for the whole simulation, so that it can be kept. Asking
/// the socket each time costs two cache lines.
void begin_request(const sc_core::sc_object& from, FabricForwardIf& peer, Packet& packet,
                   const sc_core::sc_time& delay);
void end_request(const sc_core::sc_object& from, FabricBackwardIf& peer, Packet& packet,
                 const sc_core::sc_time& delay);
/// Of a packet that came on channel `vc` and may be further on by now, while its tail is still here.
void end_request(const sc_core::sc_object& from, FabricBackwardIf& peer, Packet& packet, VcId vc,
                 TimePs delay_ps);
inline FabricForwardIf* peer_of(FabricInitiatorSocket& socket) { return socket.operator->(); }
inline FabricBackwardIf* peer_of(FabricTargetSocket& socket) { return socket.operator->(); }

/// Hints for a node's injection port, one output that leads to `fabric`: what Wakeable::prefetch() does for
/// the port's wake-up. `likely` is kept from one depth to the next.
void prefetch_injection(const SwitchCore& port, const FabricForwardIf& fabric, SwitchCore::Winner& likely,
                        unsigned depth);

}  // namespace wafertlm
