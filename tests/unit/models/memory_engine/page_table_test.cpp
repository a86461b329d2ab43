// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/support/refusal.h"

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

/// A page, written down plainly.
struct PlainPage {
  bool known = false, granted = false;
  RequesterId owner{};
  PageRights rights;
};

// Over several blocks of 4096 pages, whole and in parts.
TEST(PageTable, IsLikeAListOfPages) {
  constexpr std::uint64_t kPages = 4 * 4096 - 100;
  std::mt19937_64 random(9);
  PageTable table(8192, kPages * 8192);
  EXPECT_EQ(table.pages(), kPages);
  EXPECT_EQ(table.page_bytes(), 8192U);
  std::vector<PlainPage> plain(kPages);
  std::size_t refused[kRefusals] = {};
  for (int round = 0; round < 3000; ++round) {
    std::uint64_t first = random() % kPages, count = 1 + random() % (round % 3 == 0 ? 9000 : 40);
    if (random() % 4 == 0) first = first / 4096 * 4096;
    if (random() % 4 == 0) count = 4096;
    count = std::min(count, kPages - first);
    const auto requester = static_cast<RequesterId>(1 + random() % 2);
    const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(first),
               end = begin + static_cast<std::ptrdiff_t>(count);
    if (random() % 2 == 0) {
      table.revoke(first, count);
      for (auto page = begin; page != end; ++page) page->granted = false;
    } else {
      const bool free = std::none_of(
          begin, end, [&](const PlainPage& page) { return page.granted && page.owner != requester; });
      const PageRights rights{random() % 4 != 0, random() % 4 != 0};
      EXPECT_EQ(test::refusal_of([&] { table.grant(requester, first, count, rights); }).empty(), free);
      if (free) std::fill(begin, end, PlainPage{true, true, requester, rights});
    }
    for (int probe = 0; probe < 20; ++probe) {
      const std::uint64_t address = random() % (kPages * 8192),
                          bytes = random() % 8 == 0 ? 0 : random() % 30'000;
      const bool write = random() % 2 == 0;
      const auto who = static_cast<RequesterId>(1 + random() % 2);
      Refusal expected = Refusal::none;
      const std::uint64_t last = (address + bytes - 1) / 8192;
      if (bytes == 0)
        expected = Refusal::no_bytes;
      else if (address + bytes > kPages * 8192)
        expected = Refusal::not_granted;
      for (std::uint64_t page = address / 8192; page <= last && expected == Refusal::none; ++page) {
        const PlainPage& of = plain[page];
        expected = !of.known                                     ? Refusal::not_granted
                   : of.owner != who                             ? Refusal::of_another
                   : !of.granted                                 ? Refusal::revoked
                   : !(write ? of.rights.write : of.rights.read) ? Refusal::no_right
                                                                 : Refusal::none;
      }
      ASSERT_EQ(table.check(who, write, address, bytes), expected) << round;
      ++refused[static_cast<std::size_t>(expected)];
    }
  }
  for (const Refusal refusal :
       {Refusal::none, Refusal::not_granted, Refusal::of_another, Refusal::revoked, Refusal::no_right})
    EXPECT_GT(refused[static_cast<std::size_t>(refusal)], 100U) << to_string(refusal);
}

TEST(PageTable, RefusesWhatCannotBe) {
  const auto made = [](std::uint64_t page_bytes, std::uint64_t memory_bytes) {
    return test::refusal_of([&] { PageTable(page_bytes, memory_bytes); });
  };
  EXPECT_EQ(made(2048, 4096), "pages of 2048 B; must be a power of two from 4 KiB on");
  EXPECT_EQ(made(4097, 4097), "pages of 4097 B; must be a power of two from 4 KiB on");
  EXPECT_EQ(made(4096, 5000), "a memory of 5000 B is not made of pages of 4096 B");
  EXPECT_EQ(made(4096, 0), "a memory of 0 B is not made of pages of 4096 B");
  EXPECT_EQ(made(4096, 4096), "");
  PageTable table(4096, 4 * 4096);
  table.grant(kOwner, 1, 1);
  EXPECT_EQ(test::refusal_of([&] { table.grant(kReader, 0, 2); }),
            "a page among 0 to 1 is requester 1's; revoke it before it is granted again");
  EXPECT_EQ(table.check(kOwner, false, 0, 1), Refusal::not_granted) << "all or nothing";
  EXPECT_EQ(test::refusal_of([&] { table.grant(kReader, 3, 2); }),
            "there are no pages 3 to 4; the memory has 4");
  EXPECT_EQ(test::refusal_of([&] { table.revoke(4, 1); }), "there are no pages 4 to 4; the memory has 4");
  EXPECT_EQ(test::refusal_of([&] { table.revoke(0, 4); }), "");
}

}  // namespace
}  // namespace wafertlm
