// SPDX-License-Identifier: Apache-2.0
// The buffer of a switch against a small model of its own, its thresholds against closed forms; marks by
// chance.
#include "models/ethernet/network/shared_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/ethernet/network/ecn.h"

namespace wafertlm::ethernet {
namespace {

SharedBufferParams pool(std::uint64_t bytes, std::uint32_t numerator, std::uint32_t denominator) {
  SharedBufferParams params;
  params.pool_bytes = bytes;
  params.threshold.alpha_numerator = numerator;
  params.threshold.alpha_denominator = denominator;
  return params;
}

/// n equal congested queues hold αB/(1 + nα) each (Choudhury and Hahne, ToN 1998).
TEST(SharedBuffer, EqualQueuesShareByAlpha) {
  for (const auto& [numerator, denominator] : {std::pair{1U, 8U}, {1U, 1U}, {8U, 1U}})
    for (const std::uint32_t n : {1U, 2U, 7U, 32U}) {
      SharedBuffer buffer(pool(12'000'000, numerator, denominator), std::vector<std::uint64_t>(n));
      for (bool grows = true; grows;) {
        grows = false;
        for (std::uint32_t queue = 0; queue < n; ++queue) grows |= buffer.admit(queue, 64);
      }
      const double alpha = double(numerator) / denominator;
      for (std::uint32_t queue = 0; queue < n; ++queue)
        EXPECT_NEAR(double(buffer.queue_bytes(queue)), alpha * 12e6 / (1 + n * alpha), 64 * (1 + alpha) * n)
            << alpha << " " << n;
    }
}

TEST(SharedBuffer, PausesAtXoffAndResumesAtXon) {
  SharedBufferParams params;
  params.pool_bytes = 1'000'000;
  params.threshold.dynamic = false;
  params.threshold.xoff_bytes = 10'000;
  params.threshold.xon_bytes = 4'000;
  SharedBuffer buffer(params, {3'000, 0});
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(buffer.admit(0, 1000));
  ASSERT_TRUE(buffer.admit(0, 999));
  EXPECT_FALSE(buffer.must_pause(0));  // 9999
  ASSERT_TRUE(buffer.admit(0, 1500));  // the packet that crosses is not of the headroom
  EXPECT_TRUE(buffer.must_pause(0));
  EXPECT_EQ(buffer.headroom_used(0), 0U);
  buffer.set_paused(0, true);
  ASSERT_TRUE(buffer.admit(0, 1500));
  ASSERT_TRUE(buffer.admit(0, 1500));
  EXPECT_EQ(buffer.headroom_used(0), 3'000U);
  EXPECT_FALSE(buffer.admit(0, 1));
  EXPECT_EQ(buffer.queue_bytes(0), 14'499U);
  EXPECT_EQ(buffer.used_bytes(), 11'499U);
  buffer.release(0, 3'000);
  EXPECT_EQ(buffer.headroom_used(0), 0U);
  EXPECT_EQ(buffer.most_headroom_used(0), 3'000U);
  EXPECT_FALSE(buffer.may_resume(0));
  buffer.release(0, 7'498);
  EXPECT_FALSE(buffer.may_resume(0));  // 4001
  buffer.release(0, 1);
  EXPECT_TRUE(buffer.may_resume(0));
  EXPECT_THROW(buffer.release(0, 4'001), std::logic_error);
  // Another queue has a threshold of its own, and without headroom loses what is above.
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(buffer.admit(1, 1000));
  EXPECT_FALSE(buffer.admit(1, 1));
}

TEST(SharedBuffer, DynamicXonLiesBelowXoff) {
  SharedBuffer buffer(pool(90'000, 1, 8), {100'000});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(buffer.admit(0, 1000));  // XOFF 10,000 at a use of 10,000
  EXPECT_EQ(buffer.xoff_bytes(), 10'000U);
  EXPECT_TRUE(buffer.must_pause(0));
  buffer.release(0, 2'000);  // 8,000; XOFF 10,250, XON 7,250
  EXPECT_FALSE(buffer.may_resume(0));
  buffer.release(0, 666);  // 7,334; XOFF 10,333, XON 7,333
  EXPECT_FALSE(buffer.may_resume(0));
  buffer.release(0, 1);
  EXPECT_TRUE(buffer.may_resume(0));
  EXPECT_THROW(SharedBuffer(pool(1, 0, 1), {0}), std::invalid_argument);
  EXPECT_THROW(SharedBuffer(pool(1, 1, 0), {0}), std::invalid_argument);
}

/// What goes in comes out, and the parts are as the rules say, whatever the order.
TEST(SharedBuffer, CountsLikeAListOfPackets) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    SharedBufferParams params = pool(20'000 + random() % 50'000, 1 + random() % 4, 1 + random() % 8);
    params.reserved_bytes = random() % 5'000;
    const std::uint64_t headroom = random() % 10'000;
    SharedBuffer buffer(params, {headroom, headroom, headroom});
    std::vector<std::uint32_t> packets[3];
    for (int step = 0; step < 500; ++step) {
      const auto queue = static_cast<std::uint32_t>(random() % 3);
      if (buffer.must_pause(queue) || buffer.may_resume(queue))
        buffer.set_paused(queue, buffer.must_pause(queue));
      if (random() % 5 < 3) {
        const auto bytes = static_cast<std::uint32_t>(64 + random() % 4000);
        if (buffer.admit(queue, bytes)) packets[queue].push_back(bytes);
      } else if (!packets[queue].empty()) {
        buffer.release(queue, packets[queue].back());
        packets[queue].pop_back();
      }
      std::uint64_t most_shared = 0;
      for (std::uint32_t q = 0; q < 3; ++q) {
        std::uint64_t held = 0;
        for (const std::uint32_t bytes : packets[q]) held += bytes;
        ASSERT_EQ(buffer.queue_bytes(q), held);
        ASSERT_LE(buffer.headroom_used(q), headroom);
        most_shared += held - buffer.headroom_used(q);
      }
      ASSERT_LE(buffer.used_bytes(), most_shared);
      ASSERT_GE(buffer.used_bytes() + 3 * params.reserved_bytes, most_shared);
      ASSERT_LE(buffer.used_bytes(), params.pool_bytes);
    }
  }
}

TEST(Ecn, MarksByTheLengthOfTheQueue) {
  const EcnParams red{5'000, 200'000, .01};
  EXPECT_EQ(red.probability(5'000), 0);
  EXPECT_DOUBLE_EQ(red.probability(102'500), .005);
  EXPECT_NEAR(red.probability(199'999), .01, 1e-7);
  EXPECT_EQ(red.probability(200'000), 1);
  const EcnParams step{40'000, 40'000, 1};
  EXPECT_EQ(step.probability(39'999), 0);
  EXPECT_EQ(step.probability(40'000), 1);
  EXPECT_EQ(EcnParams{}.probability(1'000'000'000), 0);
  Random random(1);
  int marks = 0;
  for (int i = 0; i < 1'000'000; ++i) marks += red.marks(102'500, random);
  EXPECT_NEAR(marks, 5'000, 5 * std::sqrt(5'000));
}

}  // namespace
}  // namespace wafertlm::ethernet
