// SPDX-License-Identifier: Apache-2.0
// The requester against memories of a third party, with a checker between them that throws.
#include "tlm/memory/requester.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/at_memory.h"
#include "tests/support/refusal.h"
#include "tests/support/requester_module.h"
#include "tests/unit/tlm/memory/checker_bench.h"

namespace wafertlm {
namespace {

using ::tlm::TLM_READ_COMMAND;
using ::tlm::TLM_WRITE_COMMAND;

struct Host : MemoryRequesterHost {
  void memory_done(std::uint64_t token, bool ok) override {
    EXPECT_EQ(ends.count(token), 0U) << "twice: " << token;
    ends[token] = kernel_now_ps();
    if (!ok) failed.push_back(token);
    if (then) then(token);
  }
  std::map<std::uint64_t, TimePs> ends;
  std::vector<std::uint64_t> failed;
  std::function<void(std::uint64_t)> then;
};

template <typename Target>
struct Bench {
  template <typename... Args>
  explicit Bench(const MemoryRequesterParams& params, const Args&... args)
      : target("target", args...), npu("npu", params, scratch, scheduler, host) {
    bind_checked(requester.socket, target.socket, &checkers, "checker");
    wait_ps(1000);
  }
  void run() {
    sc_core::sc_start();
    checkers.finish();
    EXPECT_TRUE(requester.idle());
    EXPECT_EQ(requester.in_flight(), 0U);
  }
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  ScratchMemory scratch{};
  Host host;
  Target target;
  RequesterModule npu;
  MemoryRequester& requester = npu.requester;
};

/// Stores, loads the same and compares; then a load beyond the end.
template <typename Target>
void store_and_load(Bench<Target>& bench) {
  std::vector<unsigned char> stored(3500), loaded(3500);
  std::iota(stored.begin(), stored.end(), static_cast<unsigned char>(3));
  EXPECT_EQ(bench.requester.start(TLM_WRITE_COMMAND, 77, 3500, 1, stored.data()), 4U);
  bench.run();
  bench.requester.start(TLM_READ_COMMAND, 77, 3500, 2, loaded.data());
  bench.requester.start(TLM_READ_COMMAND, 1 << 20, 100'000, 3);  // all beyond the end
  bench.requester.start(TLM_WRITE_COMMAND, 8000, 2000, 4);
  bench.run();
  EXPECT_EQ(loaded, stored);
  EXPECT_EQ(bench.host.ends.size(), 4U);
  EXPECT_EQ(bench.host.failed, std::vector<std::uint64_t>{3});
}

/// One request of 40 ns after the other.
template <typename Target>
void one_at_a_time() {
  Bench<Target> bench({1000, 4});
  store_and_load(bench);
  // 4 requests; then loads and stores take turns, and so do the loads: 2 4 2 4 3 2 2. Access 3 fails at once.
  EXPECT_EQ(bench.host.ends,
            (std::map<std::uint64_t, TimePs>{{1, 161'000}, {2, 441'000}, {3, 361'000}, {4, 321'000}}));
}

TEST(MemoryRequester, TakesEarlyCompletion) { one_at_a_time<third_party::EarlyCompletion>(); }
TEST(MemoryRequester, TakesBeginRespWithoutEndReq) { one_at_a_time<third_party::SkippedEndReq>(); }
TEST(MemoryRequester, TakesBeginRespAsTheAnswer) { one_at_a_time<third_party::ResponseFirst>(); }

TEST(MemoryRequester, SendsEndRespAfterBeginRespAsTheAnswer) {
  Bench<third_party::ResponseFirst> bench({1000, 4});
  bench.requester.start(TLM_READ_COMMAND, 0, 10'000, 1);
  bench.run();
  EXPECT_EQ(bench.target.ended, 10U);
}

class RandomMemory : public ::testing::TestWithParam<unsigned> {};
TEST_P(RandomMemory, ServesEveryAccessOnce) {
  const unsigned outstanding = 1 + GetParam() % 5;
  Bench<third_party::FourPhases> bench({1000, outstanding}, GetParam());
  store_and_load(bench);
  for (std::uint64_t token = 10; token < 40; ++token)
    bench.requester.start(token % 2 ? TLM_READ_COMMAND : TLM_WRITE_COMMAND, token, token * 300, token);
  bench.run();
  EXPECT_EQ(bench.host.ends.size(), 34U);
  EXPECT_EQ(bench.host.failed.size(), 1U);
  EXPECT_GE(bench.target.most_in_flight, outstanding);
  EXPECT_LE(bench.target.most_in_flight, 2 * outstanding);  // loads and stores each
  EXPECT_EQ(bench.checkers.totals()[0].begun, bench.checkers.totals()[0].finished);
  EXPECT_EQ(bench.target.marks_left, 0U);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomMemory, ::testing::Range(1U, 41U));

/// END_REQ is annotated with 10 ns, as the answer or backward from within BEGIN_REQ.
class AnnotatedEndReq : public ::testing::TestWithParam<bool> {};
TEST_P(AnnotatedEndReq, HoldsTheNextRequestUntilItTakesEffect) {
  Bench<memory_bench::Target> bench({1000, 4});
  std::vector<TimePs> begun;
  std::vector<memory_bench::Payload*> taken;
  bench.target.answer = [&](memory_bench::Payload& payload, ::tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
    begun.push_back(kernel_now_ps() + delay.value());
    taken.push_back(&payload);
    if (GetParam()) return updated<memory_bench::Payload>(::tlm::END_REQ, 10'000)(payload, phase, delay);
    bench.target.call(payload, ::tlm::END_REQ, 10'000);
    return ::tlm::TLM_ACCEPTED;
  };
  bench.requester.start(TLM_READ_COMMAND, 0, 3000, 1);
  wait_ps(100'000);
  EXPECT_EQ(begun, (std::vector<TimePs>{1000, 11'000, 21'000}));
  for (memory_bench::Payload* payload : taken) {
    payload->set_response_status(::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.target.call(*payload, ::tlm::BEGIN_RESP, 50), ::tlm::TLM_COMPLETED);
  }
  bench.run();
  EXPECT_EQ(bench.host.ends[1], 101'050U);
}
INSTANTIATE_TEST_SUITE_P(AnswerOrBackward, AnnotatedEndReq, ::testing::Bool());

TEST(MemoryRequester, ReportsAnAccessOfNothingAtOnceButNotFromWithinTheCall) {
  Bench<third_party::EarlyCompletion> bench({1000, 4});
  EXPECT_EQ(bench.requester.start(TLM_READ_COMMAND, 5, 0, 1), 0U);
  EXPECT_TRUE(bench.host.ends.empty());
  bench.run();
  EXPECT_EQ(bench.host.ends, (std::map<std::uint64_t, TimePs>{{1, 1000}}));
}

TEST(MemoryRequester, TheHostMayStartTheNextAccessFromTheCallback) {
  Bench<third_party::SkippedEndReq> bench({1000, 4});
  bench.host.then = [&](std::uint64_t token) {
    if (token < 5) bench.requester.start(TLM_READ_COMMAND, 0, 1500, token + 1);
  };
  bench.requester.start(TLM_READ_COMMAND, 0, 1500, 1);
  bench.run();
  EXPECT_EQ(bench.host.ends[5], 1000U + 10 * 40'000);
  EXPECT_LE(bench.requester.payloads(), 2U);
}

TEST(MemoryRequester, AnAccessThatFailsIsGivenUp) {
  Bench<third_party::EarlyCompletion> bench({1000, 4});
  bench.requester.start(TLM_READ_COMMAND, (1 << 20) - 2000, 1'000'000, 1);
  bench.run();
  EXPECT_EQ(bench.host.failed, std::vector<std::uint64_t>{1});
  EXPECT_EQ(bench.checkers.totals()[0].begun, 3U);  // two that fit, one that failed
}

TEST(MemoryRequester, SaysWhatIsWrongWithItsParameters) {
  Scheduler scheduler("scheduler");
  ScratchMemory scratch{};
  Host host;
  EXPECT_THROW(RequesterModule("a", {0, 1}, scratch, scheduler, host), std::invalid_argument);
  EXPECT_THROW(RequesterModule("b", {65537, 1}, scratch, scheduler, host), std::invalid_argument);
  EXPECT_THROW(RequesterModule("c", {65536, 0}, scratch, scheduler, host), std::invalid_argument);
  RequesterModule fine("d", {65536, 1}, scratch, scheduler, host);
  EXPECT_THROW(fine.requester.start(::tlm::TLM_IGNORE_COMMAND, 0, 1, 1), std::invalid_argument);
  EXPECT_THROW(fine.requester.start(TLM_READ_COMMAND, ~std::uint64_t{0}, 1, 1), std::invalid_argument);
}

TEST(MemoryRequester, RefusesAnswersThatTheProtocolDoesNotKnow) {
  Scheduler scheduler("scheduler");
  ScratchMemory scratch{};
  Host host;
  memory_bench::Target target("target");
  RequesterModule npu("npu", {}, scratch, scheduler, host);
  connect(npu.requester.socket, target.socket);
  wait_ps(1000);
  target.answer = updated<memory_bench::Payload>(::tlm::END_RESP);
  const std::string told = ", which the base protocol does not allow; put a MemoryChecker on the socket";
  EXPECT_EQ(test::refusal_of<std::logic_error>([&] { npu.requester.start(TLM_READ_COMMAND, 0, 1, 1); }),
            npu.requester.socket.name() + (": BEGIN_REQ was answered with TLM_UPDATED to END_RESP" + told));
}

TEST(MemoryRequester, RefusesCallsThatTheProtocolDoesNotKnow) {
  Scheduler scheduler("scheduler");
  ScratchMemory scratch{};
  Host host;
  memory_bench::Target target("target");
  RequesterModule npu("npu", {}, scratch, scheduler, host);
  connect(npu.requester.socket, target.socket);
  wait_ps(1000);
  memory_bench::Payload* sent = nullptr;
  target.answer = [&](memory_bench::Payload& payload, ::tlm::tlm_phase&, sc_core::sc_time&) {
    sent = &payload;
    return ::tlm::TLM_ACCEPTED;
  };
  npu.requester.start(TLM_READ_COMMAND, 0, 1, 1);
  EXPECT_EQ(
      test::refusal_of<std::logic_error>([&] { target.call(*sent, ::tlm::END_RESP); }),
      npu.requester.socket.name() +
          std::string(": backward call with phase END_RESP, which the base protocol does not allow; put a "
                      "MemoryChecker on the socket"));
}

}  // namespace
}  // namespace wafertlm
