// SPDX-License-Identifier: Apache-2.0
// The statistics against processes of which it is known whether they come to rest.
#include "platform/commands/traffic/steady_state.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "platform/commands/traffic/traffic_run.h"

namespace wafertlm::traffic {
namespace {

using Random = std::mt19937_64;
using Series = std::vector<double>;

Series autoregressive(double memory, double start, std::size_t length, Random& random) {
  std::normal_distribution<> noise;
  Series series;
  for (double value = start; series.size() < length; value = memory * value + noise(random))
    series.push_back(100 + value);
  return series;
}

/// Sojourn times of an M/M/1 queue that begins empty, by Lindley's recursion.
Series queue(double load, std::size_t length, Random& random) {
  std::exponential_distribution<> arrival(load), service(1);
  Series series;
  for (double wait = 0; series.size() < length;) {
    const double served = service(random);
    series.push_back(wait + served);
    wait = std::max(0.0, wait + served - arrival(random));
  }
  return series;
}

Series random_walk(std::size_t length, Random& random) {
  std::normal_distribution<> step;
  Series series{1000};
  while (series.size() < length) series.push_back(series.back() + step(random));
  return series;
}

/// Part of these realizations that are taken as steady.
double steady_part(const char* what, int runs, const std::function<Series(Random&)>& make) {
  Random random(1);
  int steady = 0;
  for (int run = 0; run < runs; ++run) steady += is_steady(make(random));
  fmt::print("{:<28} steady in {:5.1f} %\n", what, 100.0 * steady / runs);
  return static_cast<double>(steady) / runs;
}

// A run of traffic looks at two series, and may err in 1 %.
TEST(SteadyState, TakesWhatComesToRestAsSteady) {
  EXPECT_GE(steady_part("white noise", 10'000, [](Random& r) { return autoregressive(0, 0, 2'000, r); }),
            0.995);
  EXPECT_GE(steady_part("AR(1) 0.9", 500, [](Random& r) { return autoregressive(0.9, 0, 20'000, r); }), 0.98);
  EXPECT_GE(
      steady_part("AR(1) 0.9 from +30", 500, [](Random& r) { return autoregressive(0.9, 30, 20'000, r); }),
      0.98);
  EXPECT_GE(steady_part("M/M/1 at 0.5", 200, [](Random& r) { return queue(0.5, 60'000, r); }), 0.98);
  EXPECT_GE(steady_part("M/M/1 at 0.9", 200, [](Random& r) { return queue(0.9, 60'000, r); }), 0.98);
}

TEST(SteadyState, SeesWhatDoesNot) {
  EXPECT_LE(steady_part("M/M/1 at 1", 120, [](Random& r) { return queue(1, 60'000, r); }), 0.2);
  EXPECT_LE(steady_part("M/M/1 at 1.05", 120, [](Random& r) { return queue(1.05, 60'000, r); }), 0.0);
  EXPECT_LE(steady_part("random walk", 120, [](Random& r) { return random_walk(20'000, r); }), 0.2);
}

TEST(SteadyState, FindsTheEndOfAWarmUp) {
  // A transient of 1000 values, then noise.
  Random random(2);
  Series series = autoregressive(0, 0, 20'000, random);
  for (std::size_t i = 0; i < 1000; ++i) series[i] += 50 * (1 - static_cast<double>(i) / 1000);
  const std::size_t first = mser5_truncation(series);
  EXPECT_GE(first, 900U);
  EXPECT_LE(first, 2000U);
  // A constant has no warm-up, and few values have none that can be told.
  EXPECT_EQ(mser5_truncation(Series(1000, 3.0)), 0U);
  EXPECT_EQ(mser5_truncation({1, 2, 3}), 0U);
}

// MSER-5 by its definition (White, 1997): of all truncations that leave five batches or more, the one with
// the least sum of squared distances from the mean by the square of how many are left.
TEST(SteadyState, TruncatesWhereTheErrorIsLeast) {
  Random random(5);
  for (int run = 0; run < 50; ++run) {
    Series series = autoregressive(0.7, 20, 60 + random() % 200, random), means;
    for (std::size_t at = 0; at + 5 <= series.size(); at += 5)
      means.push_back((series[at] + series[at + 1] + series[at + 2] + series[at + 3] + series[at + 4]) / 5);
    std::size_t best = 0;
    double best_error = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first + 5 <= means.size(); ++first) {
      const auto count = static_cast<double>(means.size() - first);
      double sum = 0, squares = 0;
      for (std::size_t i = first; i < means.size(); ++i) sum += means[i];
      for (std::size_t i = first; i < means.size(); ++i) squares += std::pow(means[i] - sum / count, 2);
      if (squares / (count * count) < best_error) best_error = squares / (count * count), best = first;
    }
    EXPECT_EQ(mser5_truncation(series), 5 * best) << run;
  }
}

TEST(SteadyState, BatchMeansOfKnownNumbers) {
  Series series;  // batches 0, 1, … 19, two values each
  for (int i = 0; i < 40; ++i) series.push_back(i / 2);
  const BatchMeans ramp = batch_means(series);
  EXPECT_DOUBLE_EQ(ramp.mean, 9.5);
  EXPECT_NEAR(ramp.half_width, 2.093 * std::sqrt(35.0 / 20), 1e-12);  // variance of 0 to 19: 35
  EXPECT_NEAR(ramp.lag_one, 0.85, 1e-12);                             // of a line over n points: 1 - 3/n
  EXPECT_GT(ramp.slope_t, 1e5);
  EXPECT_DOUBLE_EQ(batch_means(series, 20).mean, 14.5);
  EXPECT_EQ(batch_means(Series(100, 7.0)).half_width, 0);
  EXPECT_THROW(batch_means(series, 21), std::invalid_argument);
  EXPECT_FALSE(is_steady(Series(99, 7.0)));
  EXPECT_TRUE(is_steady(Series(100, 7.0)));
}

// Each of the two signs of a series that moves is enough: batches that grow without being like the one
// before, and batches like the one before that do not grow.
TEST(SteadyState, AGrowingSeriesOrAWavingOneIsNotSteady) {
  const auto of_batches = [](const std::function<double(int)>& mean) {
    Series series;
    for (int i = 0; i < 1000; ++i) series.push_back(mean(i / 50) + (i / 5 % 2 == 0 ? 1 : -1));
    return series;
  };
  const Series still = of_batches([](int batch) { return batch % 2; });
  const Series growing = of_batches([](int batch) { return batch % 2 + 0.09 * batch; });
  const Series falling = of_batches([](int batch) { return batch % 2 - 0.09 * batch; });
  const Series waving = of_batches([](int batch) { return std::cos(batch * M_PI / 5); });  // two periods
  const BatchMeans grows = batch_means(growing), waves = batch_means(waving);
  EXPECT_GT(grows.slope_t, 3.7);
  EXPECT_LT(grows.lag_one, 0.5);
  EXPECT_LT(waves.slope_t, 1.9);
  EXPECT_GT(waves.lag_one, 0.6);
  for (const Series& series : {still, growing, waving})
    EXPECT_LE(2 * mser5_truncation(series), series.size());
  EXPECT_TRUE(is_steady(still));
  EXPECT_FALSE(is_steady(growing));
  EXPECT_FALSE(is_steady(falling));
  EXPECT_FALSE(is_steady(waving));
}

// Seeds and loads that are neighbours are so in no sequence.
TEST(SteadyState, EveryLoadDrawsNumbersOfItsOwn) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (int load = 1; load <= 20; ++load) seeds.insert(stream_seed(seed, 0.05 * load));
  EXPECT_EQ(seeds.size(), 400U);
}

// The interval covers the true mean as often as it says.
TEST(SteadyState, TheIntervalCoversTheMean) {
  Random random(3);
  int covered = 0;
  for (int run = 0; run < 200; ++run) {
    const BatchMeans found = batch_means(queue(0.5, 20'000, random), 1000);  // the mean sojourn is 2
    covered += std::abs(found.mean - 2) <= found.half_width;
  }
  fmt::print("95 % intervals cover the mean in {:.1f} %\n", covered / 2.0);
  EXPECT_GE(covered, 180);  // 90 %: three standard deviations
}

}  // namespace
}  // namespace wafertlm::traffic
