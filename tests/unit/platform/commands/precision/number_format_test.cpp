// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/precision/number_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

namespace wafertlm::precision {
namespace {

using F = NumberFormat;

/// Every value of a format of 8 bits or less; of a wider one whether a value is one of it.
struct Shape {
  int exponent_bits, fraction_bits, bias;  // fraction_bits without the leading one
};

Shape shape_of(F format) {
  switch (format) {
    case F::fp8:
      return {4, 3, 7};
    case F::fp16:
      return {5, 10, 15};
    case F::bf16:
      return {8, 7, 127};
    case F::tf32:
      return {8, 10, 127};
    default:
      return {8, 23, 127};
  }
}

bool has_value(F format, double value) {
  if (format == F::int4) return value == std::rint(value) && std::fabs(value) <= 7;
  if (format == F::int8) return value == std::rint(value) && std::fabs(value) <= 127;
  const Shape shape = shape_of(format);
  const double least = std::ldexp(1, 1 - shape.bias - shape.fraction_bits);
  if (value == 0) return true;
  // FP8 E4M3 has 448 as its largest value, the others keep their largest exponent for infinity.
  const double most = format == F::fp8 ? 448
                                       : std::ldexp(2 - std::ldexp(1, -shape.fraction_bits),
                                                    (1 << shape.exponent_bits) - 2 - shape.bias);
  if (std::fabs(value) > most) return false;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double step = std::max(least, std::ldexp(1, exponent - 1 - shape.fraction_bits));
  return std::fmod(value, step) == 0;
}

/// Values that tell formats apart: whole numbers, and what each float has at its ends.
std::vector<double> samples() {
  std::vector<double> values;
  for (int i = 0; i <= 300; ++i) values.push_back(i);
  for (const F format : {F::fp8, F::fp16, F::bf16, F::tf32, F::fp32}) {
    const Shape shape = shape_of(format);
    const double one = 1 + std::ldexp(1, -shape.fraction_bits);
    for (int e = 1 - shape.bias - shape.fraction_bits; e <= shape.bias; ++e) {
      values.push_back(std::ldexp(1, e));
      values.push_back(std::ldexp(one, e));
    }
  }
  return values;
}

TEST(NumberFormats, HoldWhatTheirValuesSay) {
  const std::vector<double> values = samples();
  for (const F outer : kFormats)
    for (const F inner : kFormats) {
      bool is_held = true;
      for (const double value : values)
        if (has_value(inner, value) && !has_value(outer, value)) is_held = false;
      EXPECT_EQ(holds(outer, inner), is_held) << to_string(outer) << " of " << to_string(inner);
    }
}

TEST(NumberFormats, ProductsAreInTheFirstThatHoldsBoth) {
  EXPECT_EQ(product_format(F::int4, F::int8), F::int8);
  EXPECT_EQ(product_format(F::int4, F::fp8), F::fp8);
  EXPECT_EQ(product_format(F::int8, F::fp8), F::fp16);
  EXPECT_EQ(product_format(F::fp16, F::bf16), F::tf32);
  EXPECT_EQ(product_format(F::fp32, F::int4), F::fp32);
  for (const F each : kFormats) EXPECT_EQ(product_format(each, each), each);
}

TEST(NumberFormats, WithoutAUnitTakeTheNextThatHoldsThem) {
  const Peaks peaks{{F::fp16, 4}, {F::fp32, 1}, {F::int8, 9}};
  EXPECT_EQ(peak_of(peaks, F::int4), 9);
  EXPECT_EQ(peak_of(peaks, F::fp8), 4);
  EXPECT_EQ(peak_of(peaks, F::bf16), 1);
  EXPECT_EQ(peak_of(peaks, F::tf32), 1);
  EXPECT_THROW(peak_of({{F::int8, 1}}, F::fp8), std::invalid_argument);
}

TEST(NumberFormats, BytesAndFactors) {
  EXPECT_EQ(tensor_bytes(7, F::int4, {}), 4U + 4);
  EXPECT_EQ(tensor_bytes(7, F::int8, {}), 7U + 4);
  EXPECT_EQ(tensor_bytes(7, F::fp8, {false, 3}), 7U + 12);
  EXPECT_EQ(tensor_bytes(6, F::fp8, {false, 3}), 6U + 8);
  EXPECT_EQ(tensor_bytes(7, F::fp16, {false, 3}), 14U);
  EXPECT_EQ(tensor_bytes(7, F::bf16, {}), 14U);
  EXPECT_EQ(tensor_bytes(7, F::tf32, {}), 28U);
  EXPECT_EQ(tensor_bytes(7, F::fp32, {}), 28U);
  EXPECT_EQ(tensor_bytes(0, F::int8, {}), 0U);
}

TEST(NumberFormats, OperationsOfScaling) {
  EXPECT_EQ(quantise_operations(10, F::int8, {}), 20U);
  EXPECT_EQ(quantise_operations(10, F::int8, {true, 0}), 31U);
  EXPECT_EQ(quantise_operations(10, F::int4, {true, 4}), 33U);
  EXPECT_EQ(quantise_operations(10, F::fp16, {true, 4}), 0U);
  EXPECT_EQ(dequantise_operations(10, F::fp8), 10U);
  EXPECT_EQ(dequantise_operations(10, F::tf32), 0U);
}

}  // namespace
}  // namespace wafertlm::precision
