// SPDX-License-Identifier: Apache-2.0
// Every legal way to use a memory socket passes the checker in silence.
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

#include "tests/unit/tlm/memory/checker_bench.h"

namespace wafertlm {
namespace {

using namespace memory_bench;

/// Completes the payload, lets go of it and spoils it, as a pool may.
::tlm::tlm_sync_enum release(Payload& payload, ::tlm::tlm_sync_enum answer) {
  payload.release();
  payload.set_data_ptr(nullptr);
  payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  return answer;
}

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

class MemoryLegalCase : public ::testing::TestWithParam<Case> {};
TEST_P(MemoryLegalCase, PassesInSilence) { expect_caught(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Conversations, MemoryLegalCase, ::testing::ValuesIn(kLegal));

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
