// SPDX-License-Identifier: Apache-2.0
// Bounds that count links, and bounds of groups that run at the same time.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/random_fabrics.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

/// Links between all ordered pairs on a torus, counted pair by pair.
std::uint64_t torus_hops(int side) {
  const auto round = [side](int a, int b) {
    const int apart = std::abs(a - b);
    return static_cast<std::uint64_t>(std::min(apart, side - apart));
  };
  std::uint64_t hops = 0;
  for (int a = 0; a < side * side; ++a)
    for (int b = 0; b < side * side; ++b) hops += round(a % side, b % side) + round(a / side, b / side);
  return hops;
}

TEST(AllToAllBound, OfATorusIsItsLinksTimesTheirUse) {
  constexpr int kSide = 16;
  const test::TempFolder folder;
  const config::PlatformSpec spec = config::load_platform(
      folder.write(
          "torus.yaml",
          "platform: t\nwafer: {fabric: {kind: dimensional, packet_bytes: 4 KiB, dimensions: "
          "[{topology: torus, size: 256, shape: [16, 16], bandwidth: 100 GB/s, latency: 100 ns}]}}\n"),
      {});
  const FabricTraits traits = platform_traits(spec);
  CollectiveRequest request{CollectiveType::all_to_all, {}, 256 * 65'536, "direct", 1};
  for (std::uint32_t npu = 0; npu < 256; ++npu) request.group.push_back(static_cast<NpuId>(npu));
  // 65,536 B over every hop, four links of 100 GB/s out of every NPU: 0.01 ns/B.
  const std::uint64_t hops = torus_hops(kSide);
  EXPECT_EQ(bound_ps(request, traits), hops * 65'536 * 10 / (4 * kSide * kSide));
}

/// Of all groups of a class of MP(2)-DP(5)-PP(2) on FRED-B, whose uplinks carry an eighth of its ports.
TEST(JointBound, CountsTheUplinksOfAllGroups) {
  const config::PlatformSpec spec = test::fred_platform("b");
  CollectiveOptions options;
  options.type = "all_reduce";
  options.parallelism = "MP(2)-DP(5)-PP(2)";
  options.traffic_class = "dp";
  const CollectiveSetup setup(spec, options);
  const FabricTraits traits = platform_traits(spec);
  const CollectivePlan plan = setup.plan(64 << 20, traits);
  TimePs alone = 0;
  for (const PlannedCollective& each : plan.collectives) alone = std::max(alone, each.cost.bound_ps);
  const auto result = test::outcome_of_class(spec, "all_reduce", "dp", 64 << 20);
  const auto time = result["time"].get<double>();
  std::printf("DP on FRED-B: %.3f of the bound of a group, %.3f of the joint bound\n",
              time / static_cast<double>(alone), time / static_cast<double>(plan.together.bound_ps));
  EXPECT_GE(plan.together.bound_ps, 2 * alone);
  EXPECT_LE(time, 1.05 * static_cast<double>(plan.together.bound_ps));
}

/// Random groups at the same time are not done before the joint bound; what is moved is what it counts.
TEST(JointBound, IsNeverAboveTheTime) {
  test::Random random(3);
  double closest = 1e9;
  for (int number = 0; number < 60; ++number) {
    static const char* const kAsked[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                         "broadcast"};
    static const char* const kOfGroups[] = {"mp", "dp", "pp"};
    const config::PlatformSpec spec = number % 2 == 0 ? test::platform() : test::some_fred(random);
    const auto result = test::outcome_of_class(
        spec, test::pick(random, kAsked), test::pick(random, kOfGroups), 4096 + random() % (1 << 20) / 4 * 4);
    const auto time = result["time"].get<double>(), bound = result["bound"].get<double>();
    EXPECT_GE(time, bound);
    closest = std::min(closest, time / bound);
  }
  std::printf("the closest to its joint bound at %.4f of it\n", closest);
  EXPECT_LT(closest, 1.1);
}

}  // namespace
}  // namespace wafertlm
