// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/credit_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace wafertlm {
namespace {

TEST(CreditWindow, RoomComesBackAtItsTimeAndNotBefore) {
  CreditWindow window(1000);
  EXPECT_EQ(window.available(0), 1000U);
  window.take(900);
  EXPECT_EQ(window.time_of_credits(100), 0U);
  EXPECT_EQ(window.time_of_credits(101), kNever);
  EXPECT_EQ(window.outstanding(), 900U);
  window.give_back(500, 70);
  window.give_back(400, 50);  // overtakes
  EXPECT_EQ(window.outstanding(), 0U);
  EXPECT_EQ(window.time_of_credits(101), 50U);
  EXPECT_EQ(window.time_of_credits(501), 70U);
  EXPECT_EQ(window.time_of_credits(1001), kNever);
  EXPECT_EQ(window.available(49), 100U);
  EXPECT_EQ(window.available(50), 500U);
  EXPECT_EQ(window.available(69), 500U);
  EXPECT_EQ(window.available(70), 1000U);
}

// Of what is promised for 70 and 90 the first is used ahead of its time; the second still comes at its own.
TEST(CreditWindow, WhatIsTakenAheadIsNoMoreThanIsNeeded) {
  CreditWindow window(1000);
  window.take(900);
  window.give_back(500, 70);
  window.give_back(400, 90);
  window.take_ahead(100);
  EXPECT_EQ(window.time_of_credits(1), 70U);
  window.take_ahead(300);
  EXPECT_EQ(window.time_of_credits(200), 0U);
  EXPECT_EQ(window.time_of_credits(201), 90U);
  EXPECT_EQ(window.available(89), 200U);
  EXPECT_EQ(window.available(90), 600U);
  EXPECT_EQ(window.outstanding(), 400U);
}

TEST(CreditWindow, IsAMapOfReturnsInRandomUse) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 100; ++run) {
    const std::uint64_t capacity = 1000 + random() % 10'000;
    CreditWindow window(capacity);
    std::uint64_t room = capacity, away = 0;
    std::multimap<TimePs, std::uint64_t> returns;
    TimePs now = 0;
    for (int i = 0; i < 1000; ++i) {
      now += random() % 50;
      while (!returns.empty() && returns.begin()->first <= now) {
        room += returns.begin()->second;
        returns.erase(returns.begin());
      }
      if (run % 2 == 0) {
        ASSERT_EQ(window.available(now), room);
      }
      const std::uint64_t bytes = 1 + random() % 500;
      ASSERT_EQ(window.has_credits_at(now, bytes), bytes <= room);
      if (bytes <= room) {
        window.take(bytes);
        room -= bytes;
        away += bytes;
      }
      if (away > 0 && random() % 3) {
        const std::uint64_t part = 1 + random() % away;
        const TimePs at = now + random() % 300;
        window.give_back(part, at);
        returns.emplace(at, part);
        away -= part;
      }
      const std::uint64_t wanted = 1 + random() % (capacity + 10);
      std::uint64_t sum = room;
      TimePs expected = sum >= wanted ? 0 : kNever;
      for (const auto& [at, part] : returns)
        if (sum < wanted && (sum += part) >= wanted) expected = at;
      // What is back and not counted yet has its time still.
      ASSERT_EQ(std::max(window.time_of_credits(wanted), now), std::max(expected, now));
      ASSERT_EQ(window.outstanding(), away);
    }
  }
}

}  // namespace
}  // namespace wafertlm
