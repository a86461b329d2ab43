// SPDX-License-Identifier: Apache-2.0
// Collectives whose messages go from neighbour to neighbour in the order of a schedule, simulated: values,
// and how near they come to the bound.
#include <gtest/gtest.h>

#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"

namespace wafertlm {
namespace {

double time_over_bound(const nlohmann::json& result) {
  return result["time"].get<double>() / result["bound"].get<double>();
}

void expect_predicted(const nlohmann::json& result, double off) {
  EXPECT_NEAR(result["predicted"].get<double>() / result["time"].get<double>(), 1, off);
}

// The maximum concurrent flow lets 24 and 128 blocks pass each link in the middle; all at once straight to
// their destinations take 1.17 and 1.46 times as long.
TEST(ScheduledPaths, OfAWaferAreNearTheConcurrentFlow) {
  const auto small = test::outcome(
      test::platform(), {CollectiveType::all_to_all, test::whole_wafer(), 16 << 20, "scheduled_paths", 0});
  EXPECT_LE(time_over_bound(small), 1.02);
  expect_predicted(small, 0.01);
  const auto larger =
      test::outcome(test::preset("wafer_mesh_8x8", {}),
                    {CollectiveType::all_to_all, test::first_npus(64), 16 << 20, "scheduled_paths", 0});
  EXPECT_LE(time_over_bound(larger), 1.02);
  expect_predicted(larger, 0.01);
}

// A corner's two links bound both (19 of 20 blocks: ForestColl's cut).
TEST(Matched, GathersAndScattersAtTheBound) {
  for (const CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    const auto result = test::outcome(test::platform(), {type, test::whole_wafer(), 16 << 20, "matched", 0});
    EXPECT_LE(time_over_bound(result), 1.01) << to_string(type);
    expect_predicted(result, 0.01);
  }
}

// Without NPU (2,1) and with (1,0) gone; members apart, whose routes go past others.
TEST(Scheduled, OnWafersWithHolesIsProven) {
  const auto spec = test::platform(test::kProof);
  Group hole = test::whole_wafer(), corner = hole;
  hole.erase(hole.begin() + 7);
  corner.erase(corner.begin() + 1);
  for (const Group& group :
       {hole, corner, test::npus({0, 2, 4, 10, 12, 14}), test::npus({14, 4, 12, 2, 10, 0})})
    for (const auto& [type, name] :
         {std::pair{CollectiveType::all_to_all, "scheduled_paths"},
          std::pair{CollectiveType::all_to_all, "matched"}, std::pair{CollectiveType::all_reduce, "matched"}})
      EXPECT_TRUE(test::outcome(spec, {type, group, 100'004, name, 3})["proven"].get<bool>())
          << name << " of " << group.size();
}

TEST(Scheduled, ThroughTheMemoryIsProven) {
  const auto spec = test::platform({"npu.endpoint.memory=hbm", "run.functional=true", "run.checkers=true"});
  for (const auto& [type, name] : {std::pair{CollectiveType::all_to_all, "scheduled_paths"},
                                   std::pair{CollectiveType::all_reduce, "matched"}})
    EXPECT_TRUE(test::outcome(spec, {type, test::whole_wafer(), 1 << 20, name, 2})["proven"].get<bool>());
}

// Links of all rates: neither a link nor a buffer is where another one is taken to be.
TEST(Scheduled, OnLinksOfUnequalRatesIsProvenAndPredicted) {
  const int cases = test::random_cases(8, 2);
  test::Random random(5);
  for (int number = 0; number < cases; ++number) {
    config::PlatformSpec spec = test::some_grid(random);
    CollectiveRequest request;
    request.group = test::first_npus(spec.wafer.npu_count());
    request.bytes = 4 * (1 + random() % 500'000);
    for (const auto& [type, name] :
         {std::pair{CollectiveType::all_to_all, "scheduled_paths"},
          std::pair{CollectiveType::all_to_all, "matched"}, std::pair{CollectiveType::all_reduce, "matched"},
          std::pair{CollectiveType::broadcast, "matched"}}) {
      request.type = type;
      request.algorithm = name;
      request.chunks = static_cast<std::uint32_t>(random() % 4);
      spec.run.functional = spec.run.checkers = true;
      const auto result = test::outcome(spec, request);
      EXPECT_TRUE(result["proven"].get<bool>()) << test::describe(spec, request);
      EXPECT_GE(time_over_bound(result), 1) << test::describe(spec, request);
      expect_predicted(result, 0.1);
    }
  }
}

}  // namespace
}  // namespace wafertlm
