// SPDX-License-Identifier: Apache-2.0
#include "tlm/operation/operation_port.h"

#include <stdexcept>
#include <utility>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

std::string failure(const Operation& operation, const std::string& response) {
  const bool load = operation.kind == Operation::Kind::memory_load;
  if (!load && operation.kind != Operation::Kind::memory_store) return "an operation failed with " + response;
  return say("a ", load ? "load" : "store", " of ", operation.bytes, " B failed (", response,
             "): it is more than the NPU's memory or its part of the remote memory has, or a memory engine "
             "refused it");
}

}  // namespace

OperationPort::OperationPort(const sc_core::sc_module_name& name, OperationListener& listener)
    : sc_module(name), listener_(listener) {
  socket.bind(static_cast<OperationBackwardIf&>(*this));
}

void OperationPort::issue(std::uint64_t token, const Operation& operation, std::vector<std::byte> data) {
  if (free_.empty()) {
    auto made = std::make_unique<Slot>();
    made->operation = new Operation;  // owned by the payload
    made->payload.set_extension(made->operation);
    free_.push_back(made.get());
    slots_.emplace(&made->payload, std::move(made));
  }
  Slot& slot = *free_.back();
  free_.pop_back();
  ++outstanding_;
  slot.token = token;
  *slot.operation = operation;
  slot.data = std::move(data);
  slot.payload.set_data_ptr(slot.data.empty() ? nullptr : reinterpret_cast<unsigned char*>(slot.data.data()));
  slot.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (socket->nb_transport_fw(slot.payload, phase, delay) != ::tlm::TLM_ACCEPTED)
    throw std::logic_error(say(name(), ": an operation was not answered with TLM_ACCEPTED"));
}

::tlm::tlm_sync_enum OperationPort::nb_transport_bw(::tlm::tlm_generic_payload& payload,
                                                    ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
  Operation* const operation = payload.get_extension<Operation>();
  Slot* const slot = slots_.at(&payload).get();
  if (payload.is_response_error())
    throw std::runtime_error(say(name(), ": ", failure(*operation, payload.get_response_string())));
  ::tlm::tlm_phase end = ::tlm::END_RESP;
  if (socket->nb_transport_fw(payload, end, delay) != ::tlm::TLM_COMPLETED)
    throw std::logic_error(std::string(name()) + ": END_RESP was not answered with TLM_COMPLETED");
  const Operation done = *operation;
  const std::vector<std::byte> data = std::move(slot->data);
  const std::uint64_t token = slot->token;
  slot->operation->program.reset();
  free_.push_back(slot);
  --outstanding_;
  listener_.operation_done(token, done, data);
  return ::tlm::TLM_ACCEPTED;
}

}  // namespace wafertlm
