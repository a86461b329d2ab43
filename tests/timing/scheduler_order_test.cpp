// SPDX-License-Identifier: Apache-2.0
// Wake-ups come at their time and in their order, also when the calendar has rested and its ring has gone
// round.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "tlm/kernel/scheduler.h"

namespace wafertlm {
namespace {

constexpr TimePs kHorizon = 100'000;

/// Asks for bursts of wake-ups with rests between, and notes when they come.
struct Bursts : Wakeable {
  explicit Bursts(Scheduler& to, unsigned seed) : scheduler(to), random(seed) {}
  void ask(TimePs at) {
    wanted.emplace_back(at, next);
    scheduler.schedule(at, *this, next++);
  }
  void wake(std::uint32_t what, TimePs now) override {
    came.emplace_back(now, what);
    if (came.size() < wanted.size() || bursts == 0) return;
    --bursts;  // all quiet: a rest of up to ten horizons, then a burst
    const TimePs from = now + random() % (10 * kHorizon);
    ask(from);
    for (int i = 0; i < 50; ++i) ask(from + random() % (2 * kHorizon));
  }
  Scheduler& scheduler;
  std::mt19937_64 random;
  std::uint32_t next = 0;
  int bursts = 40;
  std::vector<std::pair<TimePs, std::uint32_t>> wanted, came;
};

class SchedulerOrder : public ::testing::TestWithParam<unsigned> {};

TEST_P(SchedulerOrder, BurstsAfterRests) {
  Scheduler scheduler("scheduler", kHorizon);
  Bursts bursts(scheduler, GetParam());
  bursts.ask(0);
  sc_core::sc_start();
  std::sort(bursts.wanted.begin(), bursts.wanted.end());
  EXPECT_EQ(bursts.came, bursts.wanted);
  EXPECT_EQ(bursts.came.size(), 40U * 51 + 1);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SchedulerOrder, ::testing::Range(1U, 6U));

/// The process that asks is not always a wake-up: from the last time the calendar was used, the second one
/// lies a whole turn of its ring after the first.
struct TwoLater : sc_core::sc_module, Wakeable {
  TwoLater(const sc_core::sc_module_name& name, Scheduler& to) : sc_module(name), scheduler(to) {
    SC_HAS_PROCESS(TwoLater);
    SC_THREAD(run);
  }
  void run() {
    for (int i = 0; i < 200; ++i) {
      wait(to_sc_time(7'919'003));
      const TimePs now = scheduler.now();
      wanted.insert(wanted.end(), {now + 900, now + 99'000});
      scheduler.schedule(now + 99'000, *this, 0);
      scheduler.schedule(now + 900, *this, 0);
    }
  }
  void wake(std::uint32_t, TimePs now) override { came.push_back(now); }
  Scheduler& scheduler;
  std::vector<TimePs> wanted, came;
};

TEST(SchedulerOrderFromOutside, AskedFromOutsideAfterARest) {
  Scheduler scheduler("scheduler", kHorizon);
  TwoLater later("later", scheduler);
  sc_core::sc_start();
  EXPECT_EQ(later.came, later.wanted);
}

}  // namespace
}  // namespace wafertlm
