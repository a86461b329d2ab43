// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_model.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

constexpr Dataflow kFlows[] = {Dataflow::output_stationary, Dataflow::weight_stationary,
                               Dataflow::input_stationary};

// From the formulas by hand: 16 folds of 128 + 128 + 512 − 2 = 766 cycles, or of 894; 64 folds of 2558, 2814.
TEST(SystolicArray, CyclesByHand) {
  const std::uint64_t small[] = {12'256, 14'304, 14'304}, large[] = {163'712, 180'096, 180'096};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(systolic_cycles({128, 128, kFlows[i]}, 512, 512, 512), small[i]);
    EXPECT_EQ(systolic_cycles({256, 256, kFlows[i]}, 2048, 2048, 2048), large[i]);
  }
}

// A product of different dimensions tells the mappings apart: m 100, n 200, k 300 on 64 × 32.
TEST(SystolicArray, DimensionsMapByDataflow) {
  EXPECT_EQ(systolic_cycles({64, 32, kFlows[0]}, 100, 200, 300), 2U * 7 * (64 + 32 + 300 - 2));
  EXPECT_EQ(systolic_cycles({64, 32, kFlows[1]}, 100, 200, 300), 5U * 7 * (128 + 32 + 100 - 2));
  EXPECT_EQ(systolic_cycles({64, 32, kFlows[2]}, 100, 200, 300), 5U * 4 * (128 + 32 + 200 - 2));
}

// The slower of both, each rounded up to a picosecond.
TEST(Roofline, IsTheLongerOfComputationAndMemory) {
  const auto time = [](std::uint64_t operations, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(Roofline(3, 7).time_ps({operations, bytes}).value());
  };
  EXPECT_EQ(time(1, 0), 333'333'333'334U);
  EXPECT_EQ(time(3, 0), 1'000'000'000'000U);
  EXPECT_EQ(time(0, 1), 142'857'142'858U);
  EXPECT_EQ(time(0, 7), 1'000'000'000'000U);
  EXPECT_EQ(time(1, 2), 333'333'333'334U);
  EXPECT_EQ(time(1, 3), 428'571'428'572U);
  EXPECT_FALSE(Roofline(3, 7).time_ps({}));
}

TEST(SystolicArray, NothingIsAnError) {
  const auto refusal = [](std::uint32_t rows, std::uint32_t columns, std::uint64_t m, std::uint64_t n,
                          std::uint64_t k) {
    return test::refusal_of([&] { systolic_cycles({rows, columns, kFlows[0]}, m, n, k); });
  };
  const std::string array = "a systolic array needs at least one row and one column",
                    product = "a matrix product with a dimension of 0",
                    cycles = "a matrix product takes more cycles than 63 bits can count";
  EXPECT_EQ(refusal(0, 32, 1, 1, 1), array);
  EXPECT_EQ(refusal(32, 0, 1, 1, 1), array);
  EXPECT_EQ(refusal(1, 1, 1, 1, 1), "");
  EXPECT_EQ(refusal(32, 32, 0, 1, 1), product);
  EXPECT_EQ(refusal(32, 32, 1, 0, 1), product);
  EXPECT_EQ(refusal(32, 32, 1, 1, 0), product);
  // m n folds of k cycles on a single cell.
  const std::uint64_t half = std::uint64_t{1} << 31;
  EXPECT_EQ(systolic_cycles({1, 1, kFlows[0]}, half, half, 1), std::uint64_t{1} << 62);
  EXPECT_EQ(refusal(1, 1, half, half, 2), cycles);
  EXPECT_EQ(refusal(1, 1, half, 2 * half, 1), cycles);
  EXPECT_EQ(refusal(1, 1, 1, 1, std::uint64_t{1} << 63), cycles);
  EXPECT_EQ(refusal(1, 1, std::uint64_t{1} << 63, std::uint64_t{1} << 63, 4), cycles);  // 2^128
  EXPECT_EQ(systolic_cycles({1, 1, kFlows[0]}, 1, 1, half), half);
}

}  // namespace
}  // namespace wafertlm
