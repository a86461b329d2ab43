// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/collective/collective_setup.h"

#include <gtest/gtest.h>

#include <set>

#include "platform/spec/cut_times.h"
#include "tests/collectives/simulated.h"
#include "tests/support/temp_folder.h"
#include "workloads/collectives/algorithm/shared_links.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

CollectiveOptions options_of(const std::string& type, const std::string& classes) {
  CollectiveOptions options;
  options.type = type;
  options.parallelism = "MP(2)-DP(5)-PP(2)";
  options.traffic_class = classes;
  return options;
}

TEST(CollectiveSetup, LanesAreTheGroupsOfEachClass) {
  const config::PlatformSpec spec = test::platform();
  const CollectiveSetup setup(spec, options_of("all_reduce", "pp,all,mp"));
  ASSERT_EQ(setup.lanes().size(), 3U);
  EXPECT_EQ(setup.lanes()[0].traffic_class, "pp");
  EXPECT_EQ(setup.lanes()[0].groups.size(), 10U);
  EXPECT_EQ(setup.lanes()[1].traffic_class, "dp") << "all workers are of the gradients' class";
  ASSERT_EQ(setup.lanes()[1].groups.size(), 1U);
  EXPECT_EQ(setup.lanes()[1].groups[0].size(), 20U);
  EXPECT_EQ(setup.lanes()[2].groups.size(), 10U);
  // Between stages one worker sends to the whole MP group of the next: 2 x 5 such multicasts to 2.
  const CollectiveSetup multicast(spec, options_of("broadcast", "pp"));
  ASSERT_EQ(multicast.lanes()[0].groups.size(), 5U);
  EXPECT_EQ(multicast.lanes()[0].groups[0].size(), 3U);
  EXPECT_EQ(CollectiveSetup(spec, options_of("broadcast", "mp")).lanes()[0].groups[0].size(), 2U);
}

TEST(CollectiveSetup, GroupsAtOnceArePredictedByTheLinksThatTheyShare) {
  const config::PlatformSpec spec = test::fred_platform("b");
  const CollectiveSetup setup(spec, options_of("all_reduce", "mp,dp"));
  const FabricTraits traits = platform_traits(spec);
  const std::uint64_t bytes = 3 << 20;
  const CollectivePlan plan = setup.plan(bytes, traits);
  ASSERT_EQ(plan.collectives.size(), 14U);
  ASSERT_EQ(plan.lanes.size(), 2U);
  std::vector<const CollectiveProgram*> all;
  std::vector<CollectiveRequest> asked;
  for (std::size_t lane = 0, k = 0; lane < 2; ++lane) {
    std::vector<const CollectiveProgram*> programs;
    std::vector<CollectiveRequest> requests;
    for (const Group& group : setup.lanes()[lane].groups) {
      EXPECT_EQ(plan.collectives[k].program->group, group);
      EXPECT_EQ(plan.collectives[k].traffic_class, lane == 0 ? "mp" : "dp");
      programs.push_back(plan.collectives[k++].program.get());
      requests.push_back({CollectiveType::all_reduce, group, bytes, "", 0});
    }
    EXPECT_EQ(plan.lanes[lane].predicted_ps, shared_links_ps(programs, traits));
    EXPECT_EQ(plan.lanes[lane].bound_ps, joint_bound_ps(requests, traits));
    all.insert(all.end(), programs.begin(), programs.end());
    asked.insert(asked.end(), requests.begin(), requests.end());
  }
  EXPECT_EQ(plan.together.predicted_ps, shared_links_ps(all, traits));
  EXPECT_EQ(plan.together.bound_ps, joint_bound_ps(asked, traits));
  EXPECT_GT(plan.together.predicted_ps, plan.lanes[0].predicted_ps);
}

TEST(CollectiveSetup, OneGroupSharesNothing) {
  const config::PlatformSpec spec = test::platform();
  CollectiveOptions options;
  options.type = "reduce";
  options.npus = "3,1,8";
  options.root = 2;
  options.late = "8:2us,1:300ns";
  const CollectiveSetup setup(spec, options);
  EXPECT_EQ(setup.first_request().root, 2U);
  EXPECT_EQ(setup.first_request().group, test::npus({3, 1, 8}));
  const CollectivePlan plan = setup.plan(4096, platform_traits(spec));
  EXPECT_TRUE(plan.lanes.empty());
  EXPECT_EQ(plan.together.bound_ps, 0U);
  EXPECT_EQ(plan.late, (std::map<NpuId, TimePs>{{NpuId{1}, 300'000}, {NpuId{8}, 2'000'000}}));
}

TEST(CollectiveSetup, TheAlgorithmIsTheOptionOrThePlatforms) {
  const auto algorithm = [](const std::string& given, const std::vector<std::string>& overrides) {
    CollectiveOptions options;
    options.type = "all_reduce";
    options.algorithm = given;
    return CollectiveSetup(test::platform(overrides), options).first_request().algorithm;
  };
  EXPECT_EQ(algorithm("", {}), "");
  EXPECT_EQ(algorithm("ring", {"collectives.by_type.all_reduce=tree"}), "ring");
  EXPECT_EQ(algorithm("", {"collectives.by_type.all_reduce=tree"}), "tree");
  EXPECT_EQ(algorithm("auto", {"collectives.by_type.all_reduce=tree"}), "") << "the planner's choice";
}

TEST(CollectiveSetup, FunctionalSizesAreWholeValues) {
  CollectiveOptions options;
  options.type = "all_reduce";
  const auto plan = [&](const std::vector<std::string>& overrides, std::uint64_t bytes) {
    const config::PlatformSpec spec = test::platform(overrides);
    const CollectiveSetup setup(spec, options);
    return setup.plan(bytes, platform_traits(spec)).collectives.size();
  };
  EXPECT_EQ(plan({}, 10), 1U);
  EXPECT_EQ(plan({"run.functional=true", "run.data_type=bf16"}, 10), 1U);
  EXPECT_THROW(plan({"run.functional=true"}, 10), std::invalid_argument);
}

/// What a run says when its collectives have these bounds.
std::string failure(const config::PlatformSpec& spec, std::vector<CollectiveCost> costs, TimePs together) {
  try {
    run_in_child([&]() -> nlohmann::json {
      const auto planner = [&](const FabricTraits& fabric) {
        CollectivePlan plan;
        for (std::uint32_t k = 0; k < costs.size(); ++k) {
          const CollectiveRequest request{CollectiveType::all_reduce, test::npus({2 * k, 2 * k + 1}), 4096,
                                          "ring", 1};
          plan.collectives.push_back({plan_collective(request, fabric), "dp", costs[k]});
        }
        plan.together.bound_ps = together;
        return plan;
      };
      return run_collectives(spec, planner).time_ps;
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Pairs of neighbours: two rounds of 2 KiB.
TEST(CollectiveRun, FasterThanItsBoundIsAFaultOfTheModel) {
  const config::PlatformSpec spec = test::platform();
  const auto time =
      test::outcome(spec, {CollectiveType::all_reduce, test::npus({0, 1}), 4096, "ring", 1})["time"]
          .get<TimePs>();
  const std::string took = " took " + std::to_string(time) + " ps, less than its bound of " +
                           std::to_string(time + 1) + " ps: this is a fault of the model, please report it";
  EXPECT_EQ(failure(spec, {{0, time}}, time), "");
  EXPECT_EQ(failure(spec, {{0, time + 1}}, 0), "the collective" + took);
  EXPECT_EQ(failure(spec, {{0, time}, {0, time + 1}}, 0), "collective 1" + took);
  EXPECT_EQ(failure(spec, {{0, time}, {0, time}}, time + 1), "the slowest collective" + took);
}

// Messages whose times are cut to whole nanoseconds gain up to one for each of 2 x 2 x chunks.
TEST(CollectiveRun, ABoundLeavesRoomForTimesThatAreCut) {
  const test::TempFolder folder;
  const config::PlatformSpec spec = config::load_platform(
      folder.write("pair.yaml",
                   "platform: pair\nwafer: {fabric: {kind: dimensional, dimensions: [{topology: ring, size: "
                   "4, bandwidth: 100 GB/s, latency: 100 ns}], transport: messages, time_step: 1 ns}}\n"),
      {});
  const auto time =
      test::outcome(spec, {CollectiveType::all_reduce, test::npus({0, 1}), 4096, "ring", 1})["time"]
          .get<TimePs>();
  const TimePs cut = cut_at_most_ps(1000, 2, 1);
  EXPECT_EQ(cut, 4000U);
  EXPECT_EQ(failure(spec, {{0, time + cut}}, time + cut), "");
  EXPECT_NE(failure(spec, {{0, time + cut + 1}}, 0), "");
  EXPECT_NE(failure(spec, {{0, 0}}, time + cut + 1), "");
}

TEST(CollectiveRun, ResultsAreTheLargestOfAll) {
  const config::PlatformSpec spec = test::platform();
  const auto planner = [](const FabricTraits& fabric) {
    CollectivePlan plan;
    std::uint32_t k = 0;
    for (const CollectiveCost cost : {CollectiveCost{7, 5}, CollectiveCost{9, 3}}) {
      const CollectiveRequest request{CollectiveType::all_reduce, test::npus({2 * k, 2 * k + 1}),
                                      std::uint64_t{100'000} << k, "ring", 1};
      plan.collectives.push_back({plan_collective(request, fabric), "dp", cost});
      ++k;
    }
    plan.late = {{NpuId{1}, 1000}, {NpuId{2}, 4000}, {NpuId{3}, 2000}};
    return plan;
  };
  const CollectiveResult result = run_collectives(spec, planner);
  EXPECT_EQ(result.predicted_ps, 9U);
  EXPECT_EQ(result.bound_ps, 5U);
  EXPECT_EQ(result.skew_ps, 4000U);
  EXPECT_EQ(result.time_ps, *std::max_element(result.end_ps.begin(), result.end_ps.end()));
  // Each of the two sends its half twice, over one link between routers: 13 and 25 packets of 4 KiB.
  EXPECT_EQ(result.injected_packets, 2U * 2 * (13 + 25));
  EXPECT_EQ(result.packet_hops, 2 * result.injected_packets);
  EXPECT_EQ(result.busiest_link_payload_bytes, 200'000U);
  EXPECT_EQ(result.decomposed, (std::vector<bool>{false, false}));
  EXPECT_EQ(result.starved_link, "");
  EXPECT_FALSE(result.proven);
  EXPECT_FALSE(result.reliability);
}

}  // namespace
}  // namespace wafertlm
