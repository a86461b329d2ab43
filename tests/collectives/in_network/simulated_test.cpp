// SPDX-License-Identifier: Apache-2.0
// In-network collectives on FRED-B and FRED-D as the platform builds them, with checkers on every link.
#include <gtest/gtest.h>

#include <random>

#include "platform/machine/machine.h"
#include "tests/collectives/simulated.h"
#include "tests/support/program_run.h"
#include "tests/support/sanitized.h"

namespace wafertlm {
namespace {

class InNetworkSimulated : public testing::TestWithParam<const char*> {};

TEST_P(InNetworkSimulated, HasTheRightValuesOnEveryKindOfGroup) {
  const config::PlatformSpec spec = test::preset(GetParam(), test::kProof);
  std::mt19937_64 random(11);
  std::vector<Group> groups = {
      test::whole_wafer(), test::npus({4, 5, 6, 7}),         test::npus({1, 5, 9, 13, 17}),
      test::npus({2, 3}),  test::npus({17, 3, 8, 0, 11, 6}), test::npus({4})};
  Group scattered = test::whole_wafer();
  for (std::size_t i = scattered.size(); i > 1; --i) std::swap(scattered[i - 1], scattered[random() % i]);
  scattered.resize(7);
  groups.push_back(scattered);
  for (const Group& group : groups)
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::reduce, CollectiveType::broadcast,
          CollectiveType::reduce_scatter, CollectiveType::all_gather, CollectiveType::barrier})
      for (const std::uint64_t bytes : {0U, 4 * 1001U, 65536U})
        for (const DataType data : kDataTypes) {
          if (test::kSanitized && (bytes == 65536 || data == DataType::int32)) continue;
          if (type == CollectiveType::barrier && bytes != 0) continue;
          if ((bytes == 0) == (data == DataType::bf16) && bytes != 4 * 1001U) continue;
          const auto root = static_cast<std::uint32_t>(group.size() - 1);
          const auto result = test::outcome(spec, {type, group, bytes, "in_network", 1, root, data});
          EXPECT_TRUE(result["proven"].get<bool>());
          EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
        }
}
INSTANTIATE_TEST_SUITE_P(Fred, InNetworkSimulated, testing::Values("fred_b", "fred_d"));

TEST(InNetworkPlatform, AllDpGroupsAtOnceWithTheSmallestBuffers) {
  for (const char* name : {"fred_b", "fred_d"}) {
    const config::PlatformSpec spec =
        test::preset(name, {"run.functional=true", "run.checkers=true", "wafer.fabric.flows_per_buffer=1",
                            "wafer.fabric.flow_packets=2"});
    const auto result = run_in_child([&]() -> nlohmann::json {
      const CollectiveResult of = run_collectives(spec, [&](const FabricTraits& fabric) {
        CollectivePlan plan;
        for (std::uint32_t row = 0; row < 4; ++row) {
          CollectiveRequest request;
          request.type = CollectiveType::all_reduce;
          request.group = test::npus({row, row + 4, row + 8, row + 12, row + 16});
          request.bytes = 100'000;
          const auto program = plan_collective(request, fabric);
          plan.collectives.push_back({program, "dp", cost_of(*program, request, fabric)});
        }
        return plan;
      });
      return {{"proven", of.proven}};
    });
    EXPECT_TRUE(result["proven"].get<bool>());
  }
}

// A sample of the patterns of deadlock_test.cpp: groups that overlap, all at once, room for one flow of two
// packets.
TEST(InNetworkPlatform, RandomOverlappingGroupsFinishWithTheRightValues) {
  for (std::uint64_t seed = 0; seed < (test::kSanitized ? 3 : 12); ++seed) {
    const config::PlatformSpec spec =
        test::preset(seed % 2 == 0 ? "fred_b" : "fred_d",
                     {"run.functional=true", "run.checkers=true", "wafer.fabric.flows_per_buffer=1",
                      "wafer.fabric.flow_packets=2", "wafer.fabric.packet_bytes=1KiB",
                      std::string("wafer.fabric.phase_rule=") + (seed % 3 == 0 ? "true" : "false")});
    const auto result = run_in_child([&]() -> nlohmann::json {
      const CollectiveResult of = run_collectives(spec, [&](const FabricTraits& fabric) {
        std::mt19937_64 random(seed);
        CollectivePlan plan;
        constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::reduce,
                                             CollectiveType::broadcast, CollectiveType::reduce_scatter,
                                             CollectiveType::all_gather};
        constexpr const char* kClasses[] = {"mp", "ep", "pp", "dp"};
        for (int k = 0; k < 6; ++k) {
          CollectiveRequest request;
          request.type = kTypes[random() % 5];
          request.group = test::whole_wafer();
          for (std::size_t i = 20; i > 1; --i) std::swap(request.group[i - 1], request.group[random() % i]);
          request.group.resize(2 + random() % 10);
          request.bytes = 4 * (1 + random() % 3000);
          request.algorithm = "in_network";
          request.data_type = kDataTypes[random() % 2];
          const auto program = plan_collective(request, fabric);
          plan.collectives.push_back({program, kClasses[random() % 4], cost_of(*program, request, fabric)});
        }
        return plan;
      });
      return {{"proven", of.proven}};
    });
    EXPECT_TRUE(result["proven"].get<bool>()) << seed;
  }
}

/// Two all-reduces of a pair. Each rank begins with its own, and enters the other one when a message of 1 MB
/// has come from its peer.
class Crossing final : public StepSource {
 public:
  explicit Crossing(std::uint32_t rank) : rank_(rank) {}
  std::uint32_t threadblocks() const override { return 5; }
  std::uint32_t steps(std::uint32_t threadblock) const override { return threadblock == 2 ? 2 : 1; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    constexpr std::uint64_t kBytes = 100'000, kMessage = 1'000'000;
    Step step;
    step.bytes = kBytes;
    step.peer = 1 - rank_;
    if (threadblock == 1 || (threadblock == 2 && index == 0)) {
      step.kind = threadblock == 1 ? Step::Kind::send : Step::Kind::copy;
      step.bytes = kMessage;
    } else if (threadblock == 0 || threadblock == 2) {
      step.kind = Step::Kind::flow_send;
      step.tag = threadblock == 0 ? rank_ : 1 - rank_;
    } else {
      step.kind = Step::Kind::flow_copy;
      step.tag = threadblock - 3;
    }
    return step;
  }
  FlowMembers flow(std::uint64_t) const override { return {{0, 1}, {0, 1}}; }

 private:
  std::uint32_t rank_;
};

nlohmann::json run_crossing(bool reservation) {
  return run_in_child([&]() -> nlohmann::json {
    Machine machine(test::preset(
        "fred_b", {std::string("wafer.fabric.flow_reservation=") + (reservation ? "true" : "false"),
                   "wafer.fabric.flows_per_buffer=1", "wafer.fabric.flow_packets=2", "run.checkers=true"}));
    auto program = std::make_shared<CollectiveProgram>();
    program->algorithm = "crossing";
    program->group = test::npus({0, 1});
    program->bytes = program->buffer_bytes = 1'000'000;
    for (const std::uint32_t rank : {0U, 1U}) program->ranks.push_back(std::make_unique<Crossing>(rank));
    try {
      test::run_program(machine, program, "dp");
    } catch (const std::runtime_error& error) {
      return {{"error", error.what()}};
    }
    return {{"error", ""}};
  });
}

TEST(InNetworkPlatform, WithoutReservationTheWatchdogNamesTheCycle) {
  const auto error = run_crossing(false)["error"].get<std::string>();
  EXPECT_NE(error.find("cycle of waiting: flow 0 of collective"), std::string::npos) << error;
  EXPECT_NE(error.find("waits for room at input 1 of switch 0, which flow 1"), std::string::npos) << error;
  EXPECT_EQ(run_crossing(true)["error"].get<std::string>(), "");
}

// The order of construction does not matter, nor do the checkers.
TEST(InNetworkPlatform, SameTimesWhateverTheOrderOfConstruction) {
  const CollectiveRequest request{
      CollectiveType::all_reduce, test::whole_wafer(), 300'000, "in_network", 1, 0, {}};
  const auto forward = test::outcome(test::preset("fred_b", {"run.checkers=true"}), request);
  const auto reverse = test::outcome(test::preset("fred_b", {"run.checkers=false"}), request, true);
  EXPECT_EQ(forward["time"], reverse["time"]);
  // Four links of 20 ns, and the vector over the uplink of 1.5 TB/s; chunks of 4 KiB at 3 TB/s wait for
  // nothing.
  EXPECT_EQ(forward["time"].get<TimePs>(), 80'000U + 200'000U);
}

// Every key changes the answer.
TEST(InNetworkPlatform, KeysChangeTheTime) {
  const auto time = [&](const std::vector<std::string>& overrides, const char* name = "fred_d") {
    return test::outcome(
               test::preset(name, overrides),
               {CollectiveType::all_reduce, test::whole_wafer(), 3'000'000, "in_network", 1, 0, {}})["time"]
        .get<TimePs>();
  };
  const TimePs plain = time({});
  EXPECT_GT(time({"wafer.fabric.flow_packets=2"}), plain);
  EXPECT_GT(time({"wafer.fabric.stage_latency=1 ns"}), plain);
  EXPECT_GT(time({}, "fred_b"), plain);
}

}  // namespace
}  // namespace wafertlm
