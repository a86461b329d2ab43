// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/pending_times.h"

#include <gtest/gtest.h>

#include <random>

namespace wafertlm {
namespace {

TEST(PendingTimes, DelaysAreAddedBeforeTheTimeIsKnown) {
  PendingTimes times;
  const TimePs tail = times.make();
  EXPECT_TRUE(PendingTimes::is_pending(tail + 500));
  EXPECT_FALSE(PendingTimes::is_pending(1'000'000'000'000'000));
  EXPECT_FALSE(PendingTimes::is_pending(kNever));
  std::vector<TimePs> told;
  const auto tell = [&](TimePs at) { told.push_back(at); };
  times.when(tail + 500, tell);
  times.when(tail, tell);
  times.when(70, tell);  // that one is known
  EXPECT_EQ(told, (std::vector<TimePs>{70}));
  times.settle(tail, 1000);
  times.when(tail + 3, tell);
  EXPECT_EQ(told, (std::vector<TimePs>{70, 1500, 1000, 1003}));
}

TEST(PendingTimes, TheLaterOfTwo) {
  PendingTimes times;
  const TimePs a = times.make(), b = times.make();
  EXPECT_EQ(times.later(3, 9), 9U);
  const TimePs bounded = times.later(1200, a + 100), both = times.later(a, b + 50);
  EXPECT_EQ(times.later(a, a), a);
  TimePs bounded_at = 0, both_at = 0;
  times.when(bounded, [&](TimePs at) { bounded_at = at; });
  times.when(both, [&](TimePs at) { both_at = at; });
  times.settle(a, 1000);
  EXPECT_EQ(bounded_at, 1200U);
  EXPECT_EQ(both_at, 0U);
  times.settle(b, 960);
  EXPECT_EQ(both_at, 1010U);
  EXPECT_EQ(times.later(a + 1, b), 1001U);  // both are known by now
}

// Flit by flit: of two tails what has passed by both, also for whoever asks later.
TEST(PendingTimes, FlitsAreFollowed) {
  PendingTimes times;
  const TimePs a = times.make(), b = times.make(), both = times.later(a + 10, b + 20);
  std::vector<TimePs> seen, later;
  times.follow(both + 1, [&](TimePs at) { seen.push_back(at); });
  times.pass(a, 100);
  times.pass(a, 101);
  EXPECT_TRUE(seen.empty());
  times.pass(b, 50);
  times.pass(b, 95);
  EXPECT_EQ(seen, (std::vector<TimePs>{111, 116}));
  times.follow(both, [&](TimePs at) { later.push_back(at); });
  EXPECT_EQ(later, (std::vector<TimePs>{110, 115}));
}

// Against a model that knows all times beforehand: chains of later() and delays over random roots, settled in
// any order.
TEST(PendingTimes, RandomNetworks) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    PendingTimes times;
    std::vector<std::pair<TimePs, TimePs>> made;  // pending or known, true
    std::vector<std::pair<TimePs, TimePs>> roots;
    for (int i = 0; i < 5; ++i) roots.emplace_back(times.make(), random() % 1000);
    made = roots;
    std::size_t told = 0, asked = 0, settled = 0;
    for (int step = 0; step < 60; ++step) {
      const auto &a = made[random() % made.size()], &b = made[random() % made.size()];
      const TimePs delay = random() % 50, fixed = random() % 800;
      const std::pair<TimePs, TimePs> next =
          random() % 2 == 0
              ? std::pair(times.later(a.first + delay, b.first), std::max(a.second + delay, b.second))
              : std::pair(times.later(a.first, fixed), std::max(a.second, fixed));
      made.push_back(next);
      ++asked;
      times.when(next.first, [&, right = next.second](TimePs at) {
        EXPECT_EQ(at, right) << seed;
        ++told;
      });
      if (step % 12 == 11) times.settle(roots[settled].first, roots[settled].second), ++settled;
    }
    EXPECT_EQ(told, asked);
  }
}

}  // namespace
}  // namespace wafertlm
