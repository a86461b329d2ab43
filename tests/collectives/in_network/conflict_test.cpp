// SPDX-License-Identifier: Apache-2.0
// Flows that the interconnects of the switches cannot carry together: they wait, are decomposed, or refused.
#include <gtest/gtest.h>

#include <random>

#include "tests/collectives/simulated.h"
#include "tests/support/flow_cases.h"
#include "workloads/collectives/planner.h"

namespace wafertlm::test {
namespace {

// Pairs below one L1 switch of eight NPUs that share µswitches two by two, an odd cycle, and one that does
// not.
const std::vector<Group> kTriangle = {npus({0, 2}), npus({1, 4}), npus({3, 5}), npus({6, 7})};

FlowRigParams eight(std::uint32_t m) {
  FlowRigParams params;
  params.l1 = 2;
  params.npus_per_l1 = 8;
  params.middle_switches = m;
  params.pipeline_ps = 10'000;
  return params;
}

struct Ends {
  std::vector<TimePs> at;
  std::uint64_t conflicts;
};

Ends ends(const FlowRigParams& params, const std::vector<ClassId>& classes = {kDp, kDp, kDp, kDp}) {
  FlowRig rig(params, flow_classes());
  std::vector<std::unique_ptr<ProvenCollective>> all;
  for (std::size_t i = 0; i < kTriangle.size(); ++i) {
    all.push_back(std::make_unique<ProvenCollective>(
        rig, in_network(CollectiveType::all_reduce, kTriangle[i], 300'000, rig, DataType::bf16), i + 1,
        classes[i]));
    all.back()->enter_all();
  }
  rig.run();
  Ends found{{}, rig.admission().conflicts().flows};
  for (const auto& each : all) {
    EXPECT_TRUE(each->done());
    EXPECT_EQ(each->wrong(), "");
    found.at.push_back(each->end_ps());
  }
  EXPECT_EQ(rig.unrest(), "");
  return found;
}

TEST(InNetworkConflict, ThreeMiddleSwitchesCarryAnOddCycle) {
  const Ends all = ends(eight(3));
  EXPECT_EQ(all.conflicts, 0U);
  for (const TimePs end : all.at) EXPECT_EQ(end, all.at.front());
}

TEST(InNetworkConflict, WithTwoTheThirdWaitsUntilAnotherIsGone) {
  const Ends all = ends(eight(2));
  EXPECT_EQ(all.conflicts, 1U);
  EXPECT_EQ(all.at[0], all.at[1]);
  EXPECT_EQ(all.at[0], all.at[3]);
  EXPECT_GE(all.at[2], 2 * all.at[0] - 100'000);  // but for the latencies
  EXPECT_LE(all.at[2], 2 * all.at[0] + 200'000);
}

// Flows of different priority are different phases, between which a switch changes its setting.
TEST(InNetworkConflict, FlowsOfDifferentPhasesDoNotConflict) {
  EXPECT_EQ(ends(eight(2), {kDp, kDp, kMp, kDp}).conflicts, 0U);
}

TEST(InNetworkConflict, RefusalNamesTheFlowsAndTheSwitch) {
  FlowRigParams params = eight(2);
  params.conflict = FlowConflict::refuse;
  try {
    ends(params);
    FAIL() << "all were carried";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "in-network flow 0 of collective 3 (class dp, 2 to 2 NPUs) cannot be routed through switch 0 "
        "beside in-network flow 0 of collective 1 (class dp, 2 to 2 NPUs), in-network flow 0 of "
        "collective 2 (class dp, 2 to 2 NPUs) (FRED_2(9), proven impossible): raise middle_switches, "
        "or let flow_conflict be block or decompose");
  }
}

// Lack of room is no conflict.
TEST(InNetworkConflict, WhoLacksRoomWaitsAlsoWhenConflictsAreRefused) {
  FlowRigParams params = eight(3);
  params.conflict = FlowConflict::refuse;
  params.flows = 1;
  params.credit_packets = 2;
  FlowRig rig(params, flow_classes());
  ProvenCollective a(rig, in_network(CollectiveType::all_reduce, npus({0, 1}), 50'000, rig), 1, kDp);
  ProvenCollective b(rig, in_network(CollectiveType::all_reduce, npus({1, 2}), 50'000, rig), 2, kDp);
  a.enter_all();
  b.enter_all();
  rig.run();
  EXPECT_TRUE(a.done() && b.done());
  EXPECT_EQ(a.wrong() + b.wrong(), "");
}

config::PlatformSpec two_l1(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"wafer.fabric.l1_switches=2", "wafer.fabric.npus_per_l1=8",
                                  "wafer.fabric.middle_switches=2", "run.functional=true",
                                  "run.checkers=true"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_d.yaml", all);
}

nlohmann::json run_groups(const config::PlatformSpec& spec, CollectiveType type,
                          const std::map<NpuId, TimePs>& late = {},
                          const std::vector<Group>& groups = kTriangle) {
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult of = run_collectives(spec, [&](const FabricTraits& fabric) {
      CollectivePlan plan;
      plan.late = late;
      for (const Group& group : groups) {
        CollectiveRequest request;
        request.type = type;
        request.group = group;
        request.bytes = 60'000;
        request.algorithm = "in_network";
        request.data_type = spec.run.data_type;
        const auto program = plan_collective(request, fabric);
        plan.collectives.push_back({program, "dp", cost_of(*program, request, fabric), {}});
      }
      return plan;
    });
    std::vector<int> decomposed(of.decomposed.begin(), of.decomposed.end());
    return {{"proven", of.proven},
            {"decomposed", decomposed},
            {"conflicts", of.conflicts.flows},
            {"ends", of.end_ps}};
  });
}

TEST(InNetworkConflict, DecomposesTheWholeCollectiveWithTheRightValues) {
  for (const char* data : {"int32", "bf16"})
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::reduce, CollectiveType::broadcast,
          CollectiveType::reduce_scatter, CollectiveType::all_gather}) {
      const config::PlatformSpec spec =
          two_l1({"wafer.fabric.flow_conflict=decompose", std::string("run.data_type=") + data});
      const auto result = run_groups(spec, type);
      EXPECT_TRUE(result["proven"].get<bool>()) << to_string(type);
      // From one NPU to one other they are unicasts, which always route.
      const bool unicast = type == CollectiveType::broadcast || type == CollectiveType::all_gather;
      EXPECT_EQ(result["decomposed"].get<std::vector<int>>(), (std::vector<int>{0, 0, unicast ? 0 : 1, 0}))
          << to_string(type);
    }
}

// Of a reduction all have entered when it is decided, of a multicast perhaps only its root.
TEST(InNetworkConflict, DecidesForALateRankToo) {
  const config::PlatformSpec spec = two_l1({"wafer.fabric.flow_conflict=decompose"});
  // Multicasts of the first of each that share µswitches two by two, and a receiver of the third is late.
  const std::vector<Group> roots = {npus({0, 2, 4}), npus({1, 6}), npus({3, 5, 7})};
  const auto multicast = run_groups(spec, CollectiveType::broadcast, {{NpuId{5}, 5'000'000}}, roots);
  EXPECT_TRUE(multicast["proven"].get<bool>());
  EXPECT_EQ(multicast["decomposed"].get<std::vector<int>>(), (std::vector<int>{0, 0, 1}));
  EXPECT_GE(multicast["ends"][2].get<TimePs>(), 5'000'000U);
  // Whoever comes when the others are gone finds a route.
  const auto result = run_groups(spec, CollectiveType::all_reduce, {{NpuId{3}, 5'000'000}});
  EXPECT_EQ(result["decomposed"].get<std::vector<int>>(), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(result["conflicts"], 0);
}

TEST(InNetworkConflict, BlockedFlowsComeOneAfterTheOther) {
  const auto result = run_groups(two_l1({}), CollectiveType::all_reduce);
  EXPECT_TRUE(result["proven"].get<bool>());
  EXPECT_EQ(result["conflicts"], 1);
  const auto more = run_groups(two_l1({"wafer.fabric.middle_switches=3"}), CollectiveType::all_reduce);
  EXPECT_EQ(more["conflicts"], 0);
  EXPECT_LT(more["ends"][2].get<TimePs>(), result["ends"][2].get<TimePs>());
}

TEST(InNetworkConflict, RefusesWithTheNames) {
  try {
    run_groups(two_l1({"wafer.fabric.flow_conflict=refuse"}), CollectiveType::all_reduce);
    FAIL() << "all were carried";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("flow 0 of collective 3"), std::string::npos) << text;
    EXPECT_NE(text.find("through l1_0 beside in-network flow 0 of collective 1"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace wafertlm::test
