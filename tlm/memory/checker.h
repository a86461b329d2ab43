// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tlm/checking/checking.h"
#include "tlm/memory/protocol.h"

namespace wafertlm {

// The base protocol's rules (IEEE 1666-2011, clauses 14 and 15.2) and the few that we add: no DMI, no
// streaming, no phases of one's own, requests of limited size. A phase takes effect at the time of the call
// (or return) plus the annotated delay. The address may change: an interconnect translates it in place.
#define WAFERTLM_MEMORY_RULES(RULE)                                                                         \
  RULE(forward_phase, "only BEGIN_REQ and END_RESP go forward")                                             \
  RULE(backward_phase, "only END_REQ and BEGIN_RESP go backward")                                           \
  RULE(begin_req_answer,                                                                                    \
       "BEGIN_REQ is answered with TLM_ACCEPTED, TLM_UPDATED to END_REQ or BEGIN_RESP, or TLM_COMPLETED")   \
  RULE(end_req_answer, "END_REQ is answered with TLM_ACCEPTED")                                             \
  RULE(begin_resp_answer,                                                                                   \
       "BEGIN_RESP is answered with TLM_ACCEPTED, TLM_UPDATED to END_RESP, or TLM_COMPLETED")               \
  RULE(end_resp_answer, "END_RESP is answered with TLM_ACCEPTED or TLM_COMPLETED")                          \
  RULE(accepted_unchanged, "who answers TLM_ACCEPTED leaves phase and delay alone")                         \
  RULE(begin_req_order, "BEGIN_REQ starts a transaction that is not in flight")                             \
  RULE(end_req_order, "END_REQ follows BEGIN_REQ, at most once")                                            \
  RULE(begin_resp_order, "BEGIN_RESP, or early completion, follows BEGIN_REQ or END_REQ, once")             \
  RULE(end_resp_order, "END_RESP follows BEGIN_RESP, once")                                                 \
  RULE(not_mixed, "a transaction in b_transport does not use the other interface, nor the other way round") \
  RULE(request_exclusion, "one BEGIN_REQ at a time waits for its END_REQ on a socket")                      \
  RULE(response_exclusion, "one BEGIN_RESP at a time waits for its END_RESP on a socket")                   \
  RULE(time_forward, "a phase does not take effect before the one that it follows")                         \
  RULE(memory_manager, "a payload of the non-blocking interface has a memory manager")                      \
  RULE(reference_held, "somebody holds a reference to a payload in flight")                                 \
  RULE(command_legal, "the command is a read or a write, or to be ignored where that is allowed")           \
  RULE(data_pointer, "the data pointer is not null")                                                        \
  RULE(data_length, "the data length is at least a byte and at most the largest request")                   \
  RULE(streaming_width, "the streaming width is not less than the data length")                             \
  RULE(byte_enable_length, "a byte enable pointer comes with a length")                                     \
  RULE(byte_enable_values, "a byte enable is 0x00 or 0xff")                                                 \
  RULE(dmi_hint, "the DMI hint is false when a request begins")                                             \
  RULE(request_status, "the response status is TLM_INCOMPLETE_RESPONSE when a request begins")              \
  RULE(response_status, "the response status is set when a response begins")                                \
  RULE(request_constant,                                                                                    \
       "command, data pointer and length, byte enables and width stay the same until the response")         \
  RULE(dmi_refused,                                                                                         \
       "no direct memory pointer is granted: what goes past a socket is neither timed nor seen")            \
  RULE(debug_count, "transport_dbg moves no more bytes than it was asked to")                               \
  RULE(all_done, "at the end every transaction is completed")

enum class MemoryRule { WAFERTLM_MEMORY_RULES(WAFERTLM_RULE_ENUMERATOR) };
inline constexpr RuleText kMemoryRules[] = {WAFERTLM_MEMORY_RULES(WAFERTLM_RULE_TEXT)};
constexpr RuleText text_of(MemoryRule rule) { return kMemoryRules[static_cast<std::size_t>(rule)]; }

/// What one platform allows beyond the standard's rules, or less.
struct MemoryLimits {
  std::uint32_t max_request_bytes = kMaxRequestBytes;
  bool allow_ignore = false;  ///< TLM_IGNORE_COMMAND, for extensions that replace the command
};

/// Checks one memory socket. Totals count transactions of both interfaces and their data bytes, which are
/// also its wire bytes; debug accesses do not count.
class MemoryChecker : public Checker, private MemoryForwardIf, private MemoryBackwardIf {
 public:
  MemoryChecker(const sc_core::sc_module_name& name, const MemoryLimits& limits,
                ViolationHandler handler = throw_violation);

  MemoryTargetSocket target_side{"target_side"};           ///< bind the initiator's socket to this one
  MemoryInitiatorSocket initiator_side{"initiator_side"};  ///< bind this one to the memory's socket

  void finish() override;

 private:
  using Payload = ::tlm::tlm_generic_payload;
  /// The attributes that stay as they are.
  struct Request {
    explicit Request(const Payload& payload);
    bool operator==(const Request& other) const;
    ::tlm::tlm_command command;
    const unsigned char *data, *byte_enables;
    unsigned data_length, byte_enable_length, streaming_width;
  };
  struct Flight {
    ::tlm::tlm_phase_enum phase;  // the last one
    TimePs at;
    Request request;
  };

  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override;
  bool get_direct_mem_ptr(Payload& payload, ::tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  void begin_request(const Payload& payload, TimePs at);
  bool advance(const Payload* payload, ::tlm::tlm_phase_enum phase, TimePs at);
  void complete(const Payload* payload, TimePs at);
  void check_begin(const Payload& payload);
  void check_data(const Payload& payload) const;
  void check_reference(const Payload& payload) const;
  void check_in_flight(const Payload& payload) const;
  void check_response(const Payload& payload) const;
  void check_constant(const Payload& payload, const Request& request) const;

  const MemoryLimits limits_;
  std::unordered_map<const Payload*, Flight> in_flight_;
  std::unordered_set<const Payload*> blocking_;  // in b_transport
  const Payload* requesting_ = nullptr;          // its END_REQ is awaited
  const Payload* responding_ = nullptr;          // its END_RESP is awaited
};

/// What is to be bound in place of `socket`: the far side of a new checker of `set`, or itself if that is
/// null.
MemoryInitiatorSocket& through_checker(MemoryInitiatorSocket& socket, CheckerSet* set,
                                       const std::string& name);

/// Binds a memory socket, through a checker of `set` or, if that is null, directly. Any sockets of the base
/// protocol will do, of any width.
template <unsigned W1, unsigned W2, int N, sc_core::sc_port_policy P>
void bind_checked(::tlm::tlm_base_initiator_socket<W1, MemoryForwardIf, MemoryBackwardIf, N, P>& initiator,
                  ::tlm::tlm_base_target_socket_b<W2, MemoryForwardIf, MemoryBackwardIf>& target,
                  CheckerSet* set, const std::string& name, const MemoryLimits& limits = {}) {
  connect_checked<MemoryChecker>(initiator, target, set, name, limits);
}

}  // namespace wafertlm
