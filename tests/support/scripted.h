// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/checking/checking.h"
#include "tlm/kernel/scheduler.h"

namespace wafertlm {

/// What the next call of a scripted module answers; it may change phase and delay, or call back.
template <typename Payload>
using Answer = std::function<::tlm::tlm_sync_enum(Payload&, ::tlm::tlm_phase&, sc_core::sc_time&)>;

template <typename Payload>
Answer<Payload> always(::tlm::tlm_sync_enum answer) {
  return [answer](Payload&, ::tlm::tlm_phase&, sc_core::sc_time&) { return answer; };
}
/// TLM_UPDATED to `phase`, after `more_ps` more.
template <typename Payload>
Answer<Payload> updated(::tlm::tlm_phase_enum phase, TimePs more_ps = 0) {
  return [=](Payload&, ::tlm::tlm_phase& now, sc_core::sc_time& delay) {
    now = phase;
    delay += to_sc_time(more_ps);
    return ::tlm::TLM_UPDATED;
  };
}

/// An initiator that sends what the test tells it to, and answers backward calls with `answer`.
template <typename Socket, typename BackwardIf, typename Payload>
struct ScriptedInitiator : sc_core::sc_module, BackwardIf {
  explicit ScriptedInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.bind(static_cast<BackwardIf&>(*this));
  }
  ::tlm::tlm_sync_enum call(Payload& payload, ::tlm::tlm_phase phase, TimePs delay_ps = 0) {
    sc_core::sc_time delay = to_sc_time(delay_ps);
    return socket->nb_transport_fw(payload, phase, delay);
  }
  ::tlm::tlm_sync_enum nb_transport_bw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
    return answer(payload, phase, delay);
  }
  Socket socket{"socket"};
  Answer<Payload> answer = always<Payload>(::tlm::TLM_ACCEPTED);
};

/// The same at the other end.
template <typename Socket, typename ForwardIf, typename Payload>
struct ScriptedTarget : sc_core::sc_module, ForwardIf {
  explicit ScriptedTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.bind(static_cast<ForwardIf&>(*this));
  }
  ::tlm::tlm_sync_enum call(Payload& payload, ::tlm::tlm_phase phase, TimePs delay_ps = 0) {
    sc_core::sc_time delay = to_sc_time(delay_ps);
    return socket->nb_transport_bw(payload, phase, delay);
  }
  ::tlm::tlm_sync_enum nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
    return answer(payload, phase, delay);
  }
  Socket socket{"socket"};
  Answer<Payload> answer = always<Payload>(::tlm::TLM_ACCEPTED);
};

/// Lets simulated time pass.
inline void wait_ps(TimePs time) { sc_core::sc_start(to_sc_time(time)); }

/// Keeps the violations that a checker reports.
class Violations {
 public:
  ViolationHandler handler() {
    return [this](const Violation& violation) { seen_.push_back(violation); };
  }
  std::vector<std::string> rules() const {
    std::vector<std::string> rules;
    for (const Violation& violation : seen_) rules.emplace_back(violation.rule.name);
    return rules;
  }
  /// All of them, for the message of a failed expectation.
  std::string text() const {
    std::string text;
    for (const Violation& violation : seen_) text += to_string(violation) + "\n";
    return text;
  }

 private:
  std::vector<Violation> seen_;
};

/// A conversation that breaks `rule` and no other; with null, none.
template <typename Bench>
struct Conversation {
  const char* rule;
  std::function<void(Bench&)> hold;
  const char* variant = "";

  std::string name() const { return std::string(rule ? rule : "legal") + (*variant ? "_" : "") + variant; }
  friend void PrintTo(const Conversation& conversation, std::ostream* out) { *out << conversation.name(); }
};

/// Holds one conversation on a new bench and compares what the checker reported.
template <typename Bench>
void expect_caught(const Conversation<Bench>& conversation) {
  Bench bench;
  wait_ps(1000);
  conversation.hold(bench);
  bench.checkers.finish();
  const std::vector<std::string> expected =
      conversation.rule ? std::vector<std::string>{conversation.rule} : std::vector<std::string>{};
  EXPECT_EQ(bench.violations.rules(), expected) << bench.violations.text();
}

/// Every rule has a conversation that breaks it.
template <typename Bench, std::size_t N>
void expect_all_covered(const RuleText (&rules)[N], const std::vector<Conversation<Bench>>& conversations) {
  std::set<std::string> broken;
  for (const auto& conversation : conversations)
    if (conversation.rule) broken.insert(conversation.rule);
  for (const RuleText& rule : rules) EXPECT_EQ(broken.count(rule.name), 1U) << rule.name << ": no case";
  EXPECT_EQ(broken.size(), N);
}

}  // namespace wafertlm
