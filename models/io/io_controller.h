// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint.h"
#include "tlm/fabric/protocol.h"
#include "tlm/operation/protocol.h"
#include "tlm/scheduler.h"

namespace wafertlm {

struct IoControllerParams {
  NpuId id{};  ///< of the endpoint, after those of the NPUs
  InjectorParams injector;
  EndpointParams endpoint;
  TimePs ejection_credit_delay_ps = 0;
};

/// An I/O controller: what streams weights onto the wafer and gradients off it. An endpoint without compute
/// unit and memory: it takes part in collectives and sends and receives messages, any number at a time.
class IoController : public sc_core::sc_module,
                     private OperationForwardIf,
                     private FabricForwardIf,
                     private FabricBackwardIf,
                     private EndpointHost,
                     private Wakeable {
 public:
  OperationTargetSocket operations{"operations"};
  FabricInitiatorSocket to_fabric{"to_fabric"};
  FabricTargetSocket from_fabric{"from_fabric"};

  IoController(const sc_core::sc_module_name& name, const IoControllerParams& params,
               const ClassTable& classes, PacketPool& packets, MessagePool& messages, Scheduler& scheduler);

  /// As Endpoint::set_flow_control.
  void set_flow_control(FlowControl& control) { endpoint_.set_flow_control(control); }
  using Wakeable::set_region;
  const Endpoint& endpoint() const { return endpoint_; }
  void observe(LinkObserver& observer, std::size_t number) { endpoint_.observe(observer, number); }
  /// What is not done yet, in words.
  std::vector<std::string> pending() const { return endpoint_.pending(); }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  enum Wake : std::uint32_t { kInjector, kTimer, kAccept, kRespond };

  ::tlm::tlm_sync_enum nb_transport_fw(Payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_fw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) override;
  void inject(Packet& packet, TimePs head_ps) override;
  const Scheduler* time_source() const override { return &scheduler_; }
  void end_of_elaboration() override;
  // What the endpoint does stays within the fabric; the sequencer is called from other wake-ups.
  void request_injector_wake(TimePs at) override { schedule_endpoint(at, kInjector); }
  void request_timer_wake(TimePs at) override { schedule_endpoint(at, kTimer); }
  void schedule_endpoint(TimePs at, Wake what) {
    if (may_lead_)
      scheduler_.schedule_leading(at, *this, what);
    else
      scheduler_.schedule(at, *this, what);
  }
  void communication_done(std::uint64_t token) override;
  void wake(std::uint32_t what, TimePs now) override;
  void accept(Payload& payload, TimePs now);
  void respond();

  IoControllerParams params_;
  Scheduler& scheduler_;
  Endpoint endpoint_;
  std::unordered_map<std::uint64_t, Payload*> running_;  // by token
  std::vector<Payload*> requested_;                      // BEGIN_REQ came, at this instant
  std::vector<Payload*> finished_;                       // BEGIN_RESP is due
  bool may_lead_ = false;
  std::uint64_t next_token_ = 1;
};

}  // namespace wafertlm
