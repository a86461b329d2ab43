// SPDX-License-Identifier: Apache-2.0
#include "workloads/statistics/duration_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace wafertlm::statistics {
namespace {

TimePs grid_of(const std::vector<TimePs>& durations) {
  DurationGrid grid;
  for (const TimePs each : durations) grid.add(each);
  return grid.step_ps();
}

TEST(DurationGrid, IsThatOfNineInTen) {
  EXPECT_EQ(grid_of({}), 1U);
  EXPECT_EQ(grid_of({0, 0}), 1U);
  EXPECT_EQ(grid_of({3'000'000, 0, 5'000'000}), 1'000'000U);
  EXPECT_EQ(grid_of({3'000'000, 5'001'000}), 1000U);
  EXPECT_EQ(grid_of({3'000'000, 5'001'001}), 1U);
  std::vector<TimePs> most(9, 2'000'000);
  most.push_back(1'234'567);
  EXPECT_EQ(grid_of(most), 1'000'000U);
  most.push_back(1'234'567);
  EXPECT_EQ(grid_of(most), 1U);
}

TEST(DurationGrid, RoundsToTheNearest) {
  EXPECT_EQ(on_grid(1'499'999, 1'000'000), 1'000'000U);
  EXPECT_EQ(on_grid(1'500'000, 1'000'000), 2'000'000U);
  EXPECT_EQ(on_grid(7, 1), 7U);
}

/// As kernels of a training step: most take a few microseconds, some take milliseconds.
std::vector<TimePs> kernels(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<TimePs> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double us = std::exp(std::uniform_real_distribution<double>(0, std::log(3000.0))(random));
    all.push_back(static_cast<TimePs>(us) * 1'000'000);
  }
  return all;
}

/// 30,089 durations on a grid of 1 us, changed by up to 5 %: attackers round, or know how it was done and
/// take one of the multiples that could have become what they see.
TEST(OffGrid, HidesFromRoundingByPosition) {
  constexpr TimePs kStep = 1'000'000;
  const std::vector<TimePs> source = kernels(30'089);
  RoundedBack rounded;
  std::uint64_t informed = 0, short_ones = 0;
  double before = 0, after = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const TimePs made = off_grid(source[i], kStep, 0.05, i);
    rounded.add(source[i], made, kStep);
    before += static_cast<double>(source[i]);
    after += static_cast<double>(made);
    const TimePs most = std::max(source[i] / 20, 2 * kStep);
    const TimePs change = std::max(made, source[i]) - std::min(made, source[i]);
    ASSERT_GT(2 * change, kStep) << source[i];
    ASSERT_LE(change, most) << source[i];
    if (source[i] < 3 * kStep || source[i] > 40 * kStep) continue;
    ++short_ones;
    std::vector<TimePs> possible;
    for (TimePs guess = kStep; guess <= made + 2 * kStep; guess += kStep) {
      const TimePs off = std::max(made, guess) - std::min(made, guess);
      if (2 * off > kStep && off <= 2 * kStep) possible.push_back(guess);
    }
    if (possible[i % possible.size()] == source[i]) ++informed;
  }
  EXPECT_EQ(rounded.durations, 30'089U);
  EXPECT_EQ(rounded.right, 0U);
  EXPECT_LT(static_cast<double>(informed), 0.36 * static_cast<double>(short_ones));  // one of three
  EXPECT_NEAR(after / before, 1, 0.002);  // up as far as down: a step of the job takes as long
}

TEST(OffGrid, SomethingStaysSomethingAndNothingNothing) {
  EXPECT_EQ(off_grid(0, 1'000'000, 0.05, 1), 0U);
  double sum = 0;
  for (std::uint64_t key = 0; key < 4000; ++key) {
    EXPECT_GT(off_grid(1, 1, 0.05, key), 1U);
    const TimePs one = off_grid(1'000'000, 1'000'000, 0.05, key);
    EXPECT_GT(one, 0U);
    sum += static_cast<double>(one);
  }
  EXPECT_NEAR(sum / 4000, 1e6, 3e4);  // as many go down as up
}

}  // namespace
}  // namespace wafertlm::statistics
