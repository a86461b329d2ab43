// SPDX-License-Identifier: Apache-2.0
#include "platform/host/validators.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(Validators, OfNumbersAreShort) {
  EXPECT_EQ(not_negative()("0"), "");
  EXPECT_EQ(not_negative()("2.5"), "");
  EXPECT_EQ(not_negative()("-1"), "'-1' is not a number from 0");
  EXPECT_EQ(not_negative()("abc"), "'abc' is not a number from 0");
  EXPECT_EQ(positive()("1e-9"), "");
  EXPECT_EQ(positive()("0"), "'0' is not a number above 0");
}

TEST(Validators, OfNamesTellTheNearest) {
  const CLI::Validator fabric = one_of_names({"mesh", "fred"});
  EXPECT_EQ(fabric("fred"), "");
  const std::string refusal = fabric("frad");
  EXPECT_EQ(refusal.rfind("there is no 'frad'; did you mean 'fred'?", 0), 0U) << refusal;
}

}  // namespace
}  // namespace wafertlm
