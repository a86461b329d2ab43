// SPDX-License-Identifier: Apache-2.0
// The target's side of the memory protocol, against an initiator that does what a test says.
#include "tlm/memory/responder.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"
#include "tests/unit/tlm/memory/checker_bench.h"

namespace wafertlm {
namespace {

using memory_bench::Payload;

struct ResponderModule : sc_core::sc_module, MemoryResponderHost {
  ResponderModule(const sc_core::sc_module_name& name, std::uint32_t places, Scheduler& scheduler)
      : sc_module(name), responder("socket", places, scheduler, *this) {}
  void requested(Payload& payload) override {
    taken.push_back(&payload);
    times.push_back(kernel_now_ps());
  }
  void transport(Payload&, sc_core::sc_time&) override {}
  MemoryResponder responder;
  std::vector<Payload*> taken;
  std::vector<TimePs> times;
};

struct ResponderBench {
  explicit ResponderBench(std::uint32_t places) : module("module", places, scheduler) {
    connect(initiator.socket, module.responder.socket);
    for (Payload& each : payloads) each.set_mm(&pool);
    initiator.answer = [this](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
      backward.emplace_back(kernel_now_ps(), phase, &payload);
      return end_within ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
    };
    wait_ps(1000);
  }
  ::tlm::tlm_sync_enum begin(std::size_t k, TimePs delay_ps = 0) {
    payloads[k].acquire();
    return initiator.call(payloads[k], ::tlm::BEGIN_REQ, delay_ps);
  }

  memory_bench::NoPool pool;
  Scheduler scheduler{"scheduler"};
  memory_bench::Initiator initiator{"initiator"};
  ResponderModule module;
  Payload payloads[3];
  bool end_within = false;
  std::vector<std::tuple<TimePs, unsigned, Payload*>> backward;
};
using Calls = std::vector<std::tuple<TimePs, unsigned, Payload*>>;

// A request that is annotated with a delay is there when that is over.
TEST(MemoryResponder, TakesARequestWhenItsDelayIsOver) {
  ResponderBench bench(4);
  EXPECT_EQ(bench.begin(0, 500), ::tlm::TLM_ACCEPTED);
  EXPECT_FALSE(bench.module.responder.idle());
  wait_ps(499);
  EXPECT_TRUE(bench.module.taken.empty());
  wait_ps(2);
  EXPECT_EQ(bench.module.times, std::vector<TimePs>{1500});
  EXPECT_EQ(bench.backward, (Calls{{1500, ::tlm::END_REQ, &bench.payloads[0]}}));
  EXPECT_EQ(bench.begin(1), ::tlm::TLM_UPDATED);
  EXPECT_EQ(bench.module.times, (std::vector<TimePs>{1500, 1501}));
}

// With one place the next request waits until the first one's response has ended, be it within the call or
// later.
class FullQueue : public testing::TestWithParam<bool> {};
TEST_P(FullQueue, TakesTheNextRequestWhenAResponseHasEnded) {
  const bool end_within = GetParam();
  ResponderBench bench(1);
  bench.end_within = end_within;
  const TimePs start = kernel_now_ps();
  EXPECT_EQ(bench.begin(0), ::tlm::TLM_UPDATED);
  EXPECT_EQ(bench.begin(1), ::tlm::TLM_ACCEPTED);
  bench.module.responder.respond(bench.payloads[0], start + 100);
  wait_ps(200);
  Calls expected{{start + 100, ::tlm::BEGIN_RESP, &bench.payloads[0]}};
  if (!end_within) {
    EXPECT_EQ(bench.backward, expected);
    EXPECT_EQ(bench.initiator.call(bench.payloads[0], ::tlm::END_RESP, 50), ::tlm::TLM_ACCEPTED);
    wait_ps(51);
  }
  expected.emplace_back(start + (end_within ? 100 : 250), ::tlm::END_REQ, &bench.payloads[1]);
  EXPECT_EQ(bench.backward, expected);
  EXPECT_EQ(bench.module.taken.size(), 2U);
  bench.module.responder.respond(bench.payloads[1], kernel_now_ps());
  wait_ps(1);
  EXPECT_EQ(bench.module.responder.idle(), end_within);
}
INSTANTIATE_TEST_SUITE_P(LaterOrWithinTheCall, FullQueue, testing::Bool());

// Responses are given one after the other, in the order of their times.
TEST(MemoryResponder, AResponseWaitsForTheEndOfTheOneBefore) {
  ResponderBench bench(3);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(bench.begin(k), ::tlm::TLM_UPDATED);
  bench.module.responder.respond(bench.payloads[0], 1300);
  bench.module.responder.respond(bench.payloads[1], 1100);
  bench.module.responder.respond(bench.payloads[2], 1200);
  wait_ps(400);
  EXPECT_EQ(bench.backward, (Calls{{1100, ::tlm::BEGIN_RESP, &bench.payloads[1]}}));
  for (const std::size_t k : {1U, 2U, 0U}) {
    bench.initiator.call(bench.payloads[k], ::tlm::END_RESP);
    wait_ps(10);
  }
  EXPECT_EQ(bench.backward, (Calls{{1100, ::tlm::BEGIN_RESP, &bench.payloads[1]},
                                   {1400, ::tlm::BEGIN_RESP, &bench.payloads[2]},
                                   {1410, ::tlm::BEGIN_RESP, &bench.payloads[0]}}));
  EXPECT_TRUE(bench.module.responder.idle());
}

TEST(MemoryResponder, RefusesWhatTheProtocolDoesNotAllow) {
  Scheduler scheduler{"other"};
  EXPECT_EQ(test::refusal_of([&] { ResponderModule("none", 0, scheduler); }),
            "none.socket: a queue has at least one place");
  ResponderBench bench(1);
  const auto refusal = [&](std::size_t k, ::tlm::tlm_phase_enum phase) {
    return test::refusal_of<std::logic_error>([&] { bench.initiator.call(bench.payloads[k], phase); });
  };
  const std::string end =
      " is not allowed now, or its payload has no memory manager; put a MemoryChecker on the "
      "socket to see more";
  EXPECT_EQ(refusal(0, ::tlm::END_RESP), "module.socket: END_RESP" + end);
  EXPECT_EQ(refusal(0, ::tlm::END_REQ), "module.socket: END_REQ" + end);
  Payload without;
  EXPECT_EQ(test::refusal_of<std::logic_error>([&] { bench.initiator.call(without, ::tlm::BEGIN_REQ); }),
            "module.socket: BEGIN_REQ" + end);
  bench.begin(0);
  bench.begin(1);  // waits
  EXPECT_EQ(refusal(2, ::tlm::BEGIN_REQ), "module.socket: BEGIN_REQ" + end);
}

}  // namespace
}  // namespace wafertlm
