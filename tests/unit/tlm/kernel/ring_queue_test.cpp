// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/ring_queue.h"

#include <gtest/gtest.h>

#include <array>

namespace wafertlm {
namespace {

// What is added may be in the block that moves when it is full.
TEST(RingQueue, TakesOneOfItsOwnWhenItIsFull) {
  using Large = std::array<std::uint64_t, 32>;
  RingQueue<Large> queue;
  for (std::uint64_t i = 0; i < 4; ++i) {
    Large value;
    value.fill(100 + i);
    queue.push_back(value);
  }
  ASSERT_TRUE(queue.is_full());
  queue.push_back(queue.front());
  ASSERT_EQ(queue.size(), 5U);
  EXPECT_EQ(queue.back(), queue.front());
  for (const std::uint64_t word : queue.back()) EXPECT_EQ(word, 100U);
}

}  // namespace
}  // namespace wafertlm
