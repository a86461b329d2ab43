// SPDX-License-Identifier: Apache-2.0
// A FRED wafer's answers against its routes, walked link by link.
#include "models/fred/fred_topology.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/topology_checks.h"

namespace wafertlm {
namespace {

std::uint32_t up_to(std::mt19937_64& random, std::uint32_t most) {
  return 1 + static_cast<std::uint32_t>(random() % most);
}

FredParams random_fred(std::mt19937_64& random) {
  FredParams params;
  params.geometry.l2_switches = up_to(random, 3);
  params.geometry.l1_switches = params.geometry.l2_switches * up_to(random, 4);
  params.geometry.npus_per_l1 = up_to(random, 5);
  params.geometry.io = spread_io(static_cast<std::uint32_t>(random() % 8), params.geometry.l1_switches);
  params.npu_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.l1_uplink_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.l2_uplink_bytes_per_s = up_to(random, 50) * 100'000'000'000ULL;
  params.link_latency_ps = up_to(random, 20'000);
  params.stage_latency_ps = random() % 1000;
  return params;
}

TEST(FredTopology, IsLikeItsRoutes) {
  std::mt19937_64 random(8);
  for (int number = 0; number < 40; ++number) {
    const FredTopology fred(random_fred(random));
    test::expect_like_its_routes(fred, random);
  }
}

TEST(FredTopology, DistancesInAGroupAreExact) {
  std::mt19937_64 random(10);
  for (int number = 0; number < 60; ++number)
    test::expect_exact_distances(FredTopology(random_fred(random)), random);
}

// A flow crosses the links between its contributors and receivers once.
TEST(FredTopology, FlowsAreLikeTheirRoutes) {
  std::mt19937_64 random(9);
  for (int number = 0; number < 100; ++number) {
    const FredTopology fred(random_fred(random));
    const auto some = [&] {
      Group group = {static_cast<NpuId>(random() % fred.npus())};
      for (std::uint32_t npu = 0; npu < fred.npus(); ++npu)
        if (random() % 4 == 0 && static_cast<NpuId>(npu) != group[0])
          group.push_back(static_cast<NpuId>(npu));
      return group;
    };
    const auto loads = fred.link_loads();
    RouteLoads walked(fred);
    for (int flow = 0; flow < 4; ++flow) {
      const Group from = some(), to = some();
      loads->add_flow(from, to, 1000 * static_cast<std::uint64_t>(1 + flow));
      walked.add_flow(from, to, 1000 * static_cast<std::uint64_t>(1 + flow));
    }
    EXPECT_EQ(loads->busiest_bytes(), walked.busiest_bytes());
    EXPECT_EQ(loads->busiest_ps(), walked.busiest_ps());
  }
}

}  // namespace
}  // namespace wafertlm
