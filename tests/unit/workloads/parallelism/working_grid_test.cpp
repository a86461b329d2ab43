// SPDX-License-Identifier: Apache-2.0
// Workers on a wafer with NPUs that do not work.
#include "workloads/parallelism/working_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

PlacementGrid wafer(std::uint32_t width, std::uint32_t height, const std::set<std::uint32_t>& idle) {
  PlacementGrid grid{width, height};
  for (const std::uint32_t npu : idle) grid.idle.push_back(static_cast<NpuId>(npu));
  return grid;
}

// Of 5 x 4 without NPU 7 the row that it is in, or its column, is a spare: the row has 5 places, the
// column 4.
TEST(WorkingGrid, LeavesOutTheShorterLine) {
  const WorkingGrid left = working_grid(wafer(5, 4, {7}), 16);
  EXPECT_EQ(left.grid.width, 4U);
  EXPECT_EQ(left.grid.height, 4U);
  EXPECT_EQ(left.npus[2], NpuId{3});  // column 2 is gone
  EXPECT_EQ(left.npus[6], NpuId{8});
}

TEST(WorkingGrid, OneLineTakesAllThatLieInIt) {
  const WorkingGrid left = working_grid(wafer(5, 4, {6, 8}), 15);
  EXPECT_EQ(left.grid.width, 5U);
  EXPECT_EQ(left.grid.height, 3U);
}

TEST(WorkingGrid, IsASnakeWhereRowsAndColumnsDoNotSuffice) {
  const WorkingGrid left = working_grid(wafer(3, 2, {1}), 5);
  EXPECT_EQ(left.grid.height, 1U);
  EXPECT_EQ(left.npus, (std::vector<NpuId>{NpuId{0}, NpuId{2}, NpuId{5}, NpuId{4}, NpuId{3}}));
}

// Every policy, each worker on an NPU of its own that works; without a dead one in the way all stays.
TEST(WorkingGrid, AllPoliciesPlaceOnWhatWorks) {
  std::mt19937_64 random(3);
  for (int number = 0; number < 200; ++number) {
    const auto width = static_cast<std::uint32_t>(2 + random() % 5),
               height = static_cast<std::uint32_t>(2 + random() % 5);
    std::set<std::uint32_t> idle;
    for (std::uint32_t n = 0; n < width * height; ++n)
      if (random() % 8 == 0) idle.insert(n);
    const PlacementGrid grid = wafer(width, height, idle);
    const std::uint32_t workers = 1 + static_cast<std::uint32_t>(random() % (width * height - idle.size()));
    const Parallelism parallelism = parse_parallelism("DP(" + std::to_string(workers) + ")", workers);
    for (const std::string& policy : placement_policies()) {
      if (policy == "file:PATH") continue;
      const Placement placement = place_workers(policy, parallelism, grid, 1);
      ASSERT_EQ(std::set<NpuId>(placement.begin(), placement.end()).size(), workers) << policy;
      for (const NpuId npu : placement) {
        ASSERT_LT(index_of(npu), grid.npus());
        EXPECT_EQ(idle.count(static_cast<std::uint32_t>(index_of(npu))), 0U) << policy;
      }
    }
  }
}

TEST(WorkingGrid, AFileMustNotNameADeadOne) {
  const test::TempFolder folder;
  const std::string path = folder.write("p.txt", "0 0\n1 7\n");
  EXPECT_THROW(place_workers("file:" + path, parse_parallelism("DP(2)", 2), wafer(5, 4, {7}), 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
