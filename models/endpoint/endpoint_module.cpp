// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/endpoint_module.h"

#include <stdexcept>

#include "tlm/acceleration/episodes.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {

using ::tlm::tlm_phase;
using ::tlm::tlm_sync_enum;

EndpointModule::EndpointModule(const sc_core::sc_module_name& name, NpuId id,
                               const EndpointModuleParams& params, const ClassTable& classes,
                               const EndpointPools& pools, Scheduler& scheduler)
    : sc_module(name),
      scheduler_(scheduler),
      endpoint_(id, params.injector, classes, pools.packets, pools.messages, *this, params.endpoint),
      ejection_credit_delay_ps_(params.ejection_credit_delay_ps),
      launch_cost_ps_(params.endpoint.launch_cost_ps),
      steady_(params.steady),
      has_memory_(params.endpoint.memory_traffic.has_value()),
      communication_(connect(id, params)) {
  set_rank(static_cast<std::uint32_t>(index_of(id)) + 1);
  operations.bind(static_cast<OperationForwardIf&>(*this));
  to_fabric.bind(static_cast<FabricBackwardIf&>(*this));
  from_fabric.bind(static_cast<FabricForwardIf&>(*this));
}

/// Who carries out what it is asked for.
Communication& EndpointModule::connect(NpuId id, const EndpointModuleParams& params) {
  Communication* carries_out = &endpoint_;
  if (params.messages)
    carries_out = &params.messages->connect(id, *this,
                                            {params.endpoint.step_cost_ps, params.endpoint.receive_cost_ps,
                                             params.endpoint.reduction_bytes_per_s});
  if (!params.episodes) return *carries_out;
  EpisodeGate& gate = params.episodes->connect(id, *carries_out, responder_);
  done_ = &gate;
  return gate;
}

void EndpointModule::end_of_elaboration() {
  fabric_ = peer_of(to_fabric);
  from_port_ = peer_of(from_fabric);
  if (steady_) endpoint_.set_steady_states(*steady_, *fabric_);
  // With traffic to the memory the endpoint calls a socket that must see the kernel's time.
  may_run_ahead_ =
      !has_memory_ && to_fabric->time_source() == &scheduler_ && from_fabric->time_source() == &scheduler_;
}

void EndpointModule::start_of_simulation() {
  const LinkEnd end = fabric_->link_end();
  if (!endpoint_.is_plain() || !end.at) return;
  if (SwitchCore* const next = end.at->plain_core()) endpoint_.lead_to(*next, end.input);
}

// ---------------------------------------------------------------- operations

tlm_sync_enum EndpointModule::nb_transport_fw(Payload& payload, tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == ::tlm::END_RESP) return ::tlm::TLM_COMPLETED;
  if (phase != ::tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME)
    throw std::logic_error(std::string(name()) + ": an operation begins with BEGIN_REQ, without delay");
  if (requested_.empty()) scheduler_.schedule(scheduler_.now(), *this, kAccept, Turn::operations);
  requested_.push_back(&payload);
  return ::tlm::TLM_ACCEPTED;
}

void EndpointModule::accept_requests(TimePs now) {
  const std::vector<Payload*> requested = std::move(requested_);
  requested_.clear();
  for (Payload* payload : requested) accept(*payload, now);
}

void EndpointModule::accept(Payload& payload, TimePs now) {
  tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  operations->nb_transport_bw(payload, phase, none);

  Operation& operation = *payload.get_extension<Operation>();
  operation.start_ps = now;
  const std::uint64_t token = next_token_++;
  running_.emplace(token, &payload);
  switch (operation.kind) {
    case Operation::Kind::collective:
      return launch_collective(token, now);
    case Operation::Kind::send:
      return communication_.start_send(operation.peer, operation.tag, operation.bytes,
                                       operation.traffic_class, token, now);
    case Operation::Kind::receive:
      return communication_.start_receive(operation.peer, operation.tag, token, now);
    case Operation::Kind::compute:
    case Operation::Kind::memory_load:
    case Operation::Kind::memory_store:
      return execute(operation, token, now);
  }
}

void EndpointModule::launch_collective(std::uint64_t token, TimePs now) {
  if (launch_cost_ps_ == 0) return start_collective(*running_.at(token), token, now);
  if (launches_.add(now + launch_cost_ps_, token))
    scheduler_.schedule(now + launch_cost_ps_, *this, kLaunch, Turn::operations);
}

void EndpointModule::start_collective(const Payload& payload, std::uint64_t token, TimePs now) {
  const Operation& operation = *payload.get_extension<Operation>();
  const CollectiveProgram& program = *operation.program;
  communication_.start_collective(
      {operation.collective_id, program.ranks[operation.rank].get(), &program.group, operation.traffic_class,
       reinterpret_cast<std::byte*>(payload.get_data_ptr()), program.data_type, token},
      now);
}

void EndpointModule::respond(std::uint64_t token, TimePs at, bool ok) {
  Payload& payload = *running_.extract(token).mapped();
  payload.get_extension<Operation>()->end_ps = at;
  payload.set_response_status(ok ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (responses_.add(at, &payload)) scheduler_.schedule(at, *this, kRespond, Turn::operations);
}

void EndpointModule::begin_response(Payload& payload) {
  tlm_phase phase = ::tlm::BEGIN_RESP;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  operations->nb_transport_bw(payload, phase, none);
}

void EndpointModule::wake(std::uint32_t what, TimePs now) {
  switch (what) {
    case kInjector:
      return endpoint_.wake_injector(now);
    case kTimer:
      return endpoint_.wake_timer(now);
    case kAccept:
      return accept_requests(now);
    case kRespond: {
      const TimePs next = responses_.wake(now, [this](Payload* payload) { begin_response(*payload); });
      if (next != kNever) scheduler_.schedule(next, *this, kRespond, Turn::operations);
      return;
    }
    case kLaunch: {
      const TimePs next = launches_.wake(
          now, [&](std::uint64_t token) { start_collective(*running_.at(token), token, now); });
      if (next != kNever) scheduler_.schedule(next, *this, kLaunch, Turn::operations);
      return;
    }
    default:
      return;
  }
}

// ---------------------------------------------------------------- packets

void EndpointModule::inject(Packet& packet, TimePs head_ps) {
  begin_request(*this, *fabric_, packet, to_sc_time(head_ps - scheduler_.now()));
}

tlm_sync_enum EndpointModule::nb_transport_fw(Packet& packet, tlm_phase&, sc_core::sc_time&) {
  const auto receive = [this, &packet](TimePs tail_ps) {
    const TimePs now = scheduler_.now();
    packet.tail_ps = tail_ps;
    end_request(*this, *from_port_, packet, to_sc_time(tail_ps + ejection_credit_delay_ps_ - now));
    endpoint_.receive(packet, now);
  };
  if (PendingTimes::is_pending(packet.tail_ps))
    scheduler_.pending().when(packet.tail_ps, receive);
  else
    receive(packet.tail_ps);
  return ::tlm::TLM_ACCEPTED;
}

tlm_sync_enum EndpointModule::nb_transport_bw(Packet& packet, tlm_phase&, sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  endpoint_.credit(packet, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

// ---------------------------------------------------------------- hints

void EndpointModule::prefetch(std::uint32_t what, unsigned depth) const {
  if (what == kInjector) prefetch_injection(endpoint_.injection_port(), *fabric_, likely_, depth);
}

}  // namespace wafertlm
