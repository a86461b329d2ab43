// SPDX-License-Identifier: Apache-2.0
// The physical view of FRED-C and D: packets striped over the chips of a switch. Values, times beside the
// logical view, dead chips.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "tests/collectives/simulated.h"
#include "tests/support/program_run.h"
#include "tests/support/sanitized.h"

namespace wafertlm {
namespace {

double time_ps(const config::PlatformSpec& spec, const std::string& type, const std::string& name,
               std::uint64_t bytes) {
  const auto result = test::outcome_of_class(spec, type, name, bytes);
  EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
  return result["time"].get<double>();
}

struct ViewCase {
  const char *variant, *type, *parallel_class;
};

class PhysicalView : public testing::TestWithParam<ViewCase> {};

// What striping adds to a message is that its last packets leave at a port's speed, 5.5 ns. Messages that
// share links share them otherwise.
TEST_P(PhysicalView, AgreesWithTheLogicalOne) {
  const ViewCase& cell = GetParam();
  const std::uint64_t bytes = std::uint64_t{18} << (test::kSanitized ? 18 : 20);
  const std::string variant = cell.variant;
  const double logical = time_ps(test::fred_platform(variant), cell.type, cell.parallel_class, bytes);
  const double physical =
      time_ps(test::fred_platform(variant + "_physical"), cell.type, cell.parallel_class, bytes);
  std::printf("%s, %s %s: physical %.4f of logical\n", cell.variant, cell.type, cell.parallel_class,
              physical / logical);
  EXPECT_NEAR(physical / logical, 1, test::kSanitized ? 0.05 : 0.02);
}
INSTANTIATE_TEST_SUITE_P(Fred, PhysicalView,
                         testing::Values(ViewCase{"c", "all_reduce", ""}, ViewCase{"c", "all_reduce", "mp"},
                                         ViewCase{"c", "all_reduce", "dp"}, ViewCase{"c", "broadcast", "pp"},
                                         ViewCase{"c", "weight_load", ""},
                                         ViewCase{"c", "gradient_store", ""}, ViewCase{"d", "all_reduce", ""},
                                         ViewCase{"d", "all_reduce", "mp"}, ViewCase{"d", "all_reduce", "dp"},
                                         ViewCase{"d", "broadcast", "pp"}, ViewCase{"d", "weight_load", ""},
                                         ViewCase{"d", "gradient_store", ""}),
                         [](const auto& cell) {
                           return std::string(cell.param.variant) + "_" + cell.param.type +
                                  (*cell.param.parallel_class ? std::string("_") + cell.param.parallel_class
                                                              : "");
                         });

// On any group, whole and with dead chips, in the network and at the endpoints; BF16 in the order of the
// chips.
TEST(PhysicalCollectives, EndWithTheRightValues) {
  std::mt19937_64 random(17);
  const std::vector<std::vector<std::string>> wafers = {
      {},
      {"wafer.fabric.dead={l1: [[1, 2], [3, 2], [3, 4]], l2: [0, 7]}"},
      {"wafer.fabric.flows_per_buffer=1", "wafer.fabric.flow_packets=2", "wafer.fabric.packet_bytes=1KiB",
       "wafer.fabric.stage_latency=1ns"}};
  int cases = 0;
  for (const auto& wafer : wafers) {
    const config::PlatformSpec spec = test::fred_platform("d_physical", wafer, test::kProof);
    for (int round = 0; round < (test::kSanitized ? 2 : 6); ++round) {
      Group group = test::whole_wafer();
      for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random() % i]);
      group.resize(round == 0 ? 20 : 2 + random() % 18);
      for (const char* algorithm : {"in_network", "direct", "ring"})
        for (const CollectiveType type :
             {CollectiveType::all_reduce, CollectiveType::reduce_scatter, CollectiveType::all_gather}) {
          const DataType data = random() % 2 == 0 ? DataType::bf16 : DataType::int32;
          const std::uint64_t bytes = 4 * (1 + random() % 30'000);
          const auto result = test::outcome(spec, {type, group, bytes, algorithm, 1, 0, data});
          EXPECT_TRUE(result["proven"].get<bool>());
          EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
          ++cases;
        }
    }
  }
  EXPECT_EQ(cases, 3 * (test::kSanitized ? 2 : 6) * 9);
}

TEST(PhysicalCollectives, StreamsBringEveryValue) {
  for (const char* name : {"c_physical", "d_physical"})
    for (const char* type : {"weight_load", "gradient_store"})
      for (const char* dead : {"{}", "{l1: [[0, 0], [4, 3]], l2: [2]}"})
        EXPECT_TRUE(test::outcome_of_class(
                        test::fred_platform(name, {std::string("wafer.fabric.dead=") + dead}, test::kProof),
                        type, "", 4 * 30'011)["proven"]
                        .get<bool>());
}

TEST(PhysicalCollectives, HaveTheSameTimesInWhateverOrderTheWaferIsBuilt) {
  for (const char* name : {"c_physical", "d_physical"})
    for (const auto& [type, of] : std::vector<std::pair<std::string, std::string>>{
             {"all_reduce", ""}, {"all_reduce", "dp"}, {"weight_load", ""}, {"gradient_store", ""}}) {
      const config::PlatformSpec spec = test::fred_platform(name);
      EXPECT_EQ(test::outcome_of_class(spec, type, of, 200'000)["ends"],
                test::outcome_of_class(spec, type, of, 200'000, true)["ends"]);
    }
}

// Answer (g): what is left of the bandwidth. In-network, a dead L2 chip takes 2 of 20 ways up, a dead L1 chip
// one of five ports of four NPUs.
TEST(DeadChips, LeaveTheBandwidthOfTheOthers) {
  const std::uint64_t bytes = std::uint64_t{16} << (test::kSanitized ? 17 : 20);
  const double tolerance = test::kSanitized ? 0.08 : 0.02;
  const auto time = [&](const char* dead, const char* of) {
    return time_ps(test::fred_platform("d_physical", {std::string("wafer.fabric.dead=") + dead}),
                   "all_reduce", of, bytes);
  };
  for (const char* of : {"", "mp", "dp"}) {
    const double whole = time("{}", of), l2 = time("{l2: [3]}", of), l1 = time("{l1: [[1, 2]]}", of);
    std::printf("all_reduce %s: dead L2 chip %.3f, dead L1 chip %.3f\n", of, l2 / whole, l1 / whole);
    EXPECT_NEAR(l1 / whole, 5.0 / 4, tolerance);
    // MP groups stay below an L1 switch.
    EXPECT_NEAR(l2 / whole, of == std::string("mp") ? 1 : 20.0 / 18, tolerance);
  }
}

TEST(DeadChips, CarryNothing) {
  const config::PlatformSpec spec =
      test::fred_platform("d_physical", {"wafer.fabric.dead={l1: [[1, 2]], l2: [3]}"}, {"run.checkers=true"});
  CollectiveOptions options;
  options.type = "all_reduce";
  const CollectiveSetup setup(spec, options);
  Machine machine(spec);
  test::run_program(machine, setup.plan(1 << 20, machine.traits()).collectives.front().program, "dp");
  const Fabric& fabric = machine.wafer().fabric();
  std::uint64_t dead = 0, up = 0;
  for (const FabricLink& link : fabric.links()) {
    const bool touches_dead =
        link.name.find("l1_1_2") != std::string::npos || link.name.find("l2_3") != std::string::npos;
    (touches_dead ? dead : up) += fabric.counters(link).payload_bytes;
  }
  EXPECT_EQ(dead, 0U);
  // Out of 20 NPUs and up five times, and the same back.
  EXPECT_EQ(up, 2U * (20 + 5) << 20);
}

TEST(DeadChips, AreAnErrorWhereNothingIsLeft) {
  const auto run = [](const char* dead) {
    test::outcome_of_class(test::fred_platform("d_physical", {std::string("wafer.fabric.dead=") + dead}),
                           "all_reduce", "", 4096);
  };
  EXPECT_THROW(run("{l1: [[2, 0], [2, 1], [2, 2], [2, 3], [2, 4]]}"), std::invalid_argument);
  EXPECT_THROW(run("{l2: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}"), std::invalid_argument);
  // Any two L1 switches have a way, but flows of all five have none.
  EXPECT_THROW(run("{l1: [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]]}"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
