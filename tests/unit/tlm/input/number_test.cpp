// SPDX-License-Identifier: Apache-2.0
// Numbers of users: decimal and finite, or none.
#include "tlm/input/number.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(Number, IsDecimalAndFinite) {
  EXPECT_EQ(finite_number("12"), 12.0);
  EXPECT_EQ(finite_number("+0.5"), 0.5);
  EXPECT_EQ(finite_number("-3e-2"), -0.03);
  for (const char* const text : {"", " 1", "1 ", "nan", "NaN", "inf", "-inf", "infinity", "1e400", "0x10",
                                 "1,5", "+-1", "++1", "1e", "--1", "e5"})
    EXPECT_FALSE(finite_number(text)) << text;
}

TEST(Number, LeadsAText) {
  const auto found = leading_number("1.5 PFLOPS");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 1.5);
  EXPECT_EQ(found->length, 3U);
  EXPECT_EQ(leading_number("+2ms")->length, 2U);
  EXPECT_FALSE(leading_number("nanms"));
  EXPECT_FALSE(leading_number("ms"));
}

}  // namespace
}  // namespace wafertlm
