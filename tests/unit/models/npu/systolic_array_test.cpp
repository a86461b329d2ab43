// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_model.h"

#include <gtest/gtest.h>

#include <stdexcept>

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

TEST(SystolicArray, NothingIsAnError) {
  EXPECT_THROW(systolic_cycles({0, 32, kFlows[0]}, 1, 1, 1), std::invalid_argument);
  EXPECT_THROW(systolic_cycles({32, 32, kFlows[0]}, 0, 1, 1), std::invalid_argument);
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_THROW(systolic_cycles({1, 1, kFlows[0]}, huge, huge, 1), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
