// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/fabric_traits.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

// 4 ps for each byte read, 5 ps written, in pieces of 100 B.
constexpr MemoryTraits kMemory{250'000'000'000, 200'000'000'000, 1000, 100};

// The first piece is read before a message leaves.
TEST(MemoryTraits, ASendReadsItsFirstPiece) {
  EXPECT_EQ(kMemory.send_ps(0), 0U);
  EXPECT_EQ(kMemory.send_ps(1), 1000U + 4);
  EXPECT_EQ(kMemory.send_ps(100), 1000U + 400);
  EXPECT_EQ(kMemory.send_ps(101), 1000U + 400);
}

// The last piece is written when a message is there; of a reduction both its operands are read before.
TEST(MemoryTraits, AReceiveWritesItsLastPiece) {
  EXPECT_EQ(kMemory.receive_ps(0, true), 0U);
  EXPECT_EQ(kMemory.receive_ps(30, false), 1000U + 150);
  EXPECT_EQ(kMemory.receive_ps(100, false), 1000U + 500);
  EXPECT_EQ(kMemory.receive_ps(101, false), 1000U + 5);
  EXPECT_EQ(kMemory.receive_ps(230, false), 1000U + 150);
  EXPECT_EQ(kMemory.receive_ps(230, true), 2 * 1000U + 2 * 120 + 150);
}

TEST(MemoryTraits, TheSlowerDirectionKeepsItBusy) {
  EXPECT_EQ(kMemory.busy_ps(1000, 10), 4000U);
  EXPECT_EQ(kMemory.busy_ps(1000, 1000), 5000U);
  EXPECT_EQ(MemoryTraits().busy_ps(1000, 1000), 0U);
  EXPECT_EQ(MemoryTraits().send_ps(1000), 0U);
  EXPECT_EQ(MemoryTraits().receive_ps(1000, true), 0U);
}

}  // namespace
}  // namespace wafertlm
