// SPDX-License-Identifier: Apache-2.0
#include "models/cores/core_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/cores/wavelets.h"

namespace wafertlm::cores {
namespace {

TEST(WaveletTimes, OneACyclePasses) {
  WaveletTimes times(5, 3);
  EXPECT_EQ(times.taken_from(0).last(), 7U);
  EXPECT_EQ(times.taken_from(6).first(), 6U);
  EXPECT_EQ(times.taken_from(6).last(), 8U);
  times.shift(10);
  EXPECT_EQ(times.first(), 15U);
  EXPECT_EQ(times.count(), 3U);
}

/// A sender whose wavelets come in two runs, as its own input had a gap.
TEST(CoreGrid, GapsStayBetweenWavelets) {
  CoreProgram program(3, 1);
  const RouteIndex first = program.route(0, 1), second = program.route(1, 2);
  program.send(0, first, 4);
  program.send(0, first, 4);
  program.forward(1, first, second, 4);
  program.compute(1, 20);
  program.forward(1, first, second, 4);
  program.store(2, second, 4);
  program.store(2, second, 4);
  const CoreRun run = run_cores(program, CoreParams{});
  // Core 1 takes the first four at 6 to 9, computes to 30, takes the others at
  // 30 to 33; each leaves a cycle later and is there 5 later.
  EXPECT_EQ(run.ends[1], 34U);
  EXPECT_EQ(run.ends[2], 34U + 5 + 1);
  EXPECT_EQ(run.wavelet_hops, 16U);
  EXPECT_EQ(run.busiest_link, 8U);
}

TEST(CoreGrid, ARouteOfTwoNeedsItsLinksOneAfterTheOther) {
  CoreProgram program(4, 1);
  const RouteIndex far = program.route(0, 3), near = program.route(1, 2);
  program.send(0, far, 10);
  program.send(1, near, 10);
  program.store(3, far, 10);
  program.store(2, near, 10);
  const CoreRun run = run_cores(program, CoreParams{});
  // Core 2's begin to arrive first, at 6, and end at 16; those from core 0 pass
  // link 1-2 behind them.
  EXPECT_EQ(run.ends[2], 16U);
  EXPECT_EQ(run.ends[3], 27U);
  EXPECT_EQ(run.busiest_link, 20U);
}

TEST(CoreGrid, ACoreSendsOneWaveletACycleWhereverTheyGo) {
  CoreProgram program(3, 1);
  const RouteIndex east = program.route(1, 2), west = program.route(1, 0);
  program.send(1, east, 10);
  program.send(1, west, 10);
  program.store(2, east, 10);
  program.store(0, west, 10);
  const CoreRun run = run_cores(program, CoreParams{});
  EXPECT_EQ(run.ends[2], 16U);
  EXPECT_EQ(run.ends[0], 26U);
}

// Core 98's are sent later than core 0's, and pass link 98-99 long before them.
TEST(CoreGrid, LinksAreCrossedInTheOrderOfTime) {
  CoreProgram program(101, 1);
  const RouteIndex far = program.route(0, 100), near = program.route(98, 99);
  program.send(0, far, 10);
  program.store(100, far, 10);
  program.compute(98, 20);
  program.send(98, near, 10);
  program.store(99, near, 10);
  const CoreRun run = run_cores(program, CoreParams{});
  EXPECT_EQ(run.ends[99], 20U + 16);
  EXPECT_EQ(run.ends[100], 1U + 2 + 100 + 2 + 10);
}

TEST(CoreGrid, ADeadlockNamesWhoWaits) {
  CoreProgram program(2, 1);
  const RouteIndex there = program.route(0, 1), back = program.route(1, 0);
  program.store(0, back, 1);
  program.send(0, there, 1);
  program.store(1, there, 1);
  program.send(1, back, 1);
  try {
    run_cores(program, CoreParams{});
    FAIL();
  } catch (const CoreProgramError& error) {
    EXPECT_STREQ(error.what(), "core 0 (row 0, column 0) waits for ever for 1 wavelets");
  }
}

TEST(CoreGrid, RefusesWhatCannotBe) {
  CoreProgram program(2, 1);
  const RouteIndex there = program.route(0, 1);
  program.send(0, there, 2);
  program.store(1, there, 3);
  EXPECT_THROW(run_cores(program, CoreParams{}),
               CoreProgramError);  // other wavelets than were sent
  CoreProgram many(2, 1);
  many.colours = 25;
  EXPECT_THROW(run_cores(many, CoreParams{}), CoreProgramError);
  CoreProgram foreign(2, 1);
  foreign.send(1, foreign.route(0, 1), 1);
  EXPECT_THROW(run_cores(foreign, CoreParams{}), CoreProgramError);
  EXPECT_THROW(CoreProgram(0, 1), std::invalid_argument);
}

/// When each wavelet of a random tree's sums is taken, by recursion over places
/// and wavelets; no link is shared by two that move at the same time, as every
/// place has one child besides its neighbour.
class SmallModel {
 public:
  SmallModel(const std::vector<std::vector<std::uint32_t>>& children, std::uint32_t wavelets, Cycle ramp)
      : children_(children), wavelets_(wavelets), ramp_(ramp) {}

  /// When the place's wavelets leave it; of the root, when it has taken the
  /// last.
  std::vector<Cycle> leaves(std::uint32_t place) const {
    std::vector<Cycle> at(wavelets_);
    if (children_[place].empty()) {
      for (std::uint32_t k = 0; k < wavelets_; ++k) at[k] = k + 1;
      return at;
    }
    Cycle free = 0;
    for (const std::uint32_t child : children_[place]) {
      const std::vector<Cycle> from = leaves(child);
      const Cycle travel = 2 * ramp_ + (child > place ? child - place : place - child);
      for (std::uint32_t k = 0; k < wavelets_; ++k) {
        const Cycle taken = std::max(free, from[k] + travel);
        free = taken + 1;
        at[k] = taken + 1;
      }
    }
    return at;
  }

 private:
  const std::vector<std::vector<std::uint32_t>>& children_;
  std::uint32_t wavelets_;
  Cycle ramp_;
};

TEST(CoreGrid, RandomChainsOfGroupsAreThoseOfASmallModel) {
  std::mt19937 engine(1);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int test = 0; test < 300; ++test) {
    const std::uint32_t places = 2 + random() % 40, wavelets = 1 + random() % 30;
    CoreParams params;
    params.ramp = random() % 5;
    // Groups of random lengths, each a chain to its first place, and a chain of
    // those.
    std::vector<std::vector<std::uint32_t>> children(places);
    std::vector<std::uint32_t> heads{0};
    for (std::uint32_t k = 1; k < places; ++k)
      if (random() % 4 == 0)
        heads.push_back(k);
      else
        children[k - 1].push_back(k);
    for (std::size_t k = 1; k < heads.size(); ++k) children[heads[k - 1]].push_back(heads[k]);
    CoreProgram program(places, 1);
    std::vector<RouteIndex> up(places);
    for (std::uint32_t parent = 0; parent < places; ++parent)
      for (const std::uint32_t child : children[parent]) up[child] = program.route(child, parent);
    for (std::uint32_t place = 0; place < places; ++place) {
      if (children[place].empty()) program.send(place, up[place], wavelets);
      for (std::size_t k = 0; k < children[place].size(); ++k)
        if (place == 0 || k + 1 < children[place].size())
          program.add(place, up[children[place][k]], wavelets);
        else
          program.forward(place, up[children[place][k]], up[place], wavelets);
    }
    std::vector<std::uint64_t> values(places);
    std::uint64_t sum = 0;
    for (std::uint64_t& value : values) sum += value = random();
    const CoreRun run = run_cores(program, params, {}, values);
    EXPECT_EQ(run.values[0], sum);
    EXPECT_EQ(run.ends[0], SmallModel(children, wavelets, params.ramp).leaves(0).back()) << "test " << test;
  }
}

}  // namespace
}  // namespace wafertlm::cores
