// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm {
namespace {

constexpr RequesterId kOwner{1}, kReader{2};

TEST(PageTable, SaysWhyAnAccessIsRefused) {
  PageTable table(4096, 16 * 4096);
  table.grant(kOwner, 2, 3);
  table.grant(kReader, 5, 1, {true, false});
  EXPECT_EQ(table.check(kOwner, true, 2 * 4096, 3 * 4096), Refusal::none);
  EXPECT_EQ(table.check(kOwner, false, 2 * 4096 - 1, 2), Refusal::not_granted);
  EXPECT_EQ(table.check(kOwner, false, 5 * 4096 - 1, 2), Refusal::of_another);
  EXPECT_EQ(table.check(kReader, false, 5 * 4096, 4096), Refusal::none);
  EXPECT_EQ(table.check(kReader, true, 5 * 4096, 1), Refusal::no_right);
  EXPECT_EQ(table.check(kOwner, true, 16 * 4096, 1), Refusal::not_granted);
  EXPECT_EQ(table.check(kOwner, true, ~std::uint64_t{0}, 5), Refusal::not_granted);
  table.revoke(3, 1);
  EXPECT_EQ(table.check(kOwner, true, 2 * 4096, 4096), Refusal::none);
  EXPECT_EQ(table.check(kOwner, true, 2 * 4096, 4097), Refusal::revoked);
  EXPECT_EQ(table.check(kReader, false, 3 * 4096, 1), Refusal::of_another);
  table.grant(kReader, 3, 1);
  EXPECT_EQ(table.check(kOwner, false, 3 * 4096, 1), Refusal::of_another);
}

TEST(PageTable, KnowsPagesOfAnySize) {
  for (unsigned shift = 12; shift <= 30; ++shift) {
    PageTable table(std::uint64_t{1} << shift, std::uint64_t{8} << shift);
    table.grant(kOwner, 7, 1);
    EXPECT_EQ(table.check(kOwner, true, std::uint64_t{7} << shift, std::uint64_t{1} << shift), Refusal::none);
    EXPECT_EQ(table.check(kOwner, true, (std::uint64_t{7} << shift) - 1, 1), Refusal::not_granted);
  }
}

TEST(PageTable, RefusesWhatCannotBe) {
  EXPECT_THROW(PageTable(2048, 4096), std::invalid_argument);
  EXPECT_THROW(PageTable(4097, 4097), std::invalid_argument);
  EXPECT_THROW(PageTable(4096, 5000), std::invalid_argument);
  EXPECT_THROW(PageTable(4096, 0), std::invalid_argument);
  PageTable table(4096, 4 * 4096);
  table.grant(kOwner, 1, 1);
  EXPECT_THROW(table.grant(kReader, 0, 2), std::invalid_argument);
  EXPECT_EQ(table.check(kOwner, false, 0, 1), Refusal::not_granted) << "all or nothing";
  EXPECT_THROW(table.grant(kReader, 3, 2), std::invalid_argument);
  EXPECT_THROW(table.revoke(4, 1), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
