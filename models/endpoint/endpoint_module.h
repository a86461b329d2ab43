// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint.h"
#include "models/endpoint/timed_queue.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/operation/protocol.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

class EpisodeGate;
class Episodes;

struct EndpointModuleParams {
  InjectorParams injector;
  EndpointParams endpoint;
  TimePs ejection_credit_delay_ps = 0;
  SteadyStates* steady = nullptr;      ///< skips what repeats; null: nobody
  Episodes* episodes = nullptr;        ///< plays what has happened before; null: nobody
  MessageService* messages = nullptr;  ///< takes the communication in place of the endpoint; null: nobody
};

/// What all endpoints of a platform share.
struct EndpointPools {
  PacketPool& packets;
  MessagePool& messages;
};

/// The SystemC shell of an Endpoint: sockets for operations and for the fabric. It takes any number of
/// collectives, sends and receives at a time; what other operations mean is up to the module that is built
/// on it.
class EndpointModule : public sc_core::sc_module,
                       protected OperationForwardIf,
                       protected FabricForwardIf,
                       protected FabricBackwardIf,
                       private EndpointHost,
                       protected Wakeable,
                       private PacketSink {
 public:
  OperationTargetSocket operations{"operations"};
  FabricInitiatorSocket to_fabric{"to_fabric"};
  FabricTargetSocket from_fabric{"from_fabric"};

  using Wakeable::set_partition;
  const Endpoint& endpoint() const { return endpoint_; }
  void list_state(StateVisitor& state) { endpoint_.list_state(state); }
  void observe(LinkObserver& observer, std::size_t number) { endpoint_.observe(observer, number); }
  void set_flow_control(FlowControl& control) { endpoint_.set_flow_control(control); }
  /// What is not done yet, in words.
  std::vector<std::string> pending() const { return communication_.pending(); }
  std::uint64_t early_bytes_high_water() const { return communication_.early_bytes_high_water(); }

 protected:
  EndpointModule(const sc_core::sc_module_name& name, NpuId id, const EndpointModuleParams& params,
                 const ClassTable& classes, const EndpointPools& pools, Scheduler& scheduler);
  ~EndpointModule() = default;

  /// Starts an operation that is none of the endpoint's; respond(token, ...) follows.
  virtual void execute(Operation& operation, std::uint64_t token, TimePs now) = 0;
  /// The operation ends at `at`, not before now: BEGIN_RESP goes out then.
  void respond(std::uint64_t token, TimePs at, bool ok);
  Operation& running(std::uint64_t token) { return *running_.at(token)->get_extension<Operation>(); }

  /// What wake-ups are for; a module that is built on this has its own from kFirstFree on.
  enum Wake : std::uint32_t { kInjector, kTimer, kAccept, kRespond, kLaunch, kFirstFree };
  void wake(std::uint32_t what, TimePs now) override;
  bool moves_packets(std::uint32_t what) const override { return what == kInjector; }
  void end_of_elaboration() override;
  void start_of_simulation() override;

  Scheduler& scheduler_;
  Endpoint endpoint_;
  FabricForwardIf* fabric_ = nullptr;  // behind the socket

 private:
  using Payload = ::tlm::tlm_generic_payload;

  ::tlm::tlm_sync_enum nb_transport_fw(Payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_fw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  void inject(Packet& packet, TimePs head_ps) override;
  const Scheduler* time_source() const override { return &scheduler_; }
  LinkEnd link_end() override {
    return {nullptr, PortId{0}, true, endpoint_.is_plain() ? static_cast<PacketSink*>(this) : nullptr};
  }
  /// Where nothing else is skipped nobody is late either.
  bool may_be_told_late() const override {
    return steady_ && endpoint_.is_plain() && !endpoint_.has_port_per_link();
  }
  void take(Packet& packet, TimePs start_ps) override { endpoint_.receive(packet, start_ps); }
  TimePs credit_delay_ps() const override { return ejection_credit_delay_ps_; }
  void prefetch(std::uint32_t what, unsigned depth) const override;
  void prefetch() const override { endpoint_.injection_port().prefetch_tables(); }
  void prefetch(const Packet& packet) const override {
    endpoint_.injection_port().prefetch_credit(PortId{0}, packet.vc);
  }
  // What the endpoint does stays within the fabric; sequencer and memory are called from other wake-ups.
  void request_injector_wake(TimePs at) override { schedule_endpoint(at, kInjector); }
  void request_timer_wake(TimePs at) override { schedule_endpoint(at, kTimer); }
  void schedule_endpoint(TimePs at, Wake what) {
    const Turn turn = what == kInjector ? Turn::sources : Turn::endpoints;
    if (may_run_ahead_)
      scheduler_.schedule_run_ahead(at, *this, what, turn);
    else
      scheduler_.schedule(at, *this, what, turn);
  }
  void communication_done(std::uint64_t token) override { done_->communication_done(token); }
  /// The end of all that is between the endpoint and this module.
  struct Responder final : MessageListener {
    explicit Responder(EndpointModule& of) : owner(of) {}
    void communication_done(std::uint64_t token) override {
      owner.respond(token, owner.scheduler_.now(), true);
    }
    EndpointModule& owner;
  };
  Communication& connect(NpuId id, const EndpointModuleParams& params);
  void accept_requests(TimePs now);
  void accept(Payload& payload, TimePs now);
  void launch_collective(std::uint64_t token, TimePs now);
  void start_collective(const Payload& payload, std::uint64_t token, TimePs now);
  void begin_response(Payload& payload);

  const TimePs ejection_credit_delay_ps_, launch_cost_ps_;
  SteadyStates* const steady_;
  const bool has_memory_;  // the endpoint's traffic goes to it
  Responder responder_{*this};
  MessageListener* done_ = &responder_;
  Communication& communication_;
  FabricBackwardIf* from_port_ = nullptr;  // behind the socket
  bool may_run_ahead_ = false;
  mutable SwitchCore::Winner likely_;                    // of the look-ahead
  std::unordered_map<std::uint64_t, Payload*> running_;  // by token
  std::vector<Payload*> requested_;                      // BEGIN_REQ came, at this instant
  TimedQueue<Payload*> responses_;
  TimedQueue<std::uint64_t> launches_;  // of collectives, by token
  std::uint64_t next_token_ = 1;
};

}  // namespace wafertlm
