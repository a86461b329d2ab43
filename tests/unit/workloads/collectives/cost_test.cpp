// SPDX-License-Identifier: Apache-2.0
// Bounds against collectives.md, worked out by hand for 750 GB/s links and 20 ns hops.
#include <gtest/gtest.h>

#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

using test::first_npus;
using test::wafer_of;

TimePs bound(CollectiveType type, std::uint64_t bytes, std::uint32_t root = 0, std::uint32_t w = 5,
             std::uint32_t h = 4) {
  const FabricTraits wafer = wafer_of(w, h);
  const CollectiveRequest request{type, first_npus(w * h), bytes, "", 1, root};
  return cost_of(*plan_collective(request, wafer), request, wafer).bound_ps;
}

// Corners have 1.5, edges 2.25, inner NPUs 3 TB/s; the nearest member is a hop of 20 ns away.
TEST(Bound, OfTheWholeWafer) {
  const std::uint64_t bytes = 20'000'000;
  // 2 (p - 1) S / sum B = 38 * 20 MB / (4 * 1.5 + 10 * 2.25 + 6 * 3 TB/s) = 16.34 us
  EXPECT_EQ(bound(CollectiveType::all_reduce, bytes), 16'344'086U + 20'000);
  // (p - 1) / p * S / B of a corner = 19 MB / 1.5 TB/s
  EXPECT_EQ(bound(CollectiveType::all_gather, bytes), 12'666'666U + 20'000);
  EXPECT_EQ(bound(CollectiveType::reduce_scatter, bytes), 12'666'666U + 20'000);
  // 10 * 10 blocks of 1 MB across the 5 links of the middle cut = 100 MB / 3.75 TB/s (the 8 x 12 cut: 96 MB /
  // 3 TB/s)
  EXPECT_EQ(bound(CollectiveType::all_to_all, bytes), 32'000'000U + 20'000);
  // 20 MB into the corner that is 7 hops away, from a corner
  EXPECT_EQ(bound(CollectiveType::broadcast, bytes), 13'333'333U + 140'000);
  EXPECT_EQ(bound(CollectiveType::reduce, bytes), 13'333'333U + 140'000);
  // 19 MB out of a corner; out of NPU 7, an inner one
  EXPECT_EQ(bound(CollectiveType::scatter, bytes), 12'666'666U + 20'000);
  EXPECT_EQ(bound(CollectiveType::gather, bytes, 7), 6'333'333U + 20'000);
  EXPECT_EQ(bound(CollectiveType::barrier, 0), 140'000U);
}

// (k + 1) / (2k) * S / b on a k x k mesh.
TEST(Bound, OfAllReduceOnASquareMesh) {
  EXPECT_EQ(bound(CollectiveType::all_reduce, 750'000'000, 0, 8, 8), 562'500'000U + 20'000);
}

// k S / (4 b): half the vectors of the k/2 columns on each side cross k links.
TEST(Bound, OfAllToAllOnASquareMesh) {
  EXPECT_EQ(bound(CollectiveType::all_to_all, 64 * 7'500'000, 0, 8, 8), 1'280'000'000U + 20'000);
}

TEST(Bound, OfSmallMessagesIsTheDiameter) {
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::broadcast, CollectiveType::reduce})
    EXPECT_GE(bound(type, 4), 140'000U);
  EXPECT_EQ(bound(CollectiveType::all_to_all, 80), 140'000U);
  EXPECT_EQ(bound(CollectiveType::all_reduce, 0), 0U);
}

TEST(Prediction, IsNothingForNothing) {
  for (const CollectiveType type : kCollectiveTypes) {
    if (type == CollectiveType::barrier) continue;
    for (const std::string& name : algorithms_for(type, first_npus(20), wafer_of(5, 4))) {
      const CollectiveRequest request{type, first_npus(20), 0, name, 0};
      EXPECT_EQ(cost_of(*plan_collective(request, wafer_of(5, 4)), request, wafer_of(5, 4)).predicted_ps, 0U);
    }
  }
}

}  // namespace
}  // namespace wafertlm
