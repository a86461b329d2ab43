// SPDX-License-Identifier: Apache-2.0
#include "models/cores/kernel_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/cores/core_grid.h"
#include "models/cores/shift_grid.h"

namespace wafertlm::cores {
namespace {

/// Sums along a line to a random place and back to all of it.
void add_sums(CoreProgram& program, const std::vector<CoreIndex>& line, std::uint32_t root,
              std::uint32_t wavelets) {
  const auto places = static_cast<std::uint32_t>(line.size());
  std::vector<RouteIndex> up(places), down(places);
  for (std::uint32_t k = 0; k < places; ++k) {
    if (k == root) continue;
    const std::uint32_t next = k < root ? k + 1 : k - 1;
    up[k] = program.route(line[k], line[next]);
    down[k] = program.route(line[next], line[k]);
  }
  const auto child = [&](std::uint32_t k, bool before) { return before ? k - 1 : k + 1; };
  for (std::uint32_t k = 0; k < places; ++k) {
    const bool has_before = k > 0 && k <= root, has_behind = k + 1 < places && k >= root;
    for (const bool before : {true, false})
      if (before ? has_before : has_behind) {
        if (k == root)
          program.add(line[k], up[child(k, before)], wavelets);
        else
          program.forward(line[k], up[child(k, before)], up[k], wavelets);
      }
    if (k != root && !has_before && !has_behind) program.send(line[k], up[k], wavelets);
    if (k != root) program.store(line[k], down[k], wavelets);
    for (const bool before : {true, false})
      if (before ? has_before : has_behind) program.send(line[k], down[child(k, before)], wavelets);
  }
}

/// One row and one column give the times of all cores of the whole rectangle.
TEST(KernelRun, OneRowAndOneColumnStandForAll) {
  std::mt19937 engine(7);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int test = 0; test < 60; ++test) {
    const std::uint32_t columns = 2 + random() % 9, rows = 2 + random() % 9;
    CoreProgram whole(columns, rows);
    KernelRun run(CoreParams{}, columns, rows);
    for (int phase = 0; phase < 6; ++phase) {
      const std::uint32_t wavelets = 1 + random() % 20;
      const bool along_rows = random() % 2 == 0;
      const std::uint32_t places = along_rows ? columns : rows, root = random() % places;
      KernelPhase next;
      next.name = "sums";
      next.kind = along_rows ? KernelPhase::Kind::along_rows : KernelPhase::Kind::along_columns;
      next.compute = random() % 50;
      auto line = std::make_shared<CoreProgram>(places, 1);
      std::vector<CoreIndex> all(places);
      for (CoreIndex k = 0; k < places; ++k) all[k] = k;
      add_sums(*line, all, root, wavelets);
      next.line = line;
      run.run(next);
      for (CoreIndex core = 0; core < columns * rows; ++core) whole.compute(core, next.compute);
      for (std::uint32_t k = 0; k < (along_rows ? rows : columns); ++k) {
        std::vector<CoreIndex> cores(places);
        for (std::uint32_t place = 0; place < places; ++place)
          cores[place] = along_rows ? whole.core(place, k) : whole.core(k, place);
        add_sums(whole, cores, root, wavelets);
      }
    }
    EXPECT_EQ(run.cycles(), run_cores(whole, CoreParams{}).cycles) << "test " << test;
    Cycle sum = 0;
    for (const PhaseTime& each : run.phases()) sum += each.cycles;
    EXPECT_EQ(sum, run.cycles());
  }
}

TEST(KernelRun, ARepeatedKernelIsSimulatedUntilItRepeats) {
  Kernel kernel;
  KernelPhase phase;
  phase.name = "sums";
  phase.kind = KernelPhase::Kind::along_columns;
  phase.compute = 11;
  auto line = std::make_shared<CoreProgram>(9, 1);
  add_sums(*line, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 3, 5);
  phase.line = line;
  kernel.phases = {phase};
  KernelRun repeated(CoreParams{}, 4, 9), each(CoreParams{}, 4, 9);
  repeated.repeat(kernel, 100);
  for (int k = 0; k < 100; ++k) each.run(kernel);
  EXPECT_EQ(repeated.cycles(), each.cycles());
  EXPECT_EQ(repeated.phases().front().cycles, each.phases().front().cycles);
  EXPECT_LT(repeated.operations(), each.operations() / 10);
}

/// Every step of every core, written out.
std::vector<Cycle> shifted(const ShiftSteps& steps, const CoreParams& params, std::uint32_t columns,
                           std::uint32_t rows, std::vector<Cycle> times) {
  const auto from_of = [](std::uint32_t place, std::uint32_t places) {
    // 0, 2, 4 … then back 5, 3, 1.
    if (place == 0) return std::uint32_t{1};
    if (place % 2 == 0) return place - 2;
    if (place + 2 < places) return place + 2;
    return place + 1 < places ? place + 1 : place - 1;
  };
  const Cycle wavelets = steps.row_wavelets + steps.column_wavelets;
  for (std::uint32_t step = 0; step < steps.steps; ++step) {
    std::vector<Cycle> next = times;
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < columns; ++x) {
        Cycle end = times[y * columns + x] + steps.compute;
        const auto taken = [&](std::uint32_t at, std::uint32_t from, Cycle time) {
          return time + 1 + 2 * params.ramp + (at > from ? at - from : from - at) + wavelets;
        };
        const std::uint32_t west = from_of(x, columns), north = from_of(y, rows);
        if (steps.row_wavelets > 0) end = std::max(end, taken(x, west, times[y * columns + west]));
        if (steps.column_wavelets > 0) end = std::max(end, taken(y, north, times[north * columns + x]));
        next[y * columns + x] = end;
      }
    times = next;
  }
  return times;
}

TEST(ShiftGrid, IsWhatEveryStepOfEveryCoreGives) {
  std::mt19937 engine(3);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int test = 0; test < 200; ++test) {
    const std::uint32_t columns = 2 + random() % 7, rows = 2 + random() % 7;
    const ShiftSteps steps{static_cast<std::uint32_t>(random() % 40), random() % 60,
                           static_cast<std::uint32_t>(random() % 20),
                           static_cast<std::uint32_t>(random() % 20)};
    std::vector<Cycle> times(std::size_t{columns} * rows);
    for (Cycle& time : times) time = random() % 100;
    const std::vector<Cycle> expected = shifted(steps, CoreParams{}, columns, rows, times);
    run_shift_steps(steps, CoreParams{}, columns, rows, times);
    EXPECT_EQ(times, expected) << "test " << test;
  }
}

TEST(ShiftGrid, NoPlaceIsMoreThanTwoHopsFromTheOneBefore) {
  for (std::uint32_t places = 2; places < 30; ++places) {
    std::vector<bool> is_source(places, false);
    for (const RingNeighbour& each : interleaved_ring(places)) {
      EXPECT_GE(each.hops, 1U);
      EXPECT_LE(each.hops, 2U);
      EXPECT_FALSE(is_source[each.from]);
      is_source[each.from] = true;
    }
  }
}

}  // namespace
}  // namespace wafertlm::cores
