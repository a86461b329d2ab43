// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/checker.h"

#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

#include "tests/support/scripted.h"

namespace wafertlm {
namespace {

using Payload = ::tlm::tlm_generic_payload;

/// An initiator with the parts of the interface that the others do not have.
struct Initiator : ScriptedInitiator<MemoryInitiatorSocket, MemoryBackwardIf, Payload> {
  using ScriptedInitiator::ScriptedInitiator;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64 end) override { invalidated = end; }
  sc_dt::uint64 invalidated = 0;
};
struct Target : ScriptedTarget<MemoryTargetSocket, MemoryForwardIf, Payload> {
  using ScriptedTarget::ScriptedTarget;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { blocking(payload, delay); }
  unsigned transport_dbg(Payload&) override { return debug_count; }
  bool get_direct_mem_ptr(Payload&, ::tlm::tlm_dmi&) override { return grants_dmi; }

  std::function<void(Payload&, sc_core::sc_time&)> blocking = [](Payload& payload, sc_core::sc_time&) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  };
  unsigned debug_count = 0;
  bool grants_dmi = false;
};

struct NoPool : ::tlm::tlm_mm_interface {
  void free(Payload*) override {}
};

struct Bench {
  explicit Bench(const MemoryLimits& limits = {}) {
    bind_checked(initiator.socket, target.socket, &checkers, "checker", limits);
    for (Payload* payload : {&first, &second}) {
      payload->set_mm(&pool);
      payload->acquire();
      payload->set_read();
      payload->set_data_ptr(data);
      payload->set_data_length(64);
      payload->set_streaming_width(64);
    }
  }
  void begin(Payload& payload) { initiator.call(payload, ::tlm::BEGIN_REQ); }
  void accept(Payload& payload) { target.call(payload, ::tlm::END_REQ); }
  void respond(Payload& payload) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    target.call(payload, ::tlm::BEGIN_RESP);
  }
  void end(Payload& payload) { initiator.call(payload, ::tlm::END_RESP); }
  void whole(Payload& payload) {
    begin(payload);
    accept(payload);
    respond(payload);
    end(payload);
  }
  void block(Payload& payload) {
    sc_core::sc_time delay = to_sc_time(10);
    initiator.socket->b_transport(payload, delay);
  }

  NoPool pool;
  unsigned char data[64] = {}, enables[4] = {0xff, 0, 0xff, 0};
  Payload first, second;
  Violations violations;
  CheckerSet checkers{violations.handler()};
  Initiator initiator{"initiator"};
  Target target{"target"};
};
using Case = Conversation<Bench>;

/// A whole transaction; `spoil` is done before BEGIN_REQ.
Case request(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            spoil(bench, bench.first);
            bench.whole(bench.first);
          },
          variant};
}
/// The same over b_transport.
Case blocking(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant) {
  return {rule,
          [spoil](Bench& bench) {
            spoil(bench, bench.first);
            bench.block(bench.first);
          },
          variant};
}
/// A whole transaction; `spoil` is done between END_REQ and BEGIN_RESP.
Case in_flight(const char* rule, void (*spoil)(Bench&, Payload&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            bench.begin(bench.first);
            bench.accept(bench.first);
            spoil(bench, bench.first);
            bench.respond(bench.first);
            bench.end(bench.first);
          },
          variant};
}
/// An answer together with the response status.
Answer<Payload> with_status(Answer<Payload> answer) {
  return [=](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    return answer(payload, phase, delay);
  };
}
/// Completes the payload, lets go of it and spoils it, as a pool may.
::tlm::tlm_sync_enum release(Payload& payload, ::tlm::tlm_sync_enum answer) {
  payload.release();
  payload.set_data_ptr(nullptr);
  payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  return answer;
}

const Answer<Payload> kCompleted = always<Payload>(::tlm::TLM_COMPLETED);

const std::vector<Case> kLegal = {
    request(
        nullptr, [](Bench&, Payload&) {}, "four_phases"),
    request(
        nullptr, [](Bench&, Payload& payload) { payload.set_write(); }, "write"),
    request(
        nullptr,
        [](Bench& bench, Payload& payload) {
          payload.set_byte_enable_ptr(bench.enables);
          payload.set_byte_enable_length(4);
        },
        "byte_enables"),
    request(
        nullptr, [](Bench&, Payload& payload) { payload.set_streaming_width(65536); }, "wide"),
    in_flight(
        nullptr, [](Bench&, Payload& payload) { payload.set_address(4096); }, "translated_address"),
    in_flight(
        nullptr, [](Bench&, Payload& payload) { payload.set_dmi_allowed(true); }, "dmi_offered"),
    request(
        nullptr,
        [](Bench& bench, Payload&) {
          bench.target.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
            return phase == ::tlm::END_RESP ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
          };
        },
        "end_resp_completed"),
    {nullptr,
     [](Bench& bench) {  // BEGIN_REQ → TLM_UPDATED to END_REQ
       bench.target.answer = updated<Payload>(::tlm::END_REQ, 5);
       bench.begin(bench.first);
       bench.begin(bench.second);
       bench.target.answer = always<Payload>(::tlm::TLM_ACCEPTED);
       wait_ps(5);
       bench.respond(bench.first);
       bench.end(bench.first);
       bench.respond(bench.second);
       bench.end(bench.second);
     },
     "updated_end_req"},
    {nullptr,
     [](Bench& bench) {  // BEGIN_REQ → TLM_UPDATED to BEGIN_RESP
       bench.target.answer = with_status(updated<Payload>(::tlm::BEGIN_RESP, 5));
       bench.begin(bench.first);
       bench.target.answer = always<Payload>(::tlm::TLM_ACCEPTED);
       wait_ps(5);
       bench.end(bench.first);
     },
     "updated_begin_resp"},
    {nullptr,
     [](Bench& bench) {  // BEGIN_REQ → TLM_COMPLETED, twice at once
       bench.target.answer = with_status(kCompleted);
       bench.begin(bench.first);
       bench.begin(bench.second);
     },
     "early_completion"},
    {nullptr,
     [](Bench& bench) {  // BEGIN_RESP without END_REQ, which it implies; the next request may come at once
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.begin(bench.second);
       bench.end(bench.first);
       bench.respond(bench.second);
       bench.end(bench.second);
     },
     "end_req_skipped"},
    {nullptr,
     [](Bench& bench) {  // BEGIN_RESP → TLM_UPDATED to END_RESP, and the payload is gone
       bench.initiator.answer = [](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
         phase = ::tlm::END_RESP;
         return release(payload, ::tlm::TLM_UPDATED);
       };
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
     },
     "updated_end_resp"},
    {nullptr,
     [](Bench& bench) {  // BEGIN_RESP → TLM_COMPLETED, and the payload is gone
       bench.initiator.answer = [](Payload& payload, ::tlm::tlm_phase&, sc_core::sc_time&) {
         return release(payload, ::tlm::TLM_COMPLETED);
       };
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.begin(bench.second);
       bench.initiator.answer = always<Payload>(::tlm::TLM_ACCEPTED);
       bench.respond(bench.second);
       bench.end(bench.second);
     },
     "begin_resp_completed"},
    {nullptr,
     [](Bench& bench) {  // a pipeline: the second request while the first waits; responses change places
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.begin(bench.second);
       bench.accept(bench.second);
       bench.respond(bench.second);
       bench.end(bench.second);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "pipelined"},
    {nullptr,
     [](Bench& bench) {  // every phase from within the one before it, the next request within END_REQ
       bench.initiator.answer = [&](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase == ::tlm::BEGIN_RESP) bench.end(payload);
         if (phase == ::tlm::END_REQ && &payload == &bench.first) bench.begin(bench.second);
         return ::tlm::TLM_ACCEPTED;
       };
       bench.target.answer = [&](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_ACCEPTED;
         bench.accept(payload);
         bench.respond(payload);
         return ::tlm::TLM_ACCEPTED;
       };
       bench.begin(bench.first);
     },
     "nested"},
    {nullptr,
     [](Bench& bench) {  // used again once it is done
       bench.whole(bench.first);
       bench.first.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
       bench.first.set_data_length(32);
       bench.whole(bench.first);
       bench.first.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
       bench.block(bench.first);
     },
     "used_again"},
    blocking(
        nullptr, [](Bench&, Payload&) {}, "b_transport"),
    blocking(
        nullptr,
        [](Bench& bench, Payload& payload) {
          payload.set_mm(nullptr);
          bench.target.debug_count = 64;
          EXPECT_EQ(bench.initiator.socket->transport_dbg(payload), 64U);
          ::tlm::tlm_dmi dmi;
          EXPECT_FALSE(bench.initiator.socket->get_direct_mem_ptr(payload, dmi));
          bench.target.socket->invalidate_direct_mem_ptr(0, 7);
          EXPECT_EQ(bench.initiator.invalidated, 7U);
        },
        "other_calls"),
};

const std::vector<Case> kBreaking = {
    {"forward_phase", [](Bench& bench) { bench.initiator.call(bench.first, ::tlm::BEGIN_RESP); }},
    {"backward_phase", [](Bench& bench) { bench.target.call(bench.first, ::tlm::BEGIN_REQ); }},
    {"begin_req_answer",
     [](Bench& bench) {
       bench.target.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_ACCEPTED;
         phase = ::tlm::END_RESP;
         return ::tlm::TLM_UPDATED;
       };
       bench.whole(bench.first);
     }},
    {"end_req_answer",
     [](Bench& bench) {
       bench.initiator.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         return phase == ::tlm::END_REQ ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
       };
       bench.whole(bench.first);
     }},
    {"begin_resp_answer",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.initiator.answer = updated<Payload>(::tlm::END_REQ);
       bench.respond(bench.first);
       bench.end(bench.first);
     }},
    {"end_resp_answer",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.target.answer = always<Payload>(::tlm::TLM_UPDATED);
       bench.end(bench.first);
     }},
    {"accepted_unchanged",
     [](Bench& bench) {
       bench.target.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
         if (phase == ::tlm::BEGIN_REQ) delay += to_sc_time(1);
         return ::tlm::TLM_ACCEPTED;
       };
       bench.whole(bench.first);
     },
     "delay_forward"},
    {"accepted_unchanged",
     [](Bench& bench) {
       bench.initiator.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase == ::tlm::BEGIN_RESP) phase = ::tlm::END_RESP;
         return ::tlm::TLM_ACCEPTED;
       };
       bench.whole(bench.first);
     },
     "phase_backward"},
    {"begin_req_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     }},
    {"end_req_order", [](Bench& bench) { bench.accept(bench.first); }, "without_request"},
    {"end_req_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"end_req_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.accept(bench.first);
       bench.end(bench.first);
     },
     "after_response"},
    {"begin_resp_order", [](Bench& bench) { bench.respond(bench.first); }, "without_request"},
    {"begin_resp_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"begin_resp_order",
     [](Bench& bench) {  // TLM_COMPLETED after END_REQ
       bench.target.answer = [&](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_ACCEPTED;
         bench.accept(payload);
         payload.set_response_status(::tlm::TLM_OK_RESPONSE);
         return ::tlm::TLM_COMPLETED;
       };
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "completed_late"},
    {"end_resp_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.end(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "early"},
    {"end_resp_order",
     [](Bench& bench) {
       bench.whole(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"not_mixed",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.block(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "blocking_in_flight"},
    {"not_mixed",
     [](Bench& bench) {
       bench.target.blocking = [&](Payload& payload, sc_core::sc_time&) { bench.whole(payload); };
       bench.block(bench.first);
     },
     "begin_in_blocking"},
    {"request_exclusion",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.begin(bench.second);
       for (Payload* payload : {&bench.first, &bench.second}) {
         bench.accept(*payload);
         bench.respond(*payload);
         bench.end(*payload);
       }
     }},
    {"response_exclusion",
     [](Bench& bench) {
       for (Payload* payload : {&bench.first, &bench.second}) {
         bench.begin(*payload);
         bench.accept(*payload);
       }
       bench.respond(bench.first);
       bench.respond(bench.second);
       bench.end(bench.first);
       bench.end(bench.second);
     },
     "backward"},
    {"response_exclusion",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.target.answer = with_status(updated<Payload>(::tlm::BEGIN_RESP));
       bench.begin(bench.second);
       bench.target.answer = always<Payload>(::tlm::TLM_ACCEPTED);
       bench.end(bench.first);
       bench.end(bench.second);
     },
     "updated"},
    {"time_forward",
     [](Bench& bench) {
       bench.initiator.call(bench.first, ::tlm::BEGIN_REQ, 10);
       bench.target.call(bench.first, ::tlm::END_REQ, 9);
       wait_ps(10);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "call"},
    {"time_forward",
     [](Bench& bench) {
       bench.target.answer = with_status([](Payload&, ::tlm::tlm_phase&, sc_core::sc_time& delay) {
         delay = to_sc_time(9);
         return ::tlm::TLM_COMPLETED;
       });
       bench.initiator.call(bench.first, ::tlm::BEGIN_REQ, 10);
     },
     "completed"},
    blocking(
        "time_forward",
        [](Bench& bench, Payload&) {
          bench.target.blocking = [](Payload& payload, sc_core::sc_time& delay) {
            payload.set_response_status(::tlm::TLM_OK_RESPONSE);
            delay = sc_core::SC_ZERO_TIME;
          };
        },
        "blocking"),
    request("memory_manager", [](Bench&, Payload& payload) { payload.set_mm(nullptr); }),
    request(
        "reference_held",
        [](Bench& bench, Payload& payload) {
          payload.release();
          bench.target.answer = [](Payload& begun, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
            if (phase == ::tlm::BEGIN_REQ) begun.acquire();
            return ::tlm::TLM_ACCEPTED;
          };
        },
        "at_begin_req"),
    in_flight(
        "reference_held",
        [](Bench& bench, Payload& payload) {
          payload.release();
          bench.initiator.answer = [](Payload& done, ::tlm::tlm_phase&, sc_core::sc_time&) {
            done.acquire();
            return ::tlm::TLM_ACCEPTED;
          };
        },
        "at_begin_resp"),
    request("command_legal",
            [](Bench&, Payload& payload) { payload.set_command(::tlm::TLM_IGNORE_COMMAND); }),
    request("data_pointer", [](Bench&, Payload& payload) { payload.set_data_ptr(nullptr); }),
    blocking(
        "data_pointer", [](Bench&, Payload& payload) { payload.set_data_ptr(nullptr); }, "blocking"),
    {"data_pointer",
     [](Bench& bench) {
       bench.first.set_data_ptr(nullptr);
       bench.initiator.socket->transport_dbg(bench.first);
     },
     "debug"},
    request(
        "data_length", [](Bench&, Payload& payload) { payload.set_data_length(0); }, "empty"),
    request(
        "data_length",
        [](Bench&, Payload& payload) {
          payload.set_data_length(kMaxRequestBytes + 1);
          payload.set_streaming_width(kMaxRequestBytes + 1);
        },
        "too_long"),
    request("streaming_width", [](Bench&, Payload& payload) { payload.set_streaming_width(63); }),
    request("byte_enable_length",
            [](Bench& bench, Payload& payload) { payload.set_byte_enable_ptr(bench.enables); }),
    request("byte_enable_values",
            [](Bench& bench, Payload& payload) {
              bench.enables[3] = 0x0f;
              payload.set_byte_enable_ptr(bench.enables);
              payload.set_byte_enable_length(4);
            }),
    request("dmi_hint", [](Bench&, Payload& payload) { payload.set_dmi_allowed(true); }),
    request("request_status",
            [](Bench&, Payload& payload) { payload.set_response_status(::tlm::TLM_OK_RESPONSE); }),
    {"response_status",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.target.call(bench.first, ::tlm::BEGIN_RESP);
       bench.end(bench.first);
     },
     "begin_resp"},
    {"response_status",
     [](Bench& bench) {
       bench.target.answer = updated<Payload>(::tlm::BEGIN_RESP);
       bench.begin(bench.first);
       bench.target.answer = always<Payload>(::tlm::TLM_ACCEPTED);
       bench.end(bench.first);
     },
     "updated"},
    {"response_status",
     [](Bench& bench) {
       bench.target.answer = kCompleted;
       bench.begin(bench.first);
     },
     "completed"},
    blocking(
        "response_status",
        [](Bench& bench, Payload&) { bench.target.blocking = [](Payload&, sc_core::sc_time&) {}; },
        "blocking"),
    in_flight(
        "request_constant", [](Bench&, Payload& payload) { payload.set_write(); }, "command"),
    in_flight(
        "request_constant", [](Bench& bench, Payload& payload) { payload.set_data_ptr(bench.data + 1); },
        "data"),
    in_flight(
        "request_constant", [](Bench&, Payload& payload) { payload.set_data_length(63); }, "length"),
    in_flight(
        "request_constant", [](Bench&, Payload& payload) { payload.set_streaming_width(65); }, "width"),
    in_flight(
        "request_constant",
        [](Bench& bench, Payload& payload) { payload.set_byte_enable_ptr(bench.enables); }, "byte_enables"),
    in_flight(
        "request_constant", [](Bench&, Payload& payload) { payload.set_byte_enable_length(4); },
        "byte_enable_length"),
    blocking(
        "request_constant",
        [](Bench& bench, Payload&) {
          bench.target.blocking = [](Payload& payload, sc_core::sc_time&) {
            payload.set_response_status(::tlm::TLM_OK_RESPONSE);
            payload.set_data_length(1);
          };
        },
        "blocking"),
    {"dmi_refused",
     [](Bench& bench) {
       ::tlm::tlm_dmi dmi;
       bench.target.grants_dmi = true;
       EXPECT_TRUE(bench.initiator.socket->get_direct_mem_ptr(bench.first, dmi));
     }},
    {"debug_count",
     [](Bench& bench) {
       bench.target.debug_count = 65;
       bench.initiator.socket->transport_dbg(bench.first);
     }},
    {"all_done", [](Bench& bench) { bench.begin(bench.first); }},
};

class MemoryCheckerCase : public ::testing::TestWithParam<Case> {};
TEST_P(MemoryCheckerCase, ReportsThisRuleOnly) { expect_caught(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Legal, MemoryCheckerCase, ::testing::ValuesIn(kLegal));
INSTANTIATE_TEST_SUITE_P(Breaking, MemoryCheckerCase, ::testing::ValuesIn(kBreaking));

TEST(MemoryChecker, EveryRuleHasACase) { expect_all_covered(kMemoryRules, kBreaking); }

TEST(MemoryChecker, LimitsCanBeLoweredAndIgnoreAllowed) {
  MemoryLimits limits;
  limits.max_request_bytes = 63;
  limits.allow_ignore = true;
  Bench bench(limits);
  wait_ps(1000);
  bench.whole(bench.first);
  EXPECT_EQ(bench.violations.rules(), std::vector<std::string>{"data_length"});
  bench.second.set_command(::tlm::TLM_IGNORE_COMMAND);
  bench.second.set_data_ptr(nullptr);
  bench.whole(bench.second);
  EXPECT_EQ(bench.violations.rules().size(), 1U) << bench.violations.text();
}

TEST(MemoryChecker, CountsTransactionsOfBothInterfaces) {
  Bench bench;
  wait_ps(1000);
  bench.block(bench.first);
  bench.target.answer = with_status(kCompleted);
  bench.begin(bench.second);
  bench.second.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.target.answer = always<Payload>(::tlm::TLM_ACCEPTED);
  bench.begin(bench.second);
  const CheckerTotals totals = bench.checkers.totals().at(0);
  EXPECT_EQ(totals.begun, 3U);
  EXPECT_EQ(totals.finished, 2U);
  EXPECT_EQ(totals.payload_bytes, 3U * 64U);
}

/// Somebody else's memory, with convenience sockets. A multi socket meets sockets of its own width only.
struct Foreign : sc_core::sc_module {
  explicit Foreign(const sc_core::sc_module_name& name) : sc_module(name) {
    simple.register_b_transport(this, &Foreign::serve);
    multiple.register_b_transport(this, &Foreign::serve_port);
  }
  void serve(Payload& payload, sc_core::sc_time&) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    ++served;
  }
  void serve_port(int, Payload& payload, sc_core::sc_time& delay) { serve(payload, delay); }
  tlm_utils::simple_initiator_socket<Foreign, 64> initiator{"initiator"};
  tlm_utils::simple_target_socket<Foreign, 128> simple{"simple"};
  tlm_utils::multi_passthrough_target_socket<Foreign> multiple{"multiple"};
  int served = 0;
};

class ForeignSockets : public ::testing::TestWithParam<bool> {};
TEST_P(ForeignSockets, BindUnchanged) {
  Bench bench;  // for its payload
  CheckerSet checkers;
  CheckerSet* set = GetParam() ? &checkers : nullptr;
  Initiator one{"one"}, two{"two"};
  Foreign foreign{"foreign"};
  bind_checked(foreign.initiator, foreign.simple, set, "checker_0");
  bind_checked(one.socket, foreign.multiple, set, "checker_1");
  bind_checked(two.socket, foreign.multiple, set, "checker_2");
  wait_ps(1000);

  sc_core::sc_time delay;
  for (auto* socket : {&one.socket, &two.socket}) {
    (*socket)->b_transport(bench.first, delay);
    bench.first.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  }
  foreign.initiator->b_transport(bench.first, delay);
  EXPECT_EQ(foreign.served, 3);
  std::uint64_t seen = 0;
  for (const CheckerTotals& totals : checkers.totals()) seen += totals.finished;
  EXPECT_EQ(seen, GetParam() ? 3U : 0U);
}
INSTANTIATE_TEST_SUITE_P(CheckedOrNot, ForeignSockets, ::testing::Bool());

}  // namespace
}  // namespace wafertlm
