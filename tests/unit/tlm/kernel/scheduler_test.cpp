// SPDX-License-Identifier: Apache-2.0
// What the scheduler says of a wake-up that fails.
#include "tlm/kernel/scheduler.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::test {
namespace {

template <typename Error>
struct Failing final : sc_core::sc_module, Wakeable {
  Failing() : sc_module(sc_core::sc_module_name("router3")) {}
  void wake(std::uint32_t, TimePs) override { throw Error("a count is wrong"); }
};

template <typename Error>
std::string told_of() {
  Scheduler scheduler("scheduler");
  Failing<Error> failing;
  scheduler.schedule(1234, failing, 0);
  try {
    scheduler.run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Scheduler, TellsWhereAnInternalErrorCameFrom) {
  EXPECT_EQ(told_of<std::logic_error>(), "router3, 1234 ps: a count is wrong");
}

TEST(Scheduler, LeavesBadInputAsItIs) { EXPECT_EQ(told_of<std::invalid_argument>(), "a count is wrong"); }

/// Notes when it was woken; with `what` 1 it stops the run.
struct Stopping final : Wakeable {
  explicit Stopping(Scheduler& whose) : scheduler(whose) {}
  void wake(std::uint32_t what, TimePs now) override {
    woken.emplace_back(now, what);
    if (what == 1) scheduler.stop();
  }
  Scheduler& scheduler;
  std::vector<std::pair<TimePs, std::uint32_t>> woken;
};
using Woken = decltype(Stopping::woken);

TEST(Scheduler, StopEndsARunAfterTheInstantAndTheNextGoesOn) {
  Scheduler scheduler("scheduler");
  Stopping target(scheduler);
  for (const auto& [at, what] : Woken{{1000, 0}, {2000, 1}, {2000, 2}, {3000, 3}, {4000, 1}, {5000, 4}})
    scheduler.schedule(at, target, what);
  scheduler.run(10'000);
  EXPECT_EQ(target.woken, (Woken{{1000, 0}, {2000, 1}, {2000, 2}}));
  EXPECT_EQ(kernel_now_ps(), 2000U);
  scheduler.run(10'000);
  EXPECT_EQ(target.woken.size(), 5U);
  EXPECT_EQ(kernel_now_ps(), 4000U);
  scheduler.run(1000);  // what is due at its end comes in the next one
  EXPECT_EQ(target.woken.size(), 5U);
  scheduler.run(1);
  EXPECT_EQ(target.woken.back(), std::pair(TimePs{5000}, 4U));
  EXPECT_EQ(kernel_now_ps(), 5001U);
}

}  // namespace
}  // namespace wafertlm::test
