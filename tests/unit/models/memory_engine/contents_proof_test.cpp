// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/contents_proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace wafertlm {
namespace {

using Bytes = std::vector<unsigned char>;

// A memory that carries accesses out one after the other, at times with a mistake in one byte of a load.
TEST(ContentsProof, FindsEveryWrongByteAndNoOther) {
  ContentsProof proof(3, RequesterId{2});
  std::mt19937 random(5);
  Bytes memory(40'000);
  std::uint64_t proven = 0, mistakes = 0;
  for (std::uint64_t token = 0; token < 3000; ++token) {
    const bool write = random() % 2 == 0;
    const std::uint64_t address = random() % 30'000, bytes = 1 + random() % 10'000;
    unsigned char* const data = proof.begin(token, write, address, bytes);
    const auto here = memory.begin() + static_cast<std::ptrdiff_t>(address);
    std::optional<std::uint64_t> mistake;
    if (write) {
      std::copy_n(data, bytes, here);
    } else {
      std::copy_n(here, bytes, data);
      if (random() % 4 == 0) {
        const std::uint64_t at = random() % bytes;
        data[at] ^= 1;
        mistake = address + at;
        ++mistakes;
      }
    }
    ASSERT_EQ(proof.end(token, true), mistake);
    if (!write && !mistake) proven += bytes;
  }
  EXPECT_GT(mistakes, 300U);
  EXPECT_GE(proof.proven_bytes(), proven) << "the pages of a load that are right, too";
  EXPECT_EQ(proof.unproven_bytes(), 0U);
}

// Stores that meet within a page leave only the 64 B in doubt in which they do.
TEST(ContentsProof, StoresMayMeetWithinAPage) {
  ContentsProof proof(3, RequesterId{2});
  Bytes memory(6000);
  for (std::uint64_t token = 0; token < 2; ++token)
    std::copy_n(proof.begin(token, true, token * 3000, 3000), 3000,
                memory.begin() + static_cast<std::ptrdiff_t>(token * 3000));
  for (std::uint64_t token = 0; token < 2; ++token) EXPECT_FALSE(proof.end(token, true));
  std::copy(memory.begin(), memory.end(), proof.begin(2, false, 0, 6000));
  EXPECT_FALSE(proof.end(2, true));
  EXPECT_EQ(proof.unproven_bytes(), 64U);
  EXPECT_EQ(proof.proven_bytes(), 6000U - 64);
}

// Two accesses to a page that are under way together have no order; a whole store that is alone ends the
// doubt.
TEST(ContentsProof, DoesNotJudgeWhatNothingOrders) {
  ContentsProof proof(3, RequesterId{2});
  Bytes memory(8192);
  const auto take = [&](unsigned char* data, std::uint64_t at, std::uint64_t bytes) {
    std::copy_n(data, bytes, memory.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const auto load = [&](std::uint64_t token, const Bytes& what, std::uint64_t at = 0) {
    std::copy(what.begin(), what.end(), proof.begin(token, false, at, what.size()));
    return proof.end(token, true);
  };
  take(proof.begin(1, true, 0, 4096), 0, 4096);
  unsigned char* const beside = proof.begin(2, false, 0, 4096);
  std::fill_n(beside, 4096, static_cast<unsigned char>(9));
  EXPECT_FALSE(proof.end(1, true));
  EXPECT_FALSE(proof.end(2, true));  // began beside the store
  EXPECT_EQ(proof.unproven_bytes(), 4096U);
  EXPECT_FALSE(load(3, Bytes(memory.begin(), memory.begin() + 4096)));
  EXPECT_EQ(load(4, Bytes(4096, 9)), 0U);
  EXPECT_EQ(proof.proven_bytes(), 4096U);
  // Two stores, in whichever order, and one that failed.
  proof.begin(5, true, 0, 4096);
  proof.begin(6, true, 0, 4096);
  proof.end(5, true);
  proof.end(6, true);
  EXPECT_FALSE(load(7, Bytes(4096, 9)));
  take(proof.begin(8, true, 0, 4096), 0, 4096);
  proof.end(8, true);
  EXPECT_EQ(load(9, Bytes(4096, 9)), 0U);
  proof.begin(10, true, 0, 4096);
  proof.end(10, false);
  EXPECT_FALSE(load(11, Bytes(4096, 9)));
  EXPECT_EQ(load(12, Bytes(10, 9), 4096), 4096U) << "the next page is zero";
}

}  // namespace
}  // namespace wafertlm
