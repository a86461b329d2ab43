// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "tlm/checking/socket_choice.h"
#include "tlm/checking/socket_observer.h"
#include "tlm/kernel/say.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// A rule of a protocol, as the user reads it. Each protocol lists its rules once, as RULE(name, text)
/// entries of a macro that makes both the enumerators and the texts.
struct RuleText {
  const char* name;
  const char* text;
};
#define WAFERTLM_RULE_ENUMERATOR(name, text) name,
#define WAFERTLM_RULE_TEXT(name, text) ::wafertlm::RuleText{#name, text},

/// A broken rule: where, which, when, and what was seen in place of what.
struct Violation {
  std::string checker;
  RuleText rule;
  TimePs at_ps;
  std::string seen, expected;
};
/// "<checker>: <rule> at <time> ps: <text>; saw …, expected …"
std::string to_string(const Violation& violation);

class ProtocolViolation : public std::runtime_error {
 public:
  explicit ProtocolViolation(const Violation& violation) : std::runtime_error(to_string(violation)) {}
};

/// What happens at a violation. If the handler returns, the call is passed on as if nothing had happened.
using ViolationHandler = std::function<void(const Violation&)>;
/// The default. @throws ProtocolViolation.
void throw_violation(const Violation& violation);

/// Of one in-network flow on a link: each packet once, and what came again (Go-Back-N). Payload bytes.
struct FlowTotals {
  std::uint64_t operation = 0, number = 0;
  std::uint64_t packets = 0, bytes = 0;
  std::uint64_t repeated_packets = 0, repeated_bytes = 0;
};

/// What went through a checker; the bytes are those of the requests that began.
struct CheckerTotals {
  std::string name;
  std::uint64_t begun = 0, finished = 0;  ///< packets or transactions
  std::uint64_t payload_bytes = 0, wire_bytes = 0;
  std::uint64_t answers = 0, answer_bytes = 0;  ///< control packets of Go-Back-N among them, on the wire
  std::vector<FlowTotals> flows;                ///< by key; after finish()
};

/// A module between an initiator socket and a target socket that passes every call on unchanged and checks
/// the protocol's rules. It adds no delay and no event, so results are the same with and without it. It never
/// looks at a payload after the call that may have ended its life.
class Checker : public sc_core::sc_module {
 public:
  /// The rules that can only be checked when the run is over.
  virtual void finish() = 0;
  const CheckerTotals& totals() const { return totals_; }
  /// Tells `observer`, as socket number `number`, about every phase from now on.
  void observe(SocketObserver& observer, std::size_t number) { observed_ = {&observer, number}; }

 protected:
  Checker(const sc_core::sc_module_name& name, ViolationHandler handler);

  virtual TimePs now() const { return sc_core::sc_time_stamp().value(); }
  template <typename Rule>
  void report(Rule rule, std::string seen, std::string expected) const {
    handler_({name(), text_of(rule), now(), std::move(seen), std::move(expected)});
  }

  CheckerTotals totals_;
  ObservedSocket observed_;

 private:
  ViolationHandler handler_;
};

/// The checkers of a platform. Must live as long as the simulation.
class CheckerSet {
 public:
  explicit CheckerSet(ViolationHandler handler = throw_violation) : handler_(std::move(handler)) {}

  /// Makes a checker in the current place of the module hierarchy; `name` has no dots.
  template <typename T, typename... Args>
  T& add(const std::string& name, const Args&... args) {
    auto checker = std::make_unique<T>(name.c_str(), args..., handler_);
    T& made = *checker;
    checkers_.push_back(std::move(checker));
    return made;
  }
  /// Call when the simulation is over.
  void finish() {
    for (const auto& checker : checkers_) checker->finish();
  }
  /// In the order in which the checkers were made.
  std::vector<CheckerTotals> totals() const;

 private:
  ViolationHandler handler_;
  std::vector<std::unique_ptr<Checker>> checkers_;
};

/// As in the code: "TLM_ACCEPTED".
const char* answer_name(::tlm::tlm_sync_enum answer);
inline const char* phase_name(::tlm::tlm_phase_enum phase) { return ::tlm::tlm_phase(phase).get_name(); }

/// Binds sockets of one protocol. The bus width is no property of the protocol: different widths may meet
/// (but a multi_passthrough socket insists on its own).
template <unsigned W1, unsigned W2, typename Fw, typename Bw, int N, sc_core::sc_port_policy P>
void connect(::tlm::tlm_base_initiator_socket<W1, Fw, Bw, N, P>& initiator,
             ::tlm::tlm_base_target_socket_b<W2, Fw, Bw>& target) {
  if constexpr (W1 == W2) {
    initiator.bind(target);
  } else {  // what bind() does, without its comparison of widths
    initiator.get_base_port()(target.get_base_interface());
    target.get_base_port()(initiator.get_base_interface());
  }
}

/// Binds `initiator` to `target` through a new checker of type T, or directly if `set` is null or does not
/// want one here (SocketChoice).
template <typename T, typename Initiator, typename Target, typename... Args>
void connect_checked(Initiator& initiator, Target& target, CheckerSet* set, const std::string& name,
                     const Args&... args) {
  if (!set || !SocketChoice::wants(name)) return connect(initiator, target);
  T& checker = set->add<T>(name, args...);
  connect(initiator, checker.target_side);
  connect(checker.initiator_side, target);
}

}  // namespace wafertlm
