// SPDX-License-Identifier: Apache-2.0
// Collectives of endpoints on FRED-A and C: the columns of the FRED paper's bandwidth table (fred.md, section
// 5), values on all shapes, streams over the I/O controllers.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/simulated.h"
#include "tests/support/sanitized.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

struct Cell {
  const char *variant, *type, *parallel_class;
  double busbw, tolerance;  // GB/s, and the part of it that a vector of this size may miss
};

class FredTable : public testing::TestWithParam<Cell> {};

TEST_P(FredTable, HasThePapersBandwidth) {
  const Cell& cell = GetParam();
  const std::uint64_t bytes = test::kSanitized ? 8 << 20 : 64 << 20;
  const std::string name = cell.parallel_class;
  const auto result = test::outcome_of_class(test::fred_platform(cell.variant), cell.type, name, bytes);
  const std::size_t ranks = name == "dp" ? 5 : name == "mp" ? 2 : 20;
  const double factor =
      cell.type == std::string("broadcast") ? 1 : bus_factor(CollectiveType::all_reduce, ranks);
  const double busbw = static_cast<double>(bytes) * 1000 / result["time"].get<double>() * factor;
  std::printf("fred_%s, %s %s: %.1f GB/s, expected %.0f\n", cell.variant, cell.type, cell.parallel_class,
              busbw, cell.busbw);
  EXPECT_GT(busbw, cell.busbw * (1 - (test::kSanitized ? 8 : 1) * cell.tolerance));
  EXPECT_LT(busbw, cell.busbw * 1.002);
}

// 1781 GB/s: 0.4 S of each NPU through its quarter of a 1.5 TB/s uplink (D; the paper rounds up to 1850).
INSTANTIATE_TEST_SUITE_P(
    Cells, FredTable,
    testing::Values(Cell{"a", "all_reduce", "", 1781, 0.03}, Cell{"c", "all_reduce", "", 3000, 0.05},
                    Cell{"a", "all_reduce", "mp", 3000, 0.03}, Cell{"c", "all_reduce", "mp", 3000, 0.03},
                    Cell{"a", "all_reduce", "dp", 375, 0.03}, Cell{"c", "all_reduce", "dp", 3000, 0.03},
                    Cell{"a", "broadcast", "pp", 3000, 0.03}, Cell{"c", "broadcast", "pp", 3000, 0.03}),
    [](const auto& cell) {
      return std::string(cell.param.variant) + "_" +
             (*cell.param.parallel_class ? cell.param.parallel_class : "all");
    });

// fred.md, section 6: an L1 switch with 3 of 18 controllers needs 15 x 128 GB/s through its downlink.
// Filling the pipeline takes as long for any size with the same chunks: two sizes give the rate without it,
// and the closed form has both.
TEST(FredStreams, RunAtTheRateOfThePaper) {
  const std::uint64_t bytes = std::uint64_t{18} << 21;
  for (const char* variant : {"a", "b", "c", "d"})
    for (const char* type : {"weight_load", "gradient_store"}) {
      const bool narrow = *variant == 'a' || *variant == 'b', flows = *variant == 'b' || *variant == 'd';
      const std::vector<std::string> chunks =
          flows ? std::vector<std::string>{} : std::vector<std::string>{"wafer.io.chunk=4KiB"};
      const auto half = test::outcome_of_class(test::fred_platform(variant, chunks), type, "", bytes);
      const auto result = test::outcome_of_class(test::fred_platform(variant, chunks), type, "", 2 * bytes);
      const double line_ps = static_cast<double>(bytes) / (18 * 128e9) * 1e12;
      const double expected = narrow ? 1500.0 / 1920 : 1;
      const double rate = line_ps / (result["time"].get<double>() - half["time"].get<double>());
      std::printf("fred_%s, %s: %.4f of line rate, expected %.4f; with filling %.4f, predicted %.4f\n",
                  variant, type, rate, expected, 2 * line_ps / result["time"].get<double>(),
                  2 * line_ps / result["predicted"].get<double>());
      EXPECT_NEAR(rate / expected, 1, 0.01);
      EXPECT_NEAR(result["time"].get<double>() / result["predicted"].get<double>(), 1, 0.01);
      EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
      if (flows) continue;
      EXPECT_EQ(result["busiest"].get<std::uint64_t>(), 2 * bytes / 18 * 15);  // once through every uplink
    }
}

TEST(FredStreams, BringEveryValueToEveryNpuAndEverySumOut) {
  const std::vector<std::vector<std::string>> wafers = {
      {},
      {"wafer.fabric.l1_switches=1", "wafer.io.controllers=3"},
      {"wafer.fabric.npus_per_l1=1", "wafer.io.controllers=2"},
      {"wafer.fabric.l1_switches=6", "wafer.fabric.l2_switches=3", "wafer.fabric.l2_uplink=2TB/s",
       "wafer.io.controllers=7", "wafer.io.latency=35ns", "wafer.io.chunk=5000B"}};
  int proven = 0;
  for (const auto& wafer : wafers)
    for (const char* type : {"weight_load", "gradient_store"})
      for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{4} * 30'011})
        proven +=
            test::outcome_of_class(test::fred_platform("a", wafer, test::kProof), type, "", bytes)["proven"]
                    .get<bool>()
                ? 1
                : 0;
  EXPECT_EQ(proven, 4 * 2 * 2);
}

// Multicast and reduction in the switches, also of BF16 in their order, and with room for a single flow.
TEST(FredStreams, AsFlowsBringEveryValueToEveryNpuAndEverySumOut) {
  const std::vector<std::vector<std::string>> wafers = {
      {},
      {"run.data_type=bf16", "wafer.fabric.flows_per_buffer=1", "wafer.fabric.flow_packets=2"},
      {"wafer.fabric.l1_switches=6", "wafer.fabric.l2_switches=3", "wafer.fabric.l2_uplink=2TB/s",
       "wafer.io.controllers=7", "wafer.io.latency=35ns"}};
  int proven = 0;
  for (const auto& wafer : wafers)
    for (const char* type : {"weight_load", "gradient_store"})
      for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{4} * 30'011}) {
        const auto result =
            test::outcome_of_class(test::fred_platform("b", wafer, test::kProof), type, "", bytes);
        proven += result["proven"].get<bool>() ? 1 : 0;
        EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
      }
  EXPECT_EQ(proven, 3 * 2 * 2);
}

TEST(FredCollectives, EndWithTheRightValuesHoweverTheyAreDone) {
  const std::vector<Group> groups = {
      test::whole_wafer(),
      test::npus({4, 5, 6, 7}),             // below one L1 switch
      test::npus({2, 6, 10, 14, 18}),       // one NPU below each
      test::npus({19, 0, 1, 18, 9, 8}),     // a grid, in any order
      test::npus({3, 17, 4, 5, 6, 11, 2}),  // different numbers below them
  };
  for (const Group& group : groups)
    for (const CollectiveType type : kCollectiveTypes) {
      const config::PlatformSpec spec = test::fred_platform("a", test::kProof);
      const FabricTraits traits = platform_traits(spec);
      std::vector<std::string> algorithms = algorithms_for(type, group, traits);
      algorithms.emplace_back("");
      for (const std::string& algorithm : algorithms) {
        CollectiveRequest request;
        request.type = type;
        request.group = group;
        request.bytes = type == CollectiveType::barrier ? 0 : 4 * 5003;
        request.algorithm = algorithm;
        request.chunks = algorithm.empty() ? 0 : 3;
        request.root = has_root(type) ? static_cast<std::uint32_t>(group.size() - 1) : 0;
        const auto result = test::outcome(spec, request);
        EXPECT_TRUE(result["proven"].get<bool>()) << to_string(type) << " as " << algorithm;
      }
    }
}

TEST(FredCollectives, AreTheSameInAnyOrderOfConstructionAndWithCheckers) {
  for (const char* variant : {"a", "c"})
    for (const char* type : {"all_reduce", "all_to_all", "weight_load"}) {
      const auto plain = test::outcome_of_class(test::fred_platform(variant), type, "", 1 << 20)["ends"];
      EXPECT_EQ(plain, test::outcome_of_class(test::fred_platform(variant), type, "", 1 << 20, true)["ends"]);
      EXPECT_EQ(plain, test::outcome_of_class(test::fred_platform(variant, test::kProof), type, "",
                                              1 << 20)["ends"]);
    }
}

// 4 to 1024 NPUs, two and three levels.
TEST(FredCollectives, RunOnSmallAndOnLargeWafers) {
  const std::vector<std::vector<std::string>> wafers = {
      {"wafer.fabric.l1_switches=2", "wafer.fabric.npus_per_l1=2", "wafer.io.controllers=none"},
      {"wafer.fabric.l1_switches=16", "wafer.fabric.npus_per_l1=16"},
      {"wafer.fabric.l1_switches=64", "wafer.fabric.npus_per_l1=16", "wafer.fabric.l2_switches=8",
       "wafer.fabric.l2_uplink=12TB/s", "collectives.algorithm=double_binary_tree"}};
  for (const auto& wafer : wafers) {
    const auto result = test::outcome_of_class(test::fred_platform("a", wafer, test::kProof), "all_reduce",
                                               "", test::kSanitized ? 4096 : 65'536);
    EXPECT_TRUE(result["proven"].get<bool>());
  }
}

}  // namespace
}  // namespace wafertlm
