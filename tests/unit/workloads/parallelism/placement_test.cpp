// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

const PlacementGrid kWafer{5, 4};

std::vector<std::size_t> numbers(const Group& group) {
  std::vector<std::size_t> numbers;
  for (const NpuId npu : group) numbers.push_back(index_of(npu));
  return numbers;
}

std::vector<std::size_t> group(const std::string& policy, const std::string& text, ParallelClass of,
                               std::size_t which) {
  const Parallelism parallelism = parse_parallelism(text, kWafer.npus());
  return numbers(npus_of(groups_of(parallelism, of)[which], place_workers(policy, parallelism, kWafer, 1)));
}

using Numbers = std::vector<std::size_t>;

// A column holds MP(2) x PP(2), the DP groups are the four rows.
TEST(Placement, ThePapersFillsTheColumns) {
  const std::string text = "MP(2)-DP(5)-PP(2)";
  EXPECT_EQ(group("paper", text, ParallelClass::mp, 0), (Numbers{0, 5}));
  EXPECT_EQ(group("paper", text, ParallelClass::mp, 1), (Numbers{10, 15}));
  EXPECT_EQ(group("paper", text, ParallelClass::pp, 0), (Numbers{0, 10}));
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_EQ(group("paper", text, ParallelClass::dp, row),
              (Numbers{5 * row, 5 * row + 1, 5 * row + 2, 5 * row + 3, 5 * row + 4}));
}

TEST(Placement, RowMajorIsTheIdentity) {
  EXPECT_EQ(group("row_major", "MP(20)", ParallelClass::mp, 0)[7], 7U);
}

// Five groups down the columns and one along the last row, as the FRED paper's text suggests.
TEST(Placement, ContiguousGroupsOfThree) {
  EXPECT_EQ(group("contiguous", "MP(3)-DP(3)-PP(2)", ParallelClass::mp, 0), (Numbers{0, 5, 10}));
  EXPECT_EQ(group("contiguous", "MP(3)-DP(3)-PP(2)", ParallelClass::mp, 1), (Numbers{15, 16, 17}));
  EXPECT_EQ(group("contiguous", "MP(3)-DP(3)-PP(2)", ParallelClass::mp, 5), (Numbers{4, 9, 14}));
}

TEST(Placement, ContiguousGroupsAreRingsOfNeighboursWherePossible) {
  const std::string text = "MP(4)-DP(5)";
  for (std::size_t which = 0; which < 4; ++which) {
    const Numbers square = group("contiguous", text, ParallelClass::mp, which);
    EXPECT_EQ(square[3], square[0] + 1);  // 2 x 2 in a snake: down, right, up
    EXPECT_EQ(square[1], square[0] + 5);
  }
  EXPECT_EQ(group("contiguous", text, ParallelClass::mp, 4), (Numbers{4, 9, 14, 19}));
}

// For all degrees and some wafers: an NPU for every worker, and consecutive ones of a group are neighbours.
TEST(Placement, ContiguousAlwaysFits) {
  for (const PlacementGrid& grid : {PlacementGrid{5, 4}, PlacementGrid{8, 8}, PlacementGrid{7, 3}, {1, 6}})
    for (std::uint32_t mp = 1; mp <= grid.npus(); ++mp) {
      const Parallelism parallelism{mp, grid.npus() / mp, 1};
      const Placement placement = place_workers("contiguous", parallelism, grid, 0);
      ASSERT_EQ(placement.size(), parallelism.workers());
      EXPECT_EQ(std::set<NpuId>(placement.begin(), placement.end()).size(), placement.size());
      for (std::uint32_t w = 0; w + 1 < placement.size(); ++w) {
        if (w % mp == mp - 1) continue;
        const auto a = static_cast<int>(placement[w]), b = static_cast<int>(placement[w + 1]);
        const int width = static_cast<int>(grid.width);
        EXPECT_EQ(std::abs(a % width - b % width) + std::abs(a / width - b / width), 1) << mp;
      }
    }
}

TEST(Placement, RandomIsAPermutationThatDependsOnTheSeed) {
  const Parallelism all{20, 1, 1};
  const Placement one = place_workers("random", all, kWafer, 1);
  EXPECT_EQ(std::set<NpuId>(one.begin(), one.end()).size(), 20U);
  EXPECT_EQ(one, place_workers("random", all, kWafer, 1));
  EXPECT_NE(one, place_workers("random", all, kWafer, 2));
}

TEST(Placement, AFileIsAListOrAMap) {
  const test::TempFolder folder;
  const Parallelism four{2, 2, 1};
  const Placement expected{NpuId{7}, NpuId{3}, NpuId{12}, NpuId{0}};
  EXPECT_EQ(place_workers("file:" + folder.write("list", "# workers 0 to 3\n7\n3\n\n12 # here\n0\n"), four,
                          kWafer, 0),
            expected);
  EXPECT_EQ(place_workers("file:" + folder.write("map", "3 0\n0 7\n1 3\n2 12\n"), four, kWafer, 0), expected);
}

bool are_neighbours(NpuId a, NpuId b, const PlacementGrid& grid) {
  const std::size_t one = std::min(index_of(a), index_of(b)), other = std::max(index_of(a), index_of(b));
  return other - one == grid.width || (other - one == 1 && other % grid.width != 0);
}

TEST(Placement, ARingClosesOnEveryRectangleThatHasOne) {
  for (const PlacementGrid& grid : {PlacementGrid{4, 4}, {5, 4}, {4, 5}, {2, 3}, {8, 8}, {6, 2}}) {
    const Placement ring = place_workers("ring", {grid.npus(), 1, 1}, grid, 0);
    EXPECT_EQ(std::set<NpuId>(ring.begin(), ring.end()).size(), grid.npus());
    for (std::size_t i = 0; i < ring.size(); ++i)
      EXPECT_TRUE(are_neighbours(ring[i], ring[(i + 1) % ring.size()], grid)) << grid.width << " " << i;
  }
  const Placement none = place_workers("ring", {9, 1, 1}, {3, 3}, 0);
  EXPECT_EQ(none, place_workers("contiguous", {9, 1, 1}, {3, 3}, 0)) << "an odd number of NPUs has none";
}

TEST(Placement, AGridGoesRowByRowOnEverySquare) {
  const PlacementGrid grid{4, 4};
  const Placement placement = place_workers("grid", {4, 4, 1}, grid, 0);
  for (std::size_t first = 0; first < 16; first += 4) {
    const std::size_t corner = index_of(placement[first]);
    EXPECT_EQ(numbers(Group(placement.begin() + first, placement.begin() + first + 4)),
              (Numbers{corner, corner + 1, corner + 4, corner + 5}));
  }
}

// MP(4)-DP(4): the experts' groups are squares, and members of an MP group two columns or rows apart.
TEST(Placement, EntwinedGroupsOfExpertsAreSquares) {
  const Parallelism parallelism = {4, 4, 1};
  const Placement placement = place_workers("entwined", parallelism, {4, 4}, 0);
  EXPECT_EQ(numbers(npus_of(groups_of(parallelism, ParallelClass::dp)[0], placement)), (Numbers{0, 4, 5, 1}));
  EXPECT_EQ(numbers(npus_of(groups_of(parallelism, ParallelClass::mp)[0], placement)),
            (Numbers{0, 8, 2, 10}));
  EXPECT_EQ(std::set<NpuId>(placement.begin(), placement.end()).size(), 16U);
}

TEST(Placement, ABadFileIsRefusedWithItsLine) {
  const test::TempFolder folder;
  const auto expect_error = [&](const std::string& text, const std::string& message) {
    try {
      read_placement(folder.write("f", text), 2, 20);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  expect_error("1\nx\n", "f:2: 'x' is no NPU; there are 0 to 19");
  expect_error("1\n20\n", "f:2: '20' is no NPU");
  expect_error("1\n1\n", "f:2: NPU 1 is taken already, in line 1");
  expect_error("1\n2\n3\n", "f:3: the parallelism has 2 workers, this is one NPU too many");
  expect_error("0 1\n2\n", "f:2: expected an NPU, or a worker and its NPU");
  expect_error("0 1\n0 2\n", "f:2: worker 0 has an NPU already, in line 1");
  expect_error("2 1\n", "f:1: '2' is no worker; there are 0 to 1");
  expect_error("1\n", "f: no NPU for worker 1; the parallelism has 2 workers");
  EXPECT_THROW(read_placement("/no/such/file", 2, 20), std::invalid_argument);
  EXPECT_THROW(place_workers("best", {2, 1, 1}, kWafer, 0), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
