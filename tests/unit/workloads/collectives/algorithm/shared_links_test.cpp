// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/shared_links.h"

#include <gtest/gtest.h>

#include "models/fred/fred_topology.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/basic/in_network.h"

namespace wafertlm {
namespace {

/// Five L1 switches with four NPUs.
FabricTraits fred_of(std::uint64_t uplink_bytes_per_s, bool in_network) {
  FredParams fred;
  fred.geometry = {5, 4, 1, {}};
  fred.npu_bytes_per_s = 3'000'000'000'000;
  fred.l1_uplink_bytes_per_s = uplink_bytes_per_s;
  fred.link_latency_ps = 20'000;
  FabricTraits traits;
  traits.topology = std::make_shared<FredTopology>(fred);
  traits.in_network = in_network;
  return traits;
}

TimePs of_rows(const FabricTraits& traits, const std::string& algorithm, std::uint64_t bytes) {
  std::vector<std::shared_ptr<const CollectiveProgram>> programs;
  std::vector<const CollectiveProgram*> pointers;
  for (std::uint32_t row = 0; row < 4; ++row) {
    CollectiveRequest request;
    request.type = CollectiveType::all_reduce;
    request.group = test::npus({row, row + 4, row + 8, row + 12, row + 16});
    request.bytes = bytes;
    request.algorithm = algorithm;
    programs.push_back(plan_collective(request, traits));
    pointers.push_back(programs.back().get());
  }
  return shared_links_ps(pointers, traits);
}

// Four rings of five send 1.6 S each over every uplink, four flows S.
TEST(SharedLinks, GroupsAddUpOnAnUplink) {
  EXPECT_EQ(of_rows(fred_of(1'500'000'000'000, false), "ring", 1'500'000), 80'000U + 4 * 1'600'000);
  EXPECT_EQ(of_rows(fred_of(1'500'000'000'000, true), "in_network", 1'500'000), 80'000U + 4 * 1'000'000);
  // Through a faster uplink the NPUs' own ports take longest.
  EXPECT_EQ(of_rows(fred_of(100'000'000'000'000, false), "ring", 1'500'000), 800'000U);
}

TEST(SharedLinks, AFlowCrossesOnlyWhatIsBetweenItsMembers) {
  const FabricTraits traits = fred_of(1'000'000'000'000, true);
  const auto busiest = [&](const Group& from, const Group& to) {
    const auto loads = traits.topology->link_loads();
    loads->add_flow(from, to, 1000);
    return loads->busiest_bytes();
  };
  EXPECT_EQ(busiest(test::npus({0, 1, 2}), test::npus({3})), 0U);  // below one L1 switch
  EXPECT_EQ(busiest(test::npus({0, 1, 2}), test::npus({7})), 1000U);
  EXPECT_EQ(busiest(test::npus({0, 4}), test::npus({0, 4})), 1000U);
}

// Of twenty blocks each L1 switch gets four from below: its uplink carries sixteen.
TEST(SharedLinks, ReduceScatterLeavesOutWhatStaysBelow) {
  CollectiveRequest request;
  request.type = CollectiveType::reduce_scatter;
  request.group = test::first_npus(20);
  request.bytes = 20 * 75'000;
  request.algorithm = "in_network";
  const FabricTraits traits = fred_of(1'500'000'000'000, true);
  const auto program = plan_collective(request, traits);
  EXPECT_EQ(shared_links_ps({program.get()}, traits), 80'000U + 16 * 50'000);
  EXPECT_EQ(cost_of(*program, request, traits).predicted_ps, 80'000U + 16 * 50'000);
}

// Neighbours in the order belong to different L1 switches.
TEST(SharedLinks, BlocksAlternateAmongTheSwitches) {
  const BlockOrder order(test::npus({0, 1, 2, 3, 4, 5, 9}), *fred_of(1, true).topology);
  EXPECT_EQ(order.block, (std::vector<std::uint32_t>{0, 4, 6, 1, 5, 2, 3}));
  EXPECT_EQ(order.place_of[5], 4U);
  EXPECT_EQ(order.parallel, 3U);
}

}  // namespace
}  // namespace wafertlm
