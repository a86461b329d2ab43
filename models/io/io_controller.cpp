// SPDX-License-Identifier: Apache-2.0
#include "models/io/io_controller.h"

#include <stdexcept>

#include "tlm/link/switch_module.h"

namespace wafertlm {

using ::tlm::tlm_phase;
using ::tlm::tlm_sync_enum;

IoController::IoController(const sc_core::sc_module_name& name, const IoControllerParams& params,
                           const ClassTable& classes, PacketPool& packets, MessagePool& messages,
                           Scheduler& scheduler)
    : sc_module(name),
      params_(params),
      scheduler_(scheduler),
      endpoint_(params.id, params.injector, classes, packets, messages, *this, params.endpoint) {
  operations.bind(static_cast<OperationForwardIf&>(*this));
  to_fabric.bind(static_cast<FabricBackwardIf&>(*this));
  from_fabric.bind(static_cast<FabricForwardIf&>(*this));
}

void IoController::end_of_elaboration() {
  may_lead_ = to_fabric->time_source() == &scheduler_ && from_fabric->time_source() == &scheduler_;
}

tlm_sync_enum IoController::nb_transport_fw(Payload& payload, tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == ::tlm::END_RESP) return ::tlm::TLM_COMPLETED;
  if (phase != ::tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME)
    throw std::logic_error(std::string(name()) + ": an operation begins with BEGIN_REQ, without delay");
  if (requested_.empty()) scheduler_.schedule(scheduler_.now(), *this, kAccept);
  requested_.push_back(&payload);
  return ::tlm::TLM_ACCEPTED;
}

void IoController::accept(Payload& payload, TimePs now) {
  tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  operations->nb_transport_bw(payload, phase, none);

  Operation& operation = *payload.get_extension<Operation>();
  operation.start_ps = now;
  const std::uint64_t token = next_token_++;
  running_.emplace(token, &payload);
  switch (operation.kind) {
    case Operation::Kind::collective:
      endpoint_.start_collective(
          {operation.collective_id, operation.program->ranks[operation.rank].get(), &operation.program->group,
           operation.traffic_class, reinterpret_cast<std::byte*>(payload.get_data_ptr()),
           operation.program->data_type, token},
          now);
      break;
    case Operation::Kind::send:
      endpoint_.start_send(operation.peer, operation.tag, operation.bytes, operation.traffic_class, token,
                           now);
      break;
    case Operation::Kind::receive:
      endpoint_.start_receive(operation.peer, operation.tag, token, now);
      break;
    case Operation::Kind::compute:
    case Operation::Kind::memory_load:
    case Operation::Kind::memory_store:
      throw std::logic_error(std::string(name()) +
                             ": an I/O controller does not compute and has no memory of its own");
  }
}

void IoController::communication_done(std::uint64_t token) {
  Payload& payload = *running_.extract(token).mapped();
  payload.get_extension<Operation>()->end_ps = scheduler_.now();
  payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  if (finished_.empty()) scheduler_.schedule(scheduler_.now(), *this, kRespond);
  finished_.push_back(&payload);
}

void IoController::respond() {
  const std::vector<Payload*> finished = std::move(finished_);
  finished_.clear();
  for (Payload* payload : finished) {
    tlm_phase phase = ::tlm::BEGIN_RESP;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    operations->nb_transport_bw(*payload, phase, none);
  }
}

void IoController::wake(std::uint32_t what, TimePs now) {
  switch (what) {
    case kInjector:
      endpoint_.wake_injector(now);
      break;
    case kTimer:
      endpoint_.wake_timer(now);
      break;
    case kRespond:
      respond();
      break;
    default: {
      const std::vector<Payload*> requested = std::move(requested_);
      requested_.clear();
      for (Payload* payload : requested) accept(*payload, now);
      break;
    }
  }
}

void IoController::inject(Packet& packet, TimePs head_ps) {
  begin_request(to_fabric, packet, head_ps - scheduler_.now());
}

tlm_sync_enum IoController::nb_transport_fw(Packet& packet, tlm_phase&, sc_core::sc_time&) {
  const TimePs now = scheduler_.now();
  end_request(from_fabric, packet, packet.tail_ps + params_.ejection_credit_delay_ps - now);
  endpoint_.receive(packet, now);
  return ::tlm::TLM_ACCEPTED;
}

tlm_sync_enum IoController::nb_transport_bw(Packet& packet, tlm_phase&, sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  endpoint_.credit(packet, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

}  // namespace wafertlm
