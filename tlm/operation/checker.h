// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <unordered_map>

#include "tlm/checking/checking.h"
#include "tlm/operation/protocol.h"

namespace wafertlm {

// A phase takes effect at the time of the call plus the annotated delay.
#define WAFERTLM_OPERATION_RULES(RULE)                                                                   \
  RULE(forward_phase, "only BEGIN_REQ and END_RESP go forward")                                          \
  RULE(backward_phase, "only END_REQ and BEGIN_RESP go backward")                                        \
  RULE(begin_req_answer, "BEGIN_REQ is answered with TLM_ACCEPTED")                                      \
  RULE(end_req_answer, "END_REQ is answered with TLM_ACCEPTED")                                          \
  RULE(begin_resp_answer, "BEGIN_RESP is answered with TLM_ACCEPTED")                                    \
  RULE(end_resp_answer, "END_RESP is answered with TLM_COMPLETED")                                       \
  RULE(begin_req_order, "BEGIN_REQ starts an operation that is not in flight")                           \
  RULE(end_req_order, "END_REQ follows BEGIN_REQ, once")                                                 \
  RULE(begin_resp_order, "BEGIN_RESP follows END_REQ, once")                                             \
  RULE(end_resp_order, "END_RESP follows BEGIN_RESP, once")                                              \
  RULE(time_forward, "a phase does not take effect before the one that it follows")                      \
  RULE(extension_present, "the payload carries an Operation from BEGIN_REQ to BEGIN_RESP")               \
  RULE(request_status, "the response status is TLM_INCOMPLETE_RESPONSE at BEGIN_REQ")                    \
  RULE(response_status, "the response status is set at BEGIN_RESP")                                      \
  RULE(request_constant, "the request fields do not change from BEGIN_REQ to BEGIN_RESP")                \
  RULE(kind_known, "the kind is one of Operation::Kind")                                                 \
  RULE(class_in_range, "the traffic class is less than kMaxClasses")                                     \
  RULE(duration_fits, "a computation ends before simulated time does")                                   \
  RULE(bytes_fit, "bytes are less than 2^53, and their addresses do not wrap")                           \
  RULE(memory_bytes, "a memory load or store moves at least a byte")                                     \
  RULE(collective_number, "a collective has an id greater than 0")                                       \
  RULE(collective_program, "a collective has a program, with a group")                                   \
  RULE(collective_rank, "a collective's rank is a position in its group")                                \
  RULE(collective_sources, "a program has a source of steps for each rank of its group, or none at all") \
  RULE(start_after_request, "an operation starts no sooner than its BEGIN_REQ")                          \
  RULE(end_after_start, "an operation ends no sooner than it starts")                                    \
  RULE(response_after_end, "BEGIN_RESP comes no sooner than the operation ends")                         \
  RULE(all_done, "at the end every operation has got its END_RESP")

enum class OperationRule { WAFERTLM_OPERATION_RULES(WAFERTLM_RULE_ENUMERATOR) };
inline constexpr RuleText kOperationRules[] = {WAFERTLM_OPERATION_RULES(WAFERTLM_RULE_TEXT)};
constexpr RuleText text_of(OperationRule rule) { return kOperationRules[static_cast<std::size_t>(rule)]; }

/// Checks one operation socket. Totals count operations and the bytes that they name (a collective's are its
/// program's); nothing is on a wire here.
class OperationChecker : public Checker, private OperationForwardIf, private OperationBackwardIf {
 public:
  explicit OperationChecker(const sc_core::sc_module_name& name, ViolationHandler handler = throw_violation);

  OperationTargetSocket target_side{"target_side"};           ///< bind the sequencer's socket to this one
  OperationInitiatorSocket initiator_side{"initiator_side"};  ///< bind this one to the NPU's socket

  void finish() override;

 private:
  using Payload = ::tlm::tlm_generic_payload;
  struct Flight {
    ::tlm::tlm_phase_enum phase;  // the last one
    TimePs at, begun_ps;
    Operation request;  // as it was at BEGIN_REQ
  };

  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void begin_request(const Payload& payload, TimePs at);
  Flight* follow(const Payload& payload, ::tlm::tlm_phase_enum phase, TimePs at);
  void begin_response(const Payload& payload, TimePs at);
  void check_request(const Operation& operation, TimePs at);
  void check_collective(const Operation& operation);
  void check_answer(OperationRule rule, ::tlm::tlm_sync_enum answer, ::tlm::tlm_sync_enum legal) const;

  std::unordered_map<const Payload*, Flight> in_flight_;
};

/// Binds an operation socket, through a checker of `set` or, if that is null, directly.
inline void bind_checked(OperationInitiatorSocket& initiator, OperationTargetSocket& target, CheckerSet* set,
                         const std::string& name) {
  connect_checked<OperationChecker>(initiator, target, set, name);
}

}  // namespace wafertlm
