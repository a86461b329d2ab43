// SPDX-License-Identifier: Apache-2.0
// Wake-ups kept by partition: the order within a partition is that of time and insertion, limits are kept,
// and the next of all is found across groups of partitions.
#include "tlm/kernel/wake_partitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <vector>

namespace wafertlm {
namespace {

constexpr Partition kPartitions = 150;  // in three groups

WakeQueue::Entry entry_of(TimePs at, std::uint64_t order, Partition partition) {
  return {at, order, nullptr, static_cast<std::uint32_t>(order), partition};
}

TEST(WakePartitions, TheNextOfAllComesInTheOrderOfTimeAndInsertion) {
  WakePartitions partitions;
  EXPECT_EQ(partitions.front(), nullptr);
  EXPECT_EQ(partitions.next_ps(), kNever);
  std::mt19937_64 random(1);
  std::vector<WakeQueue::Entry> expected;
  std::uint64_t order = 0;
  const auto push = [&](TimePs from) {
    expected.push_back(
        entry_of(from + random() % 50, order += 2, static_cast<Partition>(random() % kPartitions)));
    partitions.push(expected.back());
  };
  for (int k = 0; k < 500; ++k) push(0);
  TimePs now = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto first = std::min_element(expected.begin(), expected.end(),
                                        [](const auto& a, const auto& b) { return a.before(b); });
    ASSERT_EQ(partitions.pending(), expected.size());
    const WakeQueue::Entry popped = partitions.pop();
    ASSERT_EQ(popped.order, first->order) << "after " << k;
    now = popped.at;
    expected.erase(first);
    push(now);
  }
}

TEST(WakePartitions, AWindowGoesRegionByRegionUpToItsLimit) {
  WakePartitions partitions;
  std::uint64_t order = 0;
  for (const TimePs at : std::initializer_list<TimePs>{30, 10, 20, 40})
    for (const Partition partition : std::initializer_list<Partition>{149, 3, 70})
      partitions.push(entry_of(at, order += 2, partition));
  std::vector<std::pair<Partition, TimePs>> came;
  bool more = true;
  const WakePartitions::Limit limit{40};
  partitions.run(limit, false, [&](const WakeQueue::Entry& entry) {
    EXPECT_EQ(partitions.at_work(), entry.partition);
    came.emplace_back(entry.partition, entry.at);
    if (entry.partition != 70 || !more) return;
    more = false;
    partitions.push(entry_of(15, order += 2, 70));  // in the window, of the partition at work
    partitions.push(entry_of(45, order += 2, 3));   // of one whose turn is over
  });
  EXPECT_EQ(came, (std::vector<std::pair<Partition, TimePs>>{{3, 10},
                                                             {3, 20},
                                                             {3, 30},
                                                             {70, 10},
                                                             {70, 15},
                                                             {70, 20},
                                                             {70, 30},
                                                             {149, 10},
                                                             {149, 20},
                                                             {149, 30}}));
  EXPECT_EQ(partitions.at_work(), kNoPartition);
  EXPECT_EQ(partitions.pending(), 4U);
  EXPECT_EQ(partitions.next_ps(), 40U);
  for (const TimePs at : std::initializer_list<TimePs>{40, 40, 40, 45}) EXPECT_EQ(partitions.pop().at, at);
  EXPECT_EQ(partitions.front(), nullptr);
}

TEST(WakePartitions, WhatCameBeforeTheLimitsWakeUpAtItsTimeBelongsToTheWindow) {
  WakePartitions partitions;
  partitions.push(entry_of(10, 2, 0));
  partitions.push(entry_of(10, 6, 1));
  const WakeQueue::Entry other = entry_of(10, 4, kNoPartition);
  std::vector<std::uint64_t> came;
  partitions.run({other.at, &other}, true,
                 [&](const WakeQueue::Entry& entry) { came.push_back(entry.order); });
  EXPECT_EQ(came, std::vector<std::uint64_t>{2});
  EXPECT_EQ(partitions.pop().order, 6U);
}

// Orders are compared whole: they are not taken modulo 2^32.
TEST(WakePartitions, InsertionsFarApartKeepTheirOrder) {
  WakePartitions partitions;
  partitions.push(entry_of(10, (std::uint64_t{3} << 32) + 2, 0));
  partitions.push(entry_of(10, 4, 1));
  EXPECT_EQ(partitions.pop().order, 4U);
}

}  // namespace
}  // namespace wafertlm
