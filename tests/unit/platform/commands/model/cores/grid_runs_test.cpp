// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/cores/grid_runs.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/refusal.h"

namespace wafertlm::core_runs {
namespace {

using cores::GridCollective;
using Type = cores::GridCollectiveType;

config::CoresSpec wafer(const std::string& name = "wse2") {
  return config::load_cores(std::string(WAFERTLM_SOURCE_DIR) + "/configs/cores/" + name + ".yaml");
}

TEST(GridRuns, OneRowAndOneColumnAreAsTheWholeRectangle) {
  std::mt19937 engine(5);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  const config::CoresSpec on = wafer();
  for (int test = 0; test < 150; ++test) {
    const GridCollective what{static_cast<Type>(random() % 3), static_cast<std::uint32_t>(1 + random() % 20),
                              static_cast<std::uint32_t>(1 + random() % 20),
                              static_cast<std::uint32_t>(1 + random() % 40)};
    for (const cores::GridAlgorithm& each : cores::grid_algorithms()) {
      if (!each.does(what.type)) continue;
      const CollectiveTime lines = collective_time(what, each.name, on, false);
      const CollectiveTime whole = collective_time(what, each.name, on, true);
      EXPECT_EQ(lines.cycles, whole.cycles) << each.name << " " << what.columns << "x" << what.rows;
      EXPECT_LE(lines.simulated, whole.simulated + what.columns + what.rows);
    }
  }
}

// 32 products of 7x7 or 7x24 tiles; see hw245 in configs/validation/cores.yaml.
TEST(GridRuns, PhasesOfADecoderSumToItsTime) {
  const config::CoresSpec on = wafer();
  for (const DecoderPass pass : {DecoderPass::prefill, DecoderPass::decode}) {
    const KernelTime time = decoder_time(pass, {4, 512, 1536}, 300, on, 40, 40);
    Cycle sum = 0;
    for (const cores::PhaseTime& each : time.phases) {
      sum += each.cycles;
      EXPECT_GE(each.cycles, each.least) << each.name;
    }
    EXPECT_EQ(sum, time.cycles);
    EXPECT_GT(time.of_peak, 0);
    EXPECT_LT(time.of_peak, 1);
    EXPECT_LE(time.core_bytes, on.params.memory_bytes);
  }
}

TEST(GridRuns, TwiceTheLayersTakeTwiceTheTimeButForTheFirstStart) {
  const config::CoresSpec on = wafer();
  const Cycle one = decoder_time(DecoderPass::decode, {1, 4096, 14336}, 4096, on, 420, 420).cycles;
  const Cycle many = decoder_time(DecoderPass::decode, {32, 4096, 14336}, 4096, on, 420, 420).cycles;
  EXPECT_NEAR(static_cast<double>(many), 32.0 * static_cast<double>(one), 0.05 * static_cast<double>(many));
}

TEST(GridRuns, WhatDoesNotFitIsRefusedWithByHowMuch) {
  const config::CoresSpec on = wafer();
  EXPECT_EQ(
      test::refusal_of([&] {
        decoder_time(DecoderPass::decode, {80, 8192, 29568}, 4096, on, 100, 100);
      }),
      "a core would need 215.8 kB for data, 174.8 kB more than it has beside its program; take more cores");
  EXPECT_EQ(test::refusal_of([&] {
              collective_time({Type::reduce, 751, 1, 1}, "chain", on, false);
            }),
            "751 x 1 cores: WSE-2 has 750 columns and 994 rows");
  EXPECT_EQ(test::refusal_of([&] {
              cores::gemm_kernel({on.params, 20, 30}, 100, 100, 100);
            }),
            "compute-shift needs as many rows of cores as columns");
}

// Llama-2-7B on a CS-3 was measured at about 29.4 ms a sample (rows hw298 to hw306).
TEST(GridRuns, TrainingFillsACoresMemory) {
  const config::CoresSpec on = wafer("wse3");
  const TrainingTime time = training_time({32, 4096, 11'008, 32'000}, 2048, on);
  const std::uint64_t room = on.params.memory_bytes - on.params.program_bytes;
  EXPECT_LE(time.layer.core_bytes, room);
  EXPECT_GT(time.layer.core_bytes, room * 95 / 100);
  EXPECT_NEAR(time.sample_s, 0.0294, 0.25 * 0.0294);
  // Forward, once more, and back: four times the products of the weights.
  const double tokens = static_cast<double>(time.tokens_per_row) * on.params.rows;
  EXPECT_GT(time.layer.multiply_adds, 4 * tokens * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11'008));
  config::CoresSpec small = on;
  small.params.memory_bytes = 8500;
  EXPECT_THROW(training_time({32, 4096, 11'008, 32'000}, 2048, small), std::invalid_argument);
}

/// No product is faster than its lanes, or than its tiles over a core's ramp.
TEST(GridRuns, NoProductIsFasterThanLanesAndRamps) {
  const config::CoresSpec on = wafer();
  for (const std::uint32_t side : {20U, 50U, 90U}) {
    const cores::Rectangle cores{on.params, side, side};
    for (const std::uint64_t size : {100U, 500U, 1200U}) {
      const KernelTime gemm = kernel_time(gemm_kernel(cores, size, size, size), on, side, side);
      const std::uint64_t tile = (size + side - 1) / side;
      EXPECT_GE(gemm.cycles, side * ((tile * tile * tile + 3) / 4));
      EXPECT_GE(gemm.cycles, side * tile * tile);
      const KernelTime gemv = kernel_time(gemv_kernel(cores, size, size), on, side, side);
      EXPECT_GE(gemv.cycles, tile * ((tile + 3) / 4) + (tile + 1) / 2 + side - 1);
    }
  }
}

/// Twice the lanes on the same wafer: products are faster, never twice as fast.
TEST(GridRuns, MoreLanesHelpProductsOnly) {
  config::CoresSpec one = wafer(), two = wafer();
  two.params.lanes *= 2;
  const cores::DecoderShape shape{1, 4096, 14336};
  const Cycle before = decoder_time(DecoderPass::prefill, shape, 4096, one, 300, 300).cycles;
  const Cycle after = decoder_time(DecoderPass::prefill, shape, 4096, two, 300, 300).cycles;
  EXPECT_LT(after, before);
  EXPECT_GT(2 * after, before);
}

TEST(GridRuns, PresetsOfAllGenerationsLoad) {
  EXPECT_EQ(wafer("wse1").params.clock_hz, 850'000'000U);
  EXPECT_EQ(wafer("wse3").params.lanes, 8U);
  EXPECT_EQ(wafer("wse2").calibrated_by, "hw245");
}

}  // namespace
}  // namespace wafertlm::core_runs
