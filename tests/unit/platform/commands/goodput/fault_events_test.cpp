// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/fault_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "platform/commands/goodput/goodput_study.h"

namespace wafertlm::goodput {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000'000;

/// A failure in 1000 s, checkpoints of 10 s, restarts of 50 s, ten days.
LongRun small_run() {
  LongRun run;
  run.run_days = 10;
  run.parts.resize(1);
  run.parts[0].mtbf_hours = 1000.0 / 3600;
  run.checkpoint_ps = 10 * kSecond;
  run.detect_ps = 20 * kSecond;
  run.replace_ps = 20 * kSecond;
  run.seeds = 200;
  return run;
}

TEST(LongRun, RatesByHand) {
  LongRun run;
  run.observed_days = 10;
  run.parts.resize(3);
  run.parts[0].count = 1000;
  run.parts[0].fit = 1e6;  // 1 failure in an hour
  run.parts[1].count = 10;
  run.parts[1].mtbf_hours = 10;  // 1 in an hour
  run.parts[2].failures = 480;   // 2 in an hour
  EXPECT_DOUBLE_EQ(run.rate(run.parts[0]) * 3600, 1);
  EXPECT_DOUBLE_EQ(run.rate(run.parts[1]) * 3600, 1);
  EXPECT_DOUBLE_EQ(run.rate(run.parts[2]) * 3600, 2);
  EXPECT_NEAR(run.mtbf_s(), 900, 1e-9);
  run.checkpoint_bytes = 6000;
  run.checkpoint_bandwidth = 100;
  run.detect_ps = 5 * kSecond;
  EXPECT_DOUBLE_EQ(run.checkpoint_s(), 60);
  EXPECT_DOUBLE_EQ(run.restart_s(), 65);
}

TEST(FaultEvents, TimeIsDividedWithoutRest) {
  LongRun run = small_run();
  run.retry = RetrySpec{0.5, 5 * kSecond};
  run.shrink = ShrinkSpec{3, 15 * kSecond, 0.5};
  run.spares = SpareSpec{2, 5 * kSecond, 0.5};
  for (const Policy policy : {Policy::restart, Policy::retry, Policy::shrink, Policy::spares})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Account account = simulate(run, policy, 130, seed);
      EXPECT_NEAR(account.total_s(), run.run_s(), 1e-3) << to_string(policy);
      EXPECT_EQ(account.failures, simulate(run, Policy::restart, 77, seed).failures);
      EXPECT_EQ(account.goodput(), simulate(run, policy, 130, seed).goodput());
      EXPECT_EQ(account.slower_s > 0, policy == Policy::shrink);
    }
  EXPECT_NE(simulate(run, Policy::restart, 130, 1).goodput(),
            simulate(run, Policy::restart, 130, 2).goodput());
}

TEST(FaultEvents, WithoutFailuresOnlyCheckpointsCost) {
  LongRun run = small_run();
  run.parts[0].mtbf_hours = 1e15;
  EXPECT_NEAR(simulate(run, Policy::restart, 90, 1).goodput(), 0.9, 1e-4);
}

/// The same of restarts, second by second.
double goodput_by_steps(const LongRun& run, double interval, std::mt19937_64& random) {
  std::exponential_distribution<> gap(1 / run.mtbf_s());
  double failure = gap(random), work = 0, saved = 0, down = 0, writing = 0;
  const double step = 0.5;
  for (double now = 0; now < run.run_s(); now += step) {
    if (failure <= now) {
      failure = now + gap(random);
      work = writing = 0;
      down = run.restart_s();
    } else if (down > 0) {
      down -= step;
    } else if (writing > 0) {
      writing -= step;
      if (writing <= 0) {
        saved += work;
        work = 0;
      }
    } else {
      work += step;
      if (work >= interval) writing = run.checkpoint_s();
    }
  }
  return (saved + work) / run.run_s();
}

TEST(FaultEvents, RestartsAreAsTheFormulaAndAsSteps) {
  for (const double interval : {30.0, 130.0, 500.0}) {
    const LongRun run = small_run();
    const SimulatedRuns runs = simulated_runs(run, Policy::restart, interval);
    const double formula = expected_goodput({run.mtbf_s(), run.checkpoint_s(), run.restart_s()}, interval);
    EXPECT_LT(std::abs(runs.mean - formula), 3 * runs.error) << interval;
    EXPECT_LT(runs.error, 0.002);
    std::mt19937_64 random(3);
    double sum = 0;
    const int times = 40;
    for (int i = 0; i < times; ++i) sum += goodput_by_steps(run, interval, random);
    EXPECT_NEAR(sum / times, runs.mean, 0.006) << interval;
  }
}

// M 1000, delta 10, R 50, intervals of 90: without loss of work 0.9 is left of the time that is up.
TEST(FaultEvents, PoliciesByHand) {
  LongRun run = small_run();
  // Each failure takes 5 s. A pause begins again: M (e^(5/M) - 1) = 5.0125 s in 1005.
  run.retry = RetrySpec{1, 5 * kSecond};
  EXPECT_NEAR(simulated_runs(run, Policy::retry, 90).mean, 0.9 * 1000 / 1005, 0.002);
  // None is transient: a restart that takes 5 s more.
  run.retry = RetrySpec{0, 5 * kSecond};
  LongRun longer = run;
  longer.detect_ps += 5 * kSecond;
  EXPECT_NEAR(simulated_runs(run, Policy::retry, 90).mean, simulated_runs(longer, Policy::restart, 90).mean,
              1e-9);
  // As many spares as one likes: a restart whose replacement takes 3 s.
  run.spares = SpareSpec{1'000'000, 3 * kSecond, 1000};
  longer = run;
  longer.replace_ps = 3 * kSecond;
  EXPECT_NEAR(simulated_runs(run, Policy::spares, 90).mean, simulated_runs(longer, Policy::restart, 90).mean,
              1e-9);
  // Of many groups a failure takes one for 1000 s: one is out on average, of 1000.
  run.detect_ps = 0;
  run.shrink = ShrinkSpec{1000, 0, 1000.0 / 3600};
  EXPECT_NEAR(simulated_runs(run, Policy::shrink, 90).mean, 0.9 * 0.999, 0.001);
}

TEST(FaultEvents, OneSpareIsWaitedFor) {
  LongRun run = small_run();
  run.spares = SpareSpec{1, 0, 2};
  const double few = simulated_runs(run, Policy::spares, 90).mean;
  run.spares->count = 8;
  // Seven are away on average at a failure in 1000 s and 7200 s of repair.
  EXPECT_GT(simulated_runs(run, Policy::spares, 90).mean, few + 0.3);
}

TEST(GoodputStudy, TheSimulatedIntervalIsNearDalys) {
  for (const std::uint64_t checkpoint : {1U, 10U, 50U}) {
    LongRun run = small_run();
    run.checkpoint_ps = checkpoint * kSecond;
    run.run_days = 30;
    const GoodputStudy study = goodput_study(run);
    const double daly = daly_interval(study.job);
    EXPECT_NEAR(study.simulated_interval_s / daly, 1, 0.1) << checkpoint;
    for (const ScanRow& row : study.scan)
      EXPECT_LT(std::abs(row.runs.mean - row.formula), 3.5 * row.runs.error) << row.interval_s;
  }
}

}  // namespace
}  // namespace wafertlm::goodput
