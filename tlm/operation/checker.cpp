// SPDX-License-Identifier: Apache-2.0
#include "tlm/operation/checker.h"

#include <utility>

#include "tlm/packets/class_table.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 53;  // as in Line
constexpr TimePs kEndOfTime = kNever >> 1;

bool same_request(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.traffic_class == b.traffic_class && a.duration_ps == b.duration_ps &&
         a.operations == b.operations && a.products == b.products && a.collective_id == b.collective_id &&
         a.rank == b.rank && a.program == b.program && a.peer == b.peer && a.tag == b.tag &&
         a.bytes == b.bytes && a.address == b.address;
}

::tlm::tlm_phase_enum before(::tlm::tlm_phase_enum phase) {
  return static_cast<::tlm::tlm_phase_enum>(phase - 1);
}

OperationRule order_rule(::tlm::tlm_phase_enum phase) {
  return phase == ::tlm::END_REQ      ? OperationRule::end_req_order
         : phase == ::tlm::BEGIN_RESP ? OperationRule::begin_resp_order
                                      : OperationRule::end_resp_order;
}

}  // namespace

OperationChecker::OperationChecker(const sc_core::sc_module_name& name, ViolationHandler handler)
    : Checker(name, std::move(handler)) {
  target_side.bind(static_cast<OperationForwardIf&>(*this));
  initiator_side.bind(static_cast<OperationBackwardIf&>(*this));
}

::tlm::tlm_sync_enum OperationChecker::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  const ::tlm::tlm_phase called = phase;
  const TimePs at = now() + delay.value();
  if (called == ::tlm::BEGIN_REQ) {
    begin_request(payload, at);
  } else if (called == ::tlm::END_RESP) {
    if (follow(payload, ::tlm::END_RESP, at)) {
      ++totals_.finished;
      in_flight_.erase(&payload);
    }
  } else {
    report(OperationRule::forward_phase, called.get_name(), "BEGIN_REQ or END_RESP");
  }
  const ::tlm::tlm_sync_enum answer = initiator_side->nb_transport_fw(payload, phase, delay);
  if (called == ::tlm::BEGIN_REQ) check_answer(OperationRule::begin_req_answer, answer, ::tlm::TLM_ACCEPTED);
  if (called == ::tlm::END_RESP) check_answer(OperationRule::end_resp_answer, answer, ::tlm::TLM_COMPLETED);
  return answer;
}

::tlm::tlm_sync_enum OperationChecker::nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  const ::tlm::tlm_phase called = phase;
  const TimePs at = now() + delay.value();
  if (called == ::tlm::END_REQ)
    follow(payload, ::tlm::END_REQ, at);
  else if (called == ::tlm::BEGIN_RESP)
    begin_response(payload, at);
  else
    report(OperationRule::backward_phase, called.get_name(), "END_REQ or BEGIN_RESP");
  const ::tlm::tlm_sync_enum answer = target_side->nb_transport_bw(payload, phase, delay);
  if (called == ::tlm::END_REQ) check_answer(OperationRule::end_req_answer, answer, ::tlm::TLM_ACCEPTED);
  if (called == ::tlm::BEGIN_RESP)
    check_answer(OperationRule::begin_resp_answer, answer, ::tlm::TLM_ACCEPTED);
  return answer;
}

void OperationChecker::check_answer(OperationRule rule, ::tlm::tlm_sync_enum answer,
                                    ::tlm::tlm_sync_enum legal) const {
  if (answer != legal) report(rule, answer_name(answer), answer_name(legal));
}

void OperationChecker::begin_request(const Payload& payload, TimePs at) {
  if (in_flight_.count(&payload) != 0)
    return report(OperationRule::begin_req_order, "BEGIN_REQ of an operation in flight",
                  "its END_RESP first");
  if (payload.get_response_status() != ::tlm::TLM_INCOMPLETE_RESPONSE)
    report(OperationRule::request_status, payload.get_response_string(), "TLM_INCOMPLETE_RESPONSE");
  const Operation* operation = payload.get_extension<Operation>();
  if (!operation) return report(OperationRule::extension_present, "no Operation at BEGIN_REQ", "one");
  check_request(*operation, at);
  ++totals_.begun;
  const bool collective = operation->kind == Operation::Kind::collective;
  totals_.payload_bytes += !collective          ? operation->bytes
                           : operation->program ? operation->program->bytes
                                                : 0;
  in_flight_.emplace(&payload, Flight{::tlm::BEGIN_REQ, at, at, *operation});
  if (!observed_.observer) return;
  SocketTransaction what;
  what.kind = static_cast<std::uint8_t>(operation->kind);
  what.bytes = collective && operation->program ? operation->program->bytes : operation->bytes;
  what.stream = operation->collective_id;
  what.tag = operation->tag;
  what.address = operation->address;
  what.destination = static_cast<std::uint32_t>(index_of(operation->peer));
  what.traffic_class = static_cast<std::uint8_t>(index_of(operation->traffic_class));
  observed_.observer->begun(observed_.number, &payload, now(), at, what);
}

/// Any phase after BEGIN_REQ; null if it may not come now.
OperationChecker::Flight* OperationChecker::follow(const Payload& payload, ::tlm::tlm_phase_enum phase,
                                                   TimePs at) {
  const auto found = in_flight_.find(&payload);
  if (found == in_flight_.end() || found->second.phase != before(phase)) {
    const char* last = found == in_flight_.end() ? "nothing" : phase_name(found->second.phase);
    report(order_rule(phase), say(phase_name(phase), " after ", last),
           say("after ", phase_name(before(phase))));
    return nullptr;
  }
  if (observed_.observer)
    observed_.observer->phase(observed_.number, &payload, static_cast<SocketPhase>(phase), now(), at);
  Flight& flight = found->second;
  if (at < flight.at)
    report(OperationRule::time_forward, say(phase_name(phase), " at ", at, " ps"),
           say("not before ", phase_name(flight.phase), " at ", flight.at, " ps"));
  flight.phase = phase;
  flight.at = at;
  if (phase == ::tlm::END_RESP) return &flight;  // the payload is the sequencer's again
  const Operation* operation = payload.get_extension<Operation>();
  if (!operation)
    report(OperationRule::extension_present, say("no Operation at ", phase_name(phase)), "one");
  else if (!same_request(*operation, flight.request))
    report(OperationRule::request_constant, say("other values at ", phase_name(phase)), "those of BEGIN_REQ");
  return &flight;
}

void OperationChecker::begin_response(const Payload& payload, TimePs at) {
  const Flight* flight = follow(payload, ::tlm::BEGIN_RESP, at);
  const Operation* done = payload.get_extension<Operation>();
  if (!flight || !done) return;
  if (payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE)
    report(OperationRule::response_status, "TLM_INCOMPLETE_RESPONSE", "TLM_OK_RESPONSE or an error");
  if (done->start_ps < flight->begun_ps)
    report(OperationRule::start_after_request, say("start_ps ", done->start_ps),
           say("at least ", flight->begun_ps));
  if (done->end_ps < done->start_ps)
    report(OperationRule::end_after_start, say("end_ps ", done->end_ps), say("at least ", done->start_ps));
  if (at < done->end_ps)
    report(OperationRule::response_after_end, say("BEGIN_RESP at ", at, " ps"),
           say("not before end_ps ", done->end_ps));
}

void OperationChecker::check_request(const Operation& operation, TimePs at) {
  using Kind = Operation::Kind;
  if (operation.kind < Kind::compute || operation.kind > Kind::memory_store)
    report(OperationRule::kind_known, say("kind ", static_cast<int>(operation.kind)), "0 to 5");
  if (index_of(operation.traffic_class) >= kMaxClasses)
    report(OperationRule::class_in_range, say("class ", index_of(operation.traffic_class)),
           say("less than ", kMaxClasses));
  if (operation.duration_ps > kEndOfTime - at)
    report(OperationRule::duration_fits, say(operation.duration_ps, " ps"),
           say("at most ", kEndOfTime - at, " ps"));
  if (operation.bytes >= kMaxBytes || operation.address + operation.bytes < operation.address)
    report(OperationRule::bytes_fit, say(operation.bytes, " B at address ", operation.address),
           "less than 2^53 B within 64 bits of address");
  const bool memory = operation.kind == Kind::memory_load || operation.kind == Kind::memory_store;
  if (memory && operation.bytes == 0) report(OperationRule::memory_bytes, "0 B", "at least 1 B");
  if (operation.kind == Kind::collective) check_collective(operation);
}

void OperationChecker::check_collective(const Operation& operation) {
  if (operation.collective_id == 0) report(OperationRule::collective_number, "id 0", "more than 0");
  if (!operation.program || operation.program->group.empty())
    return report(OperationRule::collective_program, operation.program ? "an empty group" : "no program",
                  "a program with a group");
  const std::size_t size = operation.program->group.size(), sources = operation.program->ranks.size();
  if (operation.rank >= size)
    report(OperationRule::collective_rank, say("rank ", operation.rank), say("less than ", size));
  if (sources != 0 && sources != size)
    report(OperationRule::collective_sources, say(sources, " sources"), say("0 or ", size));
}

void OperationChecker::finish() {
  if (!in_flight_.empty())
    report(OperationRule::all_done, say(in_flight_.size(), " operations not finished"), "none");
}

}  // namespace wafertlm
