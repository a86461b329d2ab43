// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/requester.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/kernel/free_numbers.h"
#include "tlm/kernel/say.h"
#include "tlm/memory/access.h"

namespace wafertlm {

MemoryRequester::MemoryRequester(const char* socket_name, const MemoryRequesterParams& params,
                                 ScratchMemory& scratch, Scheduler& scheduler, MemoryRequesterHost& host)
    : socket(socket_name), params_(params), scratch_(scratch), scheduler_(scheduler), host_(host) {
  if (params.request_bytes == 0 || params.request_bytes > kMaxRequestBytes)
    throw std::invalid_argument(say(socket.name(), ": requests of ", params.request_bytes,
                                    " B; must be 1 B to ", kMaxRequestBytes, " B"));
  if (params.outstanding == 0)
    throw std::invalid_argument(say(socket.name(), ": at least one request must be outstanding"));
  socket.bind(static_cast<MemoryBackwardIf&>(*this));
}

std::uint64_t MemoryRequester::start(::tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes,
                                     std::uint64_t token, unsigned char* data) {
  if (command != ::tlm::TLM_READ_COMMAND && command != ::tlm::TLM_WRITE_COMMAND)
    throw std::invalid_argument(say(socket.name(), ": an access is a read or a write"));
  if (bytes > ~address)
    throw std::invalid_argument(say(socket.name(), ": ", bytes, " B at ", address, " end beyond 2^64"));
  const std::uint32_t number = take_number(accesses_, free_accesses_);
  accesses_[number] = {command, address, bytes, data, token, 0, true, accesses_started_++, bytes};
  ++running_;
  if (bytes == 0) {
    scheduler_.schedule(scheduler_.now(), *this, number << kEffectBits | nothing_to_do);
    return 0;
  }
  direction_of(accesses_[number]).turns.push_back(number);
  issue();
  return (bytes - 1) / params_.request_bytes + 1;
}

void MemoryRequester::issue() {
  if (issuing_) return;  // the loop below goes on
  issuing_ = true;
  const auto may_send = [this](const Direction& direction) {
    return direction.in_flight < params_.outstanding && !direction.turns.empty();
  };
  while (!requesting_) {
    if (!may_send(directions_[next_direction_])) next_direction_ ^= 1;
    Direction& direction = directions_[next_direction_];
    if (!may_send(direction)) break;
    next_direction_ ^= 1;
    send(next_request(direction));
  }
  issuing_ = false;
}

/// A request of the access whose turn it is; counts as in flight.
MemoryRequester::Request& MemoryRequester::next_request(Direction& direction) {
  if (free_requests_.empty()) {
    ::tlm::tlm_mm_interface* pool = this;
    requests_.push_back(std::make_unique<Request>(pool, static_cast<std::uint32_t>(requests_.size())));
    free_requests_.push_back(requests_.back().get());
    if (params_.announce) requests_.back()->set_extension(new MemoryAccess);  // goes with the payload
  }
  Request& request = *free_requests_.back();
  free_requests_.pop_back();

  const std::uint32_t number = direction.turns.front();
  direction.turns.pop_front();
  ++direction.in_flight;
  Access& access = accesses_[number];
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(access.bytes, params_.request_bytes));
  request.access = number;
  request.acquire();
  request.set_command(access.command);
  request.set_address(access.address);
  request.set_data_ptr(access.data ? access.data : scratch_.data());
  request.set_data_length(bytes);
  request.set_streaming_width(bytes);
  request.set_byte_enable_ptr(nullptr);
  request.set_dmi_allowed(false);
  request.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);

  if (params_.announce) {
    MemoryAccess& whole = *request.get_extension<MemoryAccess>();
    whole.number = access.number;
    whole.bytes = access.whole_bytes;
  }

  access.address += bytes;
  access.bytes -= bytes;
  if (access.data) access.data += bytes;
  ++access.in_flight;
  if (access.bytes != 0) direction.turns.push_back(number);
  return request;
}

void MemoryRequester::send(Request& request) {
  requesting_ = &request;
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const ::tlm::tlm_sync_enum answer = socket->nb_transport_fw(request, phase, delay);
  if (answer == ::tlm::TLM_ACCEPTED) return;
  if (answer == ::tlm::TLM_COMPLETED)
    later(request, completed, delay);
  else if (phase == ::tlm::BEGIN_RESP)
    later(request, begin_response, delay);
  else if (phase != ::tlm::END_REQ)
    protocol_error(say("BEGIN_REQ was answered with TLM_UPDATED to ", phase.get_name()));
  else if (delay.value() == 0)
    requesting_ = nullptr;
  else
    later(request, end_request, delay);
}

::tlm::tlm_sync_enum MemoryRequester::nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  const auto& request = static_cast<const Request&>(payload);
  if (phase == ::tlm::END_REQ) {
    later(request, end_request, delay);
    return ::tlm::TLM_ACCEPTED;
  }
  if (phase != ::tlm::BEGIN_RESP) protocol_error(say("backward call with phase ", phase.get_name()));
  later(request, completed, delay);
  phase = ::tlm::END_RESP;
  return ::tlm::TLM_COMPLETED;
}

void MemoryRequester::later(const Request& request, Effect effect, const sc_core::sc_time& delay) {
  scheduler_.schedule(scheduler_.now() + delay.value(), *this, request.number << kEffectBits | effect);
}

void MemoryRequester::wake(std::uint32_t what, TimePs) {
  const std::uint32_t number = what >> kEffectBits;
  const auto effect = static_cast<Effect>(what & ((1U << kEffectBits) - 1));
  if (effect == nothing_to_do) return finish_access(number);
  Request& request = *requests_[number];
  if (requesting_ == &request) requesting_ = nullptr;  // a response implies END_REQ
  if (effect == begin_response) {
    ::tlm::tlm_phase phase = ::tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(request, phase, delay);
  }
  if (effect != end_request) finish(request);
  issue();
}

/// Ends a request whose response is there.
void MemoryRequester::finish(Request& request) {
  const std::uint32_t number = request.access;
  Access& access = accesses_[number];
  --access.in_flight;
  --direction_of(access).in_flight;
  if (!request.is_response_ok()) {
    access.ok = false;
    if (access.bytes != 0) request_no_more(number);
  }
  request.release();
  if (access.bytes == 0 && access.in_flight == 0) finish_access(number);
}

void MemoryRequester::request_no_more(std::uint32_t number) {
  accesses_[number].bytes = 0;
  RingQueue<std::uint32_t>& turns = direction_of(accesses_[number]).turns;
  for (std::size_t i = turns.size(); i-- > 0;) {
    const std::uint32_t turn = turns.front();
    turns.pop_front();
    if (turn != number) turns.push_back(turn);
  }
}

void MemoryRequester::finish_access(std::uint32_t number) {
  const Access access = accesses_[number];
  free_accesses_.push_back(number);
  --running_;
  host_.memory_done(access.token, access.ok);
}

void MemoryRequester::free(Payload* payload) {
  payload->reset();  // a memory may have left extensions
  free_requests_.push_back(static_cast<Request*>(payload));
}

void MemoryRequester::protocol_error(const std::string& what) const {
  throw std::logic_error(say(socket.name(), ": ", what,
                             ", which the base protocol does not allow; put a MemoryChecker on the socket"));
}

}  // namespace wafertlm
