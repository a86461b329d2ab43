// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/random_stalls.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(RandomStalls, StopAtTheEndAndDependOnSeedPortAndSide) {
  constexpr std::uint64_t kEnd = 10'000;
  const RandomStalls one(1, kEnd), same(1, kEnd), other(2, kEnd);
  EXPECT_EQ(one.end(), kEnd);
  std::uint64_t stood = 0, seeds = 0, ports = 0, sides = 0;
  for (std::uint64_t edge = 0; edge <= kEnd; ++edge) {
    EXPECT_EQ(one.input(3, edge), same.input(3, edge));
    stood += one.input(3, edge);
    seeds += one.input(3, edge) != other.input(3, edge);
    ports += one.input(3, edge) != one.input(4, edge);
    sides += one.input(3, edge) != one.output(3, edge);
  }
  // Half the blocks, each from any place on for up to all of it: about a sixth of the time.
  EXPECT_GT(stood, kEnd / 10);
  EXPECT_LT(stood, kEnd / 3);
  for (const std::uint64_t differ : {seeds, ports, sides}) EXPECT_GT(differ, kEnd / 10);
  for (std::uint64_t edge = kEnd + 1; edge < kEnd + 1000; ++edge) {
    EXPECT_FALSE(one.input(3, edge));
    EXPECT_FALSE(one.output(3, edge));
  }
}

}  // namespace
}  // namespace wafertlm
