// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/access_streams.h"

#include <gtest/gtest.h>

#include <random>

namespace wafertlm {
namespace {

constexpr double kDepth = 16;

TEST(AccessStreams, OneStreamGoesOn) {
  AccessStreams streams;
  for (std::uint64_t k = 0; k < 100; ++k) {
    const AccessStreams::Pattern pattern = streams.next(1000 + k * 256, 256, kDepth);
    EXPECT_EQ(pattern.stride, 1U) << k;
    EXPECT_EQ(pattern.random_part, 0) << k;
  }
}

TEST(AccessStreams, AConstantStepIsAStrideInSizes) {
  AccessStreams up, down;
  for (std::uint64_t k = 0; k < 100; ++k) {
    const std::uint64_t from_above = up.next(k * 768, 256, kDepth).stride;
    const std::uint64_t from_below = down.next((1000 - k) * 1024, 256, kDepth).stride;
    if (k < 8) continue;
    EXPECT_EQ(from_above, 3U) << k;
    EXPECT_EQ(from_below, 4U) << k;
  }
}

TEST(AccessStreams, AnywhereIsRandom) {
  AccessStreams streams;
  std::mt19937_64 random(3);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const std::uint64_t stride = streams.next((random() >> 20) * 256, 256, kDepth).stride;
    if (k <= 8) continue;
    EXPECT_EQ(stride, 0U) << k;
  }
}

// Of 16 accesses under way two begin a stream besides the first.
TEST(AccessStreams, ThreeInTurnsGoOnEachAndAreAsRandomAsTheyAreMany) {
  AccessStreams streams;
  std::uint64_t at[3] = {0, 10'000'000, 5'000'000};
  for (std::uint64_t k = 0; k < 100; ++k) {
    const AccessStreams::Pattern pattern = streams.next(at[k % 3], 4096, kDepth);
    at[k % 3] += 4096;
    if (k < 8) continue;
    EXPECT_EQ(pattern.stride, 1U) << k;
    EXPECT_DOUBLE_EQ(pattern.random_part, 2.0 / 15) << k;
  }
}

// One more than one, and one that has not gone on for 16 accesses.
TEST(AccessStreams, TwoInTurnsAreALittleRandom) {
  AccessStreams streams;
  std::uint64_t at[2] = {4096, 10'000'000};
  const auto next = [&](std::size_t which) {
    const AccessStreams::Pattern pattern = streams.next(at[which], 4096, kDepth);
    at[which] += 4096;
    return pattern;
  };
  for (int k = 0; k < 20; ++k) {
    next(0);
    const AccessStreams::Pattern pattern = next(1);
    if (k == 0) continue;
    EXPECT_EQ(pattern.stride, 1U) << k;
    EXPECT_DOUBLE_EQ(pattern.random_part, 1.0 / 15) << k;
  }
  for (int k = 1; k < 20; ++k) EXPECT_EQ(next(0).random_part, k < 16 ? 1.0 / 15 : 0) << k;
}

TEST(AccessStreams, AsManyStreamsAsAccessesAreRandom) {
  AccessStreams streams;
  double random_part = 0;
  for (std::uint64_t k = 0; k < 200; ++k)
    random_part = streams.next(k % 20 * 10'000'000 + k / 20 * 4096, 4096, kDepth).random_part;
  EXPECT_EQ(random_part, 1);
}

}  // namespace
}  // namespace wafertlm
