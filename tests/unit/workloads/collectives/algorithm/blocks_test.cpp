// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/blocks.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(Blocks, CoverTheVectorAndDifferByAtMostOneElement) {
  for (const std::uint64_t bytes : {0U, 1U, 3U, 4U, 6U, 12U, 1000U, 1001U, 1002U, 1U << 20U})
    for (std::uint64_t count = 1; count <= 64; ++count) {
      const Blocks blocks(bytes, count);
      const std::uint64_t element = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        EXPECT_EQ(blocks.offset(i), sum);
        EXPECT_EQ(blocks.bytes(i) % element, 0U);
        EXPECT_LE(blocks.bytes(0) - blocks.bytes(i), element);
        sum += blocks.bytes(i);
      }
      EXPECT_EQ(sum, bytes) << bytes << " B in " << count;
    }
}

}  // namespace
}  // namespace wafertlm
