// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/responder.h"

#include <stdexcept>

#include "tlm/kernel/free_numbers.h"
#include "tlm/kernel/say.h"

namespace wafertlm {

::tlm::tlm_response_status status_of(const ::tlm::tlm_generic_payload& payload,
                                     std::uint64_t capacity_bytes) {
  if (payload.get_command() == ::tlm::TLM_IGNORE_COMMAND) return ::tlm::TLM_OK_RESPONSE;
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (address >= capacity_bytes || bytes > capacity_bytes - address) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (bytes == 0 || payload.get_streaming_width() < bytes) return ::tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() && payload.get_byte_enable_length() == 0)
    return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return payload.get_data_ptr() ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_GENERIC_ERROR_RESPONSE;
}

MemoryResponder::MemoryResponder(const char* socket_name, std::uint32_t queue_requests, Scheduler& scheduler,
                                 MemoryResponderHost& host)
    : socket(socket_name), queue_requests_(queue_requests), scheduler_(scheduler), host_(host) {
  if (queue_requests == 0)
    throw std::invalid_argument(say(socket.name(), ": a queue has at least one place"));
  socket.bind(static_cast<MemoryForwardIf&>(*this));
}

::tlm::tlm_sync_enum MemoryResponder::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  const TimePs at = scheduler_.now() + delay.value();
  if (phase == ::tlm::END_RESP && responding_ == &payload) {
    scheduler_.schedule(at, *this, kResponseEnded);
    return ::tlm::TLM_ACCEPTED;
  }
  if (phase != ::tlm::BEGIN_REQ || waiting_ || !payload.has_mm())
    throw std::logic_error(
        say(socket.name(), ": ", phase.get_name(),
            " is not allowed now, or its payload has no memory manager; put a MemoryChecker "
            "on the socket to see more"));
  payload.acquire();
  if (delay.value() == 0 && held_ < queue_requests_) {
    ++held_;
    phase = ::tlm::END_REQ;
    host_.requested(payload);
    return ::tlm::TLM_UPDATED;
  }
  waiting_ = &payload;
  is_begun_ = delay.value() == 0;
  if (!is_begun_) scheduler_.schedule(at, *this, kBegin);
  return ::tlm::TLM_ACCEPTED;
}

void MemoryResponder::respond(Payload& payload, TimePs at) {
  const std::uint32_t number = take_number(numbered_, free_numbers_);
  numbered_[number] = &payload;
  scheduler_.schedule(at, *this, number << kWhatBits | kDone);
}

void MemoryResponder::wake(std::uint32_t what, TimePs now) {
  const auto kind = static_cast<What>(what & ((1U << kWhatBits) - 1));
  if (kind == kBegin) {
    is_begun_ = true;
  } else if (kind == kResponseEnded) {
    response_ended();
  } else {
    done_.push_back(numbered_[what >> kWhatBits]);
    free_numbers_.push_back(what >> kWhatBits);
  }
  accept_waiting();
  respond_all(now);
}

void MemoryResponder::accept_waiting() {
  if (!waiting_ || !is_begun_ || held_ == queue_requests_) return;
  Payload& payload = *waiting_;
  waiting_ = nullptr;
  ++held_;
  ::tlm::tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time none;
  host_.requested(payload);
  socket->nb_transport_bw(payload, phase, none);
}

void MemoryResponder::respond_all(TimePs now) {
  while (!responding_ && !done_.empty()) {
    responding_ = done_.front();
    done_.pop_front();
    ::tlm::tlm_phase phase = ::tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    if (socket->nb_transport_bw(*responding_, phase, delay) == ::tlm::TLM_ACCEPTED) continue;
    if (delay.value() != 0) return scheduler_.schedule(now + delay.value(), *this, kResponseEnded);
    response_ended();
    accept_waiting();
  }
}

void MemoryResponder::response_ended() {
  Payload& payload = *responding_;
  responding_ = nullptr;
  --held_;
  payload.release();
}

}  // namespace wafertlm
