// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/kernels.h"

#include <gtest/gtest.h>

#include "workloads/cores/training_layer.h"

namespace wafertlm::cores {
namespace {

CoreParams core() {
  CoreParams made;
  made.lanes = 4;
  made.instruction_start = 5;
  made.step_overhead = 310;
  made.function = 16;
  made.program_bytes = 8 << 10;
  return made;
}

TEST(CoreKernels, AVectorInstructionStartsAndThenTakesFourNumbersACycle) {
  EXPECT_EQ(vector_cycles(core(), 4), 6U);
  EXPECT_EQ(vector_cycles(core(), 5), 7U);
  EXPECT_EQ(tile_cycles(core(), {7, 3, 2}), 3U * 2 * 7 + 310);
  EXPECT_EQ(least_tile_cycles(core(), {7, 3, 2}), 11U);
}

TEST(CoreKernels, SharesAndWaveletsAreRoundedUp) {
  EXPECT_EQ(share(4096, 420), 10U);
  EXPECT_EQ(wavelets_of(7), 4U);
}

TEST(CoreKernels, TheFastestOrderRunsItsVectorsAlongTheLongestSide) {
  for (const GemmTile& tile : {GemmTile{6, 41, 15}, GemmTile{15, 41, 6}, GemmTile{41, 6, 15}}) {
    const GemmTile order = fastest_order(core(), tile);
    EXPECT_EQ(order.m, 41U);
    EXPECT_EQ(order.m * order.k * order.n, 41U * 6 * 15);
  }
}

/// A product alone: multiply-adds of all tiles, padding counted.
TEST(CoreKernels, ProductsCountWhatTheyCompute) {
  const Rectangle on{core(), 10, 10};
  EXPECT_EQ(gemm_kernel(on, 70, 30, 20).multiply_adds, 70.0 * 30 * 20);
  EXPECT_EQ(gemv_kernel(on, 30, 20).multiply_adds, 30.0 * 20);
  EXPECT_EQ(gemv_kernel(on, 31, 20).multiply_adds, 40.0 * 20);
}

/// Twice the layers keep more inputs, so fewer tokens fit; a sequence is the most.
TEST(CoreKernels, TokensUnderWayFollowFromMemory) {
  const Rectangle on{core(), 100, 100};
  const std::uint32_t few = tokens_per_row(on, {80, 1000, 3000}, 2048);
  const std::uint32_t many = tokens_per_row(on, {40, 1000, 3000}, 2048);
  EXPECT_GT(few, 0U);
  EXPECT_GT(many, few);
  EXPECT_EQ(tokens_per_row(on, {1, 100, 100}, 3), 3U);
  const Kernel layer = training_layer(on, {40, 1000, 3000}, 2048, many);
  EXPECT_LE(layer.core_bytes, data_bytes(on.core));
  EXPECT_GT(training_layer(on, {40, 1000, 3000}, 2048, many + 1).core_bytes, data_bytes(on.core));
}

}  // namespace
}  // namespace wafertlm::cores
