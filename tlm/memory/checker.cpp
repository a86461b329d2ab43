// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/checker.h"

#include <algorithm>
#include <utility>

namespace wafertlm {
namespace {

bool is_updated_to(::tlm::tlm_sync_enum answer, unsigned phase, ::tlm::tlm_phase_enum wanted) {
  return answer == ::tlm::TLM_UPDATED && phase == wanted;
}

std::string answer_text(::tlm::tlm_sync_enum answer, const ::tlm::tlm_phase& phase) {
  return answer == ::tlm::TLM_UPDATED ? say("TLM_UPDATED to ", phase.get_name()) : answer_name(answer);
}

}  // namespace

MemoryChecker::MemoryChecker(const sc_core::sc_module_name& name, const MemoryLimits& limits,
                             ViolationHandler handler)
    : Checker(name, std::move(handler)), limits_(limits) {
  target_side.bind(static_cast<MemoryForwardIf&>(*this));
  initiator_side.bind(static_cast<MemoryBackwardIf&>(*this));
}

::tlm::tlm_sync_enum MemoryChecker::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const ::tlm::tlm_phase called = phase;
  const sc_core::sc_time called_delay = delay;
  if (called == ::tlm::BEGIN_REQ) {
    begin_request(payload, now() + delay.value());
  } else if (called == ::tlm::END_RESP) {
    check_reference(payload);
    advance(&payload, ::tlm::END_RESP, now() + delay.value());
  } else {
    report(MemoryRule::forward_phase, called.get_name(), "BEGIN_REQ or END_RESP");
  }

  const ::tlm::tlm_sync_enum answer = initiator_side->nb_transport_fw(payload, phase, delay);
  if (answer == ::tlm::TLM_ACCEPTED && (phase != called || delay != called_delay))
    report(MemoryRule::accepted_unchanged, say(phase.get_name(), " after ", delay.value(), " ps"),
           say(called.get_name(), " after ", called_delay.value(), " ps"));
  if (called == ::tlm::END_RESP && answer != ::tlm::TLM_ACCEPTED && answer != ::tlm::TLM_COMPLETED)
    report(MemoryRule::end_resp_answer, answer_text(answer, phase), "TLM_ACCEPTED or TLM_COMPLETED");
  if (called != ::tlm::BEGIN_REQ || answer == ::tlm::TLM_ACCEPTED) return answer;

  // The caller still holds the payload, so it may be looked at.
  check_in_flight(payload);
  if (is_updated_to(answer, phase, ::tlm::END_REQ)) {
    advance(&payload, ::tlm::END_REQ, now() + delay.value());
  } else if (is_updated_to(answer, phase, ::tlm::BEGIN_RESP)) {
    if (advance(&payload, ::tlm::BEGIN_RESP, now() + delay.value())) check_response(payload);
  } else if (answer == ::tlm::TLM_COMPLETED) {
    check_response(payload);
    complete(&payload, now() + delay.value());
  } else {
    report(MemoryRule::begin_req_answer, answer_text(answer, phase), "one that leads on from BEGIN_REQ");
  }
  return answer;
}

::tlm::tlm_sync_enum MemoryChecker::nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const ::tlm::tlm_phase called = phase;
  const sc_core::sc_time called_delay = delay;
  if (called == ::tlm::END_REQ) {
    check_in_flight(payload);
    advance(&payload, ::tlm::END_REQ, now() + delay.value());
  } else if (called == ::tlm::BEGIN_RESP) {
    check_in_flight(payload);
    if (advance(&payload, ::tlm::BEGIN_RESP, now() + delay.value())) check_response(payload);
  } else {
    report(MemoryRule::backward_phase, called.get_name(), "END_REQ or BEGIN_RESP");
  }

  // From here on the initiator may have released the payload: only its address is used.
  const ::tlm::tlm_sync_enum answer = target_side->nb_transport_bw(payload, phase, delay);
  if (answer == ::tlm::TLM_ACCEPTED && (phase != called || delay != called_delay))
    report(MemoryRule::accepted_unchanged, say(phase.get_name(), " after ", delay.value(), " ps"),
           say(called.get_name(), " after ", called_delay.value(), " ps"));
  if (answer == ::tlm::TLM_ACCEPTED) return answer;
  if (called == ::tlm::END_REQ)
    report(MemoryRule::end_req_answer, answer_text(answer, phase), "TLM_ACCEPTED");
  else if (called == ::tlm::BEGIN_RESP &&
           (answer == ::tlm::TLM_COMPLETED || is_updated_to(answer, phase, ::tlm::END_RESP)))
    advance(&payload, ::tlm::END_RESP, now() + delay.value());
  else if (called == ::tlm::BEGIN_RESP)
    report(MemoryRule::begin_resp_answer, answer_text(answer, phase), "one that leads on from BEGIN_RESP");
  return answer;
}

void MemoryChecker::begin_request(const Payload& payload, TimePs at) {
  if (in_flight_.count(&payload) != 0)
    return report(MemoryRule::begin_req_order, "BEGIN_REQ of a transaction in flight", "its END_RESP first");
  if (blocking_.count(&payload) != 0)
    report(MemoryRule::not_mixed, "BEGIN_REQ of a transaction in b_transport", "its return first");
  if (!payload.has_mm()) report(MemoryRule::memory_manager, "no memory manager", "one");
  check_begin(payload);
  if (requesting_) report(MemoryRule::request_exclusion, "a second BEGIN_REQ", "END_REQ of the first");
  requesting_ = &payload;
  in_flight_.emplace(&payload, Flight{::tlm::BEGIN_REQ, at, Request(payload)});
  if (observed_.observer) {
    SocketTransaction what;
    what.kind = payload.is_write() ? 1 : 0;
    what.bytes = payload.get_data_length();
    what.address = payload.get_address();
    observed_.observer->begun(observed_.number, &payload, now(), at, what);
  }
  check_reference(payload);
}

/// A phase after BEGIN_REQ takes effect; false if it may not come now. Does not look at the payload itself.
bool MemoryChecker::advance(const Payload* payload, ::tlm::tlm_phase_enum phase, TimePs at) {
  const auto found = in_flight_.find(payload);
  const ::tlm::tlm_phase_enum last =
      found == in_flight_.end() ? ::tlm::UNINITIALIZED_PHASE : found->second.phase;
  const bool requested = last == ::tlm::BEGIN_REQ || (last == ::tlm::END_REQ && phase == ::tlm::BEGIN_RESP);
  if (phase == ::tlm::END_RESP ? last != ::tlm::BEGIN_RESP : !requested) {
    report(phase == ::tlm::END_REQ      ? MemoryRule::end_req_order
           : phase == ::tlm::BEGIN_RESP ? MemoryRule::begin_resp_order
                                        : MemoryRule::end_resp_order,
           say(phase_name(phase), " after ", last ? phase_name(last) : "nothing"), "the protocol's order");
    return false;
  }
  if (observed_.observer)
    observed_.observer->phase(observed_.number, payload, static_cast<SocketPhase>(phase), now(), at);
  Flight& flight = found->second;
  if (at < flight.at)
    report(MemoryRule::time_forward, say(phase_name(phase), " at ", at, " ps"),
           say("not before ", phase_name(last), " at ", flight.at, " ps"));
  flight.at = at;
  flight.phase = phase;
  if (requesting_ == payload) requesting_ = nullptr;  // BEGIN_RESP implies END_REQ
  if (phase == ::tlm::BEGIN_RESP) {
    if (responding_) report(MemoryRule::response_exclusion, "a second BEGIN_RESP", "END_RESP of the first");
    responding_ = payload;
  } else if (phase == ::tlm::END_RESP) {
    if (responding_ == payload) responding_ = nullptr;
    ++totals_.finished;
    in_flight_.erase(found);
  }
  return true;
}

/// TLM_COMPLETED in answer to BEGIN_REQ. It stands for all other phases but is no response in the sense of
/// the exclusion rule.
void MemoryChecker::complete(const Payload* payload, TimePs at) {
  const auto found = in_flight_.find(payload);
  if (found == in_flight_.end() || found->second.phase != ::tlm::BEGIN_REQ)
    return report(MemoryRule::begin_resp_order, "TLM_COMPLETED after a backward call", "instead of one");
  if (at < found->second.at)
    report(MemoryRule::time_forward, say("TLM_COMPLETED at ", at, " ps"),
           say("not before BEGIN_REQ at ", found->second.at, " ps"));
  if (observed_.observer)
    observed_.observer->phase(observed_.number, payload, SocketPhase::end_resp, now(), at);
  if (requesting_ == payload) requesting_ = nullptr;
  ++totals_.finished;
  in_flight_.erase(found);
}

/// The rules for a request of either interface, when it begins.
void MemoryChecker::check_begin(const Payload& payload) {
  ++totals_.begun;
  totals_.payload_bytes += payload.get_data_length();
  totals_.wire_bytes += payload.get_data_length();
  const ::tlm::tlm_command command = payload.get_command();
  if (command != ::tlm::TLM_IGNORE_COMMAND) check_data(payload);
  const bool known = command == ::tlm::TLM_READ_COMMAND || command == ::tlm::TLM_WRITE_COMMAND;
  if (!known && !(command == ::tlm::TLM_IGNORE_COMMAND && limits_.allow_ignore))
    report(MemoryRule::command_legal, say("command ", static_cast<int>(command)),
           limits_.allow_ignore ? "read, write or ignore" : "read or write");
  if (payload.is_dmi_allowed()) report(MemoryRule::dmi_hint, "true", "false");
  if (payload.get_response_status() != ::tlm::TLM_INCOMPLETE_RESPONSE)
    report(MemoryRule::request_status, payload.get_response_string(), "TLM_INCOMPLETE_RESPONSE");
}

void MemoryChecker::check_data(const Payload& payload) const {
  const unsigned length = payload.get_data_length();
  if (!payload.get_data_ptr()) report(MemoryRule::data_pointer, "null", "a pointer to the data");
  if (length == 0 || length > limits_.max_request_bytes)
    report(MemoryRule::data_length, say(length, " B"), say("1 B to ", limits_.max_request_bytes, " B"));
  if (payload.get_streaming_width() < length)
    report(MemoryRule::streaming_width, say(payload.get_streaming_width(), " B"),
           say("at least ", length, " B"));
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (!enables) return;
  const unsigned char* end = enables + payload.get_byte_enable_length();
  if (enables == end) report(MemoryRule::byte_enable_length, "0 byte enables", "at least one");
  const auto* wrong =
      std::find_if(enables, end, [](unsigned char enable) { return enable != 0x00 && enable != 0xff; });
  if (wrong != end)
    report(MemoryRule::byte_enable_values, say(unsigned{*wrong}, " at ", wrong - enables), "0 or 255");
}

void MemoryChecker::check_reference(const Payload& payload) const {
  if (payload.has_mm() && payload.get_ref_count() < 1)
    report(MemoryRule::reference_held, say(payload.get_ref_count(), " references"), "at least 1");
}

/// The rules that hold from BEGIN_REQ to BEGIN_RESP.
void MemoryChecker::check_in_flight(const Payload& payload) const {
  check_reference(payload);
  const auto found = in_flight_.find(&payload);
  if (found != in_flight_.end()) check_constant(payload, found->second.request);
}

void MemoryChecker::check_response(const Payload& payload) const {
  if (payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE)
    report(MemoryRule::response_status, "TLM_INCOMPLETE_RESPONSE", "TLM_OK_RESPONSE or an error");
}

void MemoryChecker::check_constant(const Payload& payload, const Request& request) const {
  if (!(Request(payload) == request))
    report(MemoryRule::request_constant, "other values", "those at the beginning");
}

void MemoryChecker::b_transport(Payload& payload, sc_core::sc_time& delay) {
  const TimePs begun = now() + delay.value();
  const Request request(payload);
  if (in_flight_.count(&payload) != 0 || !blocking_.insert(&payload).second)
    report(MemoryRule::not_mixed, "b_transport with a transaction in flight", "its end first");
  check_begin(payload);

  initiator_side->b_transport(payload, delay);

  blocking_.erase(&payload);
  ++totals_.finished;
  check_response(payload);
  check_constant(payload, request);
  if (now() + delay.value() < begun)
    report(MemoryRule::time_forward, say("return at ", now() + delay.value(), " ps"),
           say("not before the call at ", begun, " ps"));
}

unsigned MemoryChecker::transport_dbg(Payload& payload) {
  const unsigned asked = payload.get_data_length();
  if (asked != 0 && !payload.get_data_ptr())
    report(MemoryRule::data_pointer, "null", "a pointer to the data");
  const unsigned moved = initiator_side->transport_dbg(payload);
  if (moved > asked) report(MemoryRule::debug_count, say(moved, " B"), say("at most ", asked, " B"));
  return moved;
}

bool MemoryChecker::get_direct_mem_ptr(Payload& payload, ::tlm::tlm_dmi& dmi) {
  const bool granted = initiator_side->get_direct_mem_ptr(payload, dmi);
  if (granted) report(MemoryRule::dmi_refused, "granted", "refused");
  return granted;
}

void MemoryChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  target_side->invalidate_direct_mem_ptr(start, end);
}

void MemoryChecker::finish() {
  if (!in_flight_.empty() || !blocking_.empty())
    report(MemoryRule::all_done, say(in_flight_.size() + blocking_.size(), " transactions not completed"),
           "none");
}

MemoryChecker::Request::Request(const Payload& payload)
    : command(payload.get_command()),
      data(payload.get_data_ptr()),
      byte_enables(payload.get_byte_enable_ptr()),
      data_length(payload.get_data_length()),
      byte_enable_length(payload.get_byte_enable_length()),
      streaming_width(payload.get_streaming_width()) {}

bool MemoryChecker::Request::operator==(const Request& other) const {
  return command == other.command && data == other.data && byte_enables == other.byte_enables &&
         data_length == other.data_length && byte_enable_length == other.byte_enable_length &&
         streaming_width == other.streaming_width;
}

MemoryInitiatorSocket& through_checker(MemoryInitiatorSocket& socket, CheckerSet* set,
                                       const std::string& name) {
  if (!set || !SocketChoice::wants(name)) return socket;
  MemoryChecker& checker = set->add<MemoryChecker>(name, MemoryLimits{});
  connect(socket, checker.target_side);
  return checker.initiator_side;
}

}  // namespace wafertlm
