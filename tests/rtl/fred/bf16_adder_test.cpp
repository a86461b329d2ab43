// SPDX-License-Identifier: Apache-2.0
// The adder of the µswitches against tlm/data_type, by which functional mode adds.
#include <VBf16Adder.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "tests/rtl/fred/random_scenario.h"
#include "tlm/program/data_type.h"

namespace wafertlm::test {
namespace {

class Bf16Adder : public ::testing::Test {
 protected:
  /// Four sums at a time.
  void check(const std::uint16_t (&a)[4], const std::uint16_t (&b)[4]) {
    std::uint64_t left, right;
    std::memcpy(&left, a, 8);
    std::memcpy(&right, b, 8);
    adder_.a = left;
    adder_.b = right;
    adder_.enable = 1;
    adder_.bf16 = 1;
    adder_.eval();
    std::uint16_t expected[4], got[4];
    std::memcpy(expected, a, 8);
    add_values(DataType::bf16, reinterpret_cast<std::byte*>(expected), reinterpret_cast<const std::byte*>(b),
               8);
    const std::uint64_t sum = adder_.sum;
    std::memcpy(got, &sum, 8);
    for (int i = 0; i < 4; ++i) {
      ++sums_;
      if (got[i] != expected[i] && ++wrong_ < 10)
        ADD_FAILURE() << std::hex << a[i] << " + " << b[i] << " gives " << got[i] << " and not "
                      << expected[i];
    }
  }

  VBf16Adder adder_;
  std::uint64_t sums_ = 0, wrong_ = 0;
};

TEST_F(Bf16Adder, EveryExponentWithEveryExponent) {
  const std::uint16_t mantissas[] = {0, 1, 0x2A, 0x40, 0x7F};
  for (std::uint32_t i = 0; i < 512; ++i)  // sign and exponent
    for (std::uint32_t j = i % 2; j < 512; j += 2)
      for (const std::uint16_t left : mantissas) {
        std::uint16_t a[4], b[4];
        for (int lane = 0; lane < 4; ++lane) {
          a[lane] = static_cast<std::uint16_t>(i << 7 | left);
          b[lane] = static_cast<std::uint16_t>(j << 7 | mantissas[lane + (left == 0x7F)]);
        }
        check(a, b);
      }
  std::printf("BF16 adder: %llu sums equal\n", static_cast<unsigned long long>(sums_ - wrong_));
}

TEST_F(Bf16Adder, EveryMantissaWithinReach) {
  // All pairs of mantissas, of either sign, whose exponents differ by up to 10; also among subnormals.
  for (const std::uint32_t base : {0U, 1U, 100U, 243U})
    for (std::uint32_t apart = 0; apart <= 10; ++apart)
      for (std::uint32_t left = 0; left < 128; ++left)
        for (std::uint32_t right = 0; right < 128; right += 2) {
          std::uint16_t a[4], b[4];
          for (std::uint32_t lane = 0; lane < 4; ++lane) {
            a[lane] = static_cast<std::uint16_t>((lane & 2) << 14 | (base + apart) << 7 | left);
            b[lane] = static_cast<std::uint16_t>(base << 7 | (right + lane % 2));
          }
          check(a, b);
        }
  EXPECT_EQ(wrong_, 0U);
}

}  // namespace
}  // namespace wafertlm::test
