// SPDX-License-Identifier: Apache-2.0
// All-reduces along packed spanning trees, simulated: values, and how near they come to the bound.
#include <gtest/gtest.h>

#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

nlohmann::json packed(const config::PlatformSpec& spec, const Group& group, std::uint64_t bytes) {
  return test::outcome(spec, {CollectiveType::all_reduce, group, bytes, "packed_trees", 0});
}

double over_bound(const nlohmann::json& result) {
  return result["time"].get<double>() / result["bound"].get<double>();
}

// The bound is 2 (p - 1) S over the sum of all links, which trees with every link in equally many of them
// reach for long vectors. hierarchical_2d takes 1.551 times the bound on 5 x 4, 1.752 on 8 x 8.
TEST(PackedTrees, OfAWaferAreNearTheBound) {
  const auto small = packed(test::platform(), test::whole_wafer(), 256 << 20);
  EXPECT_LE(over_bound(small), 1.02);
  EXPECT_NEAR(small["predicted"].get<double>() / small["time"].get<double>(), 1, 0.01);
  const auto larger = packed(test::preset("wafer_mesh_8x8", {}), test::first_npus(64), 64 << 20);
  EXPECT_LE(over_bound(larger), 1.05);
  EXPECT_NEAR(larger["predicted"].get<double>() / larger["time"].get<double>(), 1, 0.02);
}

// Without NPU (2,1) three trees share two of each link: S / (3/2 x 750 GB/s), 238.6 us for 256 MiB.
TEST(PackedTrees, OfAWaferWithAHoleAreNearItsPartition) {
  Group group = test::whole_wafer();
  group.erase(group.begin() + 7);
  const double limit_ps = (256 << 20) / (1.5 * 750e9) * 1e12;
  const auto time = packed(test::platform(), group, 256 << 20)["time"].get<double>();
  EXPECT_GE(time, limit_ps);
  EXPECT_LE(time, 1.02 * limit_ps);
}

TEST(PackedTrees, GiveTheSumOnWafersWithHoles) {
  for (const std::vector<std::size_t>& holes : std::vector<std::vector<std::size_t>>{{}, {7}, {1}, {3, 12}}) {
    Group group = test::whole_wafer();
    for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole)
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(*hole));
    for (const std::uint64_t bytes : {4U, 4'004U, 1'000'000U})
      EXPECT_TRUE(packed(test::platform(test::kProof), group, bytes)["proven"].get<bool>());
  }
}

// Sends that wait for the memory, four at an NPU with four neighbours: the queue of the DMA engines is full
// when one of them loses its place in it.
TEST(PackedTrees, RunThroughTheMemory) {
  const auto spec = test::platform({"npu.endpoint.memory=hbm", "run.functional=true", "run.checkers=true"});
  for (const std::uint32_t chunks : {4U, 6U})
    EXPECT_TRUE(test::outcome(spec, {CollectiveType::all_reduce, test::whole_wafer(), 2 << 20, "packed_trees",
                                     chunks})["proven"]
                    .get<bool>());
}

}  // namespace
}  // namespace wafertlm
