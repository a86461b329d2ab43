// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/tuning_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::backends {
namespace {

Group npus(std::initializer_list<std::uint32_t> numbers) {
  Group group;
  for (const std::uint32_t each : numbers) group.push_back(static_cast<NpuId>(each));
  return group;
}

TunedRow row(CollectiveType type, Group group, std::uint64_t bytes, const std::string& algorithm) {
  return {type, std::move(group), bytes, algorithm, "X", 1};
}

constexpr CollectiveType kSum = CollectiveType::all_reduce, kExchange = CollectiveType::all_to_all;

TuningTable small_table() {
  return TuningTable({row(kSum, npus({0, 1}), 4096, "large"), row(kSum, npus({0, 1}), 64, "small"),
                      row(kSum, npus({2, 3}), 64, "others"), row(kExchange, npus({0, 1, 2}), 1, "three")});
}

std::string refusal(CollectiveType type, const Group& group, std::uint64_t bytes) {
  try {
    small_table().look_up(type, group, bytes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(TuningTable, TakesTheNearestLargerSize) {
  const TuningTable table = small_table();
  EXPECT_EQ(table.look_up(kSum, npus({0, 1}), 0).algorithm, "small");
  EXPECT_EQ(table.look_up(kSum, npus({0, 1}), 64).algorithm, "small");
  EXPECT_EQ(table.look_up(kSum, npus({0, 1}), 65).algorithm, "large");
  EXPECT_EQ(table.look_up(kSum, npus({0, 1}), 4096).algorithm, "large");
}

TEST(TuningTable, TakesTheSameNpusInAnyOrderElseAsMany) {
  const TuningTable table = small_table();
  EXPECT_EQ(table.look_up(kSum, npus({3, 2}), 64).algorithm, "others");
  EXPECT_EQ(table.look_up(kSum, npus({5, 9}), 64).algorithm, "small");
}

TEST(TuningTable, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(refusal(kSum, npus({0, 1}), 4097),
            "the table has all_reduce of 2 NPUs up to 4096 B, not 4097 B; tune a size that is not smaller");
  EXPECT_EQ(refusal(kSum, npus({2, 3}), 65),
            "the table has all_reduce of 2 NPUs up to 64 B, not 65 B; tune a size that is not smaller");
  EXPECT_EQ(refusal(kSum, npus({0, 1, 2}), 1),
            "the table has no all_reduce of 3 NPUs; tune a group of that size");
  EXPECT_EQ(refusal(CollectiveType::broadcast, npus({0, 1}), 1), "the table has no broadcast; tune it");
}

TEST(TuningTable, RefusesTwoRowsOfOneEntry) {
  EXPECT_THROW(TuningTable({}), std::invalid_argument);
  EXPECT_THROW(TuningTable({row(kSum, npus({0, 1}), 64, "a"), row(kSum, npus({1, 0}), 64, "b")}),
               std::invalid_argument);
}

TEST(TuningTable, WritesGroupsInRanges) {
  EXPECT_EQ(group_text(npus({0, 1, 2, 10, 4, 5})), "0-2,10,4-5");
  EXPECT_EQ(group_text(npus({7})), "7");
}

}  // namespace
}  // namespace wafertlm::backends
