// SPDX-License-Identifier: Apache-2.0
// Conversations that break a rule each. The legal ones are in legal_test.cpp.
#include "tlm/memory/checker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/socket_watcher.h"
#include "tests/unit/tlm/memory/checker_bench.h"

namespace wafertlm {
namespace {

using namespace memory_bench;

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
INSTANTIATE_TEST_SUITE_P(Conversations, MemoryCheckerCase, ::testing::ValuesIn(kBreaking));

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

// All four phases, and TLM_COMPLETED in place of three.
TEST(MemoryChecker, ShowsAccessesToAnObserver) {
  memory_bench::Initiator initiator{"watched_initiator"};
  memory_bench::Target target{"watched_target"};
  MemoryChecker checker("watched", {});
  initiator.socket.bind(checker.target_side);
  checker.initiator_side.bind(target.socket);
  SocketWatcher watcher;
  checker.observe(watcher, 4);
  Bench payloads;  // for its payloads
  Payload &read = payloads.first, &write = payloads.second;
  read.set_address(128);
  write.set_write();
  write.set_data_length(32);
  wait_ps(1000);
  initiator.call(read, ::tlm::BEGIN_REQ, 10);
  target.call(read, ::tlm::END_REQ, 20);
  wait_ps(100);
  read.set_response_status(::tlm::TLM_OK_RESPONSE);
  target.call(read, ::tlm::BEGIN_RESP);
  initiator.call(read, ::tlm::END_RESP);
  target.answer = [](Payload& payload, ::tlm::tlm_phase&, sc_core::sc_time& delay) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    delay = to_sc_time(77);
    return ::tlm::TLM_COMPLETED;
  };
  initiator.call(write, ::tlm::BEGIN_REQ);
  EXPECT_EQ(watcher.seen,
            (std::vector<std::string>{
                "4 begins at 1000 for 1010, bytes 64, address 128", "4 phase 2 at 1000 for 1020",
                "4 phase 3 at 1100 for 1100", "4 phase 4 at 1100 for 1100",
                "4 begins at 1100 for 1100, bytes 32, kind 1", "4 phase 4 at 1100 for 1177"}));
}

}  // namespace
}  // namespace wafertlm
