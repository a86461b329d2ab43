// SPDX-License-Identifier: Apache-2.0
#include "tlm/program/data_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace wafertlm {
namespace {

// BF16 has 8 significant bits: between 256 and 512 its values are 2 apart.
TEST(Bf16, RoundsToNearestTiesToEven) {
  EXPECT_EQ(bf16_to_float(bf16_from_float(256)), 256);
  EXPECT_EQ(bf16_to_float(bf16_from_float(257)), 256) << "tie, to the even 256";
  EXPECT_EQ(bf16_to_float(bf16_from_float(259)), 260) << "tie, to the even 260";
  EXPECT_EQ(bf16_to_float(bf16_from_float(257.5F)), 258);
  EXPECT_EQ(bf16_to_float(bf16_from_float(-259)), -260);
}

TEST(Bf16, KeepsInfinityAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bf16_to_float(bf16_from_float(infinity)), infinity);
  EXPECT_EQ(bf16_to_float(bf16_from_float(std::numeric_limits<float>::max())), infinity) << "rounds up";
  EXPECT_TRUE(std::isnan(bf16_to_float(bf16_from_float(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Bf16, EveryValueSurvivesTheWayToFloatAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = bf16_to_float(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(bf16_from_float(value), bits);
    }
  }
}

TEST(AddValues, RoundsEverySumOfBf16) {
  const std::uint16_t one = bf16_from_float(1);
  std::uint16_t sum[2] = {bf16_from_float(256), bf16_from_float(3)};
  const std::uint16_t more[2] = {one, one};
  for (int i = 0; i < 5; ++i)
    add_values(DataType::bf16, reinterpret_cast<std::byte*>(sum), reinterpret_cast<const std::byte*>(more),
               sizeof sum);
  EXPECT_EQ(bf16_to_float(sum[0]), 256) << "each 1 is lost on its own";
  EXPECT_EQ(bf16_to_float(sum[1]), 8);
}

TEST(AddValues, Int32WrapsAround) {
  std::uint32_t sum = 0xFFFFFFFF;
  const std::uint32_t two = 2;
  add_values(DataType::int32, reinterpret_cast<std::byte*>(&sum), reinterpret_cast<const std::byte*>(&two),
             sizeof sum);
  EXPECT_EQ(sum, 1U);
}

}  // namespace
}  // namespace wafertlm
