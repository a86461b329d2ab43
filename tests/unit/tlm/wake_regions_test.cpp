// SPDX-License-Identifier: Apache-2.0
// Wake-ups kept by region: the order within a region is that of time and insertion, limits are kept, and the
// next of all is found across groups of regions.
#include "tlm/wake_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <vector>

namespace wafertlm {
namespace {

constexpr Region kRegions = 150;  // in three groups

WakeQueue::Entry entry_of(TimePs at, std::uint64_t order, Region region) {
  return {at, order, nullptr, static_cast<std::uint32_t>(order), region};
}

TEST(WakeRegions, TheNextOfAllComesInTheOrderOfTimeAndInsertion) {
  WakeRegions regions;
  EXPECT_EQ(regions.front(), nullptr);
  EXPECT_EQ(regions.next_ps(), kNever);
  std::mt19937_64 random(1);
  std::vector<WakeQueue::Entry> expected;
  std::uint64_t order = 0;
  const auto push = [&](TimePs from) {
    expected.push_back(entry_of(from + random() % 50, order += 2, static_cast<Region>(random() % kRegions)));
    regions.push(expected.back());
  };
  for (int k = 0; k < 500; ++k) push(0);
  TimePs now = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto first = std::min_element(expected.begin(), expected.end(),
                                        [](const auto& a, const auto& b) { return a.before(b); });
    ASSERT_EQ(regions.pending(), expected.size());
    const WakeQueue::Entry popped = regions.pop();
    ASSERT_EQ(popped.order, first->order) << "after " << k;
    now = popped.at;
    expected.erase(first);
    push(now);
  }
}

TEST(WakeRegions, AWindowGoesRegionByRegionUpToItsLimit) {
  WakeRegions regions;
  std::uint64_t order = 0;
  for (const TimePs at : std::initializer_list<TimePs>{30, 10, 20, 40})
    for (const Region region : std::initializer_list<Region>{149, 3, 70})
      regions.push(entry_of(at, order += 2, region));
  std::vector<std::pair<Region, TimePs>> came;
  bool more = true;
  const WakeRegions::Limit limit{40};
  regions.run(limit, false, [&](const WakeQueue::Entry& entry) {
    EXPECT_EQ(regions.at_work(), entry.region);
    came.emplace_back(entry.region, entry.at);
    if (entry.region != 70 || !more) return;
    more = false;
    regions.push(entry_of(15, order += 2, 70));  // in the window, of the region at work
    regions.push(entry_of(45, order += 2, 3));   // of one whose turn is over
  });
  EXPECT_EQ(came, (std::vector<std::pair<Region, TimePs>>{{3, 10},
                                                          {3, 20},
                                                          {3, 30},
                                                          {70, 10},
                                                          {70, 15},
                                                          {70, 20},
                                                          {70, 30},
                                                          {149, 10},
                                                          {149, 20},
                                                          {149, 30}}));
  EXPECT_EQ(regions.at_work(), kNoRegion);
  EXPECT_EQ(regions.pending(), 4U);
  EXPECT_EQ(regions.next_ps(), 40U);
  for (const TimePs at : std::initializer_list<TimePs>{40, 40, 40, 45}) EXPECT_EQ(regions.pop().at, at);
  EXPECT_EQ(regions.front(), nullptr);
}

TEST(WakeRegions, WhatCameBeforeTheLimitsWakeUpAtItsTimeBelongsToTheWindow) {
  WakeRegions regions;
  regions.push(entry_of(10, 2, 0));
  regions.push(entry_of(10, 6, 1));
  const WakeQueue::Entry other = entry_of(10, 4, kNoRegion);
  std::vector<std::uint64_t> came;
  regions.run({other.at, &other}, true, [&](const WakeQueue::Entry& entry) { came.push_back(entry.order); });
  EXPECT_EQ(came, std::vector<std::uint64_t>{2});
  EXPECT_EQ(regions.pop().order, 6U);
}

// Orders are compared whole: they are not taken modulo 2^32.
TEST(WakeRegions, InsertionsFarApartKeepTheirOrder) {
  WakeRegions regions;
  regions.push(entry_of(10, (std::uint64_t{3} << 32) + 2, 0));
  regions.push(entry_of(10, 4, 1));
  EXPECT_EQ(regions.pop().order, 4U);
}

}  // namespace
}  // namespace wafertlm
