// SPDX-License-Identifier: Apache-2.0
// `wafertlm libra --simulate` where closed forms tell every part of the difference.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;

class LibraSimulation : public ::testing::Test {
 protected:
  void write(const std::string& network, const std::string& communicator, const std::string& workload) const {
    folder_.write("network.yml", network);
    folder_.write("communicator.yml", communicator);
    folder_.write("workload.txt", workload);
  }
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  test::ToolResult libra(const std::string& more) const {
    return test::run_tool("libra --network " + file("network.yml") + " --workload " + file("workload.txt") +
                          " --communicator " + file("communicator.yml") + " --json " + more);
  }
  json simulated(const std::string& more) const {
    const test::ToolResult result = libra("--simulate " + file("out") + " --candidates 0 " + more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const json answer = json::parse(result.out);
    EXPECT_EQ(json::parse(test::read_text(file("out/results.json"))), answer);
    const json found = answer["simulation"]["difference"];
    std::int64_t sum = 0;
    for (const json& part : found["parts"]) sum += part["time_ps"].get<std::int64_t>();
    EXPECT_EQ(sum, found["difference_ps"]);
    return answer["simulation"];
  }
  static std::int64_t part(const json& simulation, const std::string& name) {
    for (const json& each : simulation["difference"]["parts"])
      if (each["part"] == name) return each["time_ps"];
    ADD_FAILURE() << "no part " << name;
    return 0;
  }

  test::TempFolder folder_;
};

/// A ring of 8 in one chunk: 2 · 7 rounds of 500 ns, and nothing else. 8 MiB so that all pieces are whole.
TEST_F(LibraSimulation, OneChunkInOneDimensionIsOnlyLatency) {
  write("Topology: [Ring]\nNpusCount: [8]\nCostDimension: [A]\n",
        "Forward: [8]\nInputGrad: [-1]\nWeightGrad: [-1]\n",
        "one -1 1000 ALLREDUCE 8388608 1000 NONE 0 1000 NONE 0 0\n");
  const json found = simulated("--budget 128 --chunks 1 --latency 500ns");
  EXPECT_EQ(part(found, "latency"), 14 * 500'000);
  for (const char* const none : {"chunks", "algorithms", "computing", "contention"})
    EXPECT_NEAR(static_cast<double>(part(found, none)), 0, 300) << none;  // ps: rates are whole B/s
  EXPECT_EQ(found["difference"]["line_misses_ps"], 0);
}

/// Two dimensions that take A each: the second begins after the reduce-scatter of a chunk, A/2c, the first
/// ends as long after it.
TEST_F(LibraSimulation, ChunksFillThePipelineOfTwoDimensions) {
  write("Topology: [FullyConnected, Switch]\nNpusCount: [4, 4]\nCostDimension: [A, B]\n",
        "Forward: [4, 4]\nInputGrad: [-1, -1]\nWeightGrad: [-1, -1]\n",
        "one -1 1000 ALLREDUCE 16777216 1000 NONE 0 1000 NONE 0 0\n");
  const json found = simulated("--budget 200 --chunks 4 --latency '0 ns'");
  const double each_ps = 2 * 16777216.0 * 3 / 4 / 160 * 1e3;
  EXPECT_NEAR(static_cast<double>(part(found, "chunks")) / (each_ps / 4), 1, 1e-3);
  for (const char* const none : {"latency", "algorithms", "computing", "contention"})
    EXPECT_NEAR(static_cast<double>(part(found, none)) / each_ps, 0, 1e-3) << none;
  // At equal shares the first dimension has four times as much to do: Themis moves some of it.
  const json equal = found["designs"][1];
  EXPECT_EQ(equal["design"], "equal shares");
  EXPECT_LT(equal["themis_s"], equal["simulated_s"]);
  for (const json& design : found["designs"]) {
    EXPECT_GE(design["themis_s"].get<double>(), design["least_s"].get<double>() * (1 - 1e-9));
    EXPECT_GE(design["simulated_s"].get<double>(), design["least_s"].get<double>() * (1 - 1e-9));
    // Of a group over everything: 2 S (N − 1)/N over the budget, and computation.
    EXPECT_NEAR(design["least_s"].get<double>() / (2 * 16777216.0 * 15 / 16 / 200e9 + 3e-6), 1, 1e-9);
  }
}

/// Groups of 4 and of 2 of a fully connected 8 have 3 and 1 of an NPU's 7 links.
TEST_F(LibraSimulation, PartsOfADimensionHaveFewerLinks) {
  write("Topology: [FullyConnected]\nNpusCount: [8]\nCostDimension: [A]\n",
        "Forward: [4]\nInputGrad: [-1]\nWeightGrad: [2]\n",
        "one -1 1000 ALLREDUCE 8388608 1000 NONE 0 1000 ALLREDUCE 4194304 0\n");
  const json found = simulated("--budget 70 --chunks 1 --latency '0 ns'");
  const double forward_ns = 2 * 8388608.0 * 3 / 4 / 70, gradient_ns = 2 * 4194304.0 / 2 / 70;
  EXPECT_NEAR(found["difference"]["factors"][0].get<double>() /
                  ((7.0 / 3 * forward_ns + 7 * gradient_ns) / (forward_ns + gradient_ns)),
              1, 1e-6);
  EXPECT_NEAR(static_cast<double>(part(found, "algorithms")), 1e3 * (4.0 / 3 * forward_ns + 6 * gradient_ns),
              1000);
  EXPECT_NEAR(static_cast<double>(part(found, "contention")), 0, 1000);
  // Those of the weight gradient have one NPU of each forward group.
  const json groups = json::parse(test::read_text(file("out/groups.json")));
  EXPECT_EQ(groups["groups_4_of_rank_4"], (json{4, 5, 6, 7}));
  EXPECT_EQ(groups["groups_2by4_of_rank_3"], (json{3, 7}));
  EXPECT_EQ(groups.size(), 6U);
}

/// With few chunks the pipeline of the balanced optimum costs more than the imbalance of others.
TEST_F(LibraSimulation, SaysWhichDesignsAreTheOtherWayRound) {
  write("Topology: [FullyConnected, Switch]\nNpusCount: [4, 4]\nCostDimension: [A, B]\n",
        "Forward: [4, 4]\nInputGrad: [-1, -1]\nWeightGrad: [-1, -1]\n",
        "one -1 1000 ALLREDUCE 16777216 1000 NONE 0 1000 NONE 0 0\n");
  const test::ToolResult result = libra("--budget 200 --chunks 1 --candidates 4 --simulate " + file("out"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json found = json::parse(result.out)["simulation"];
  ASSERT_EQ(found["designs"].size(), 6U);
  ASSERT_FALSE(found["swaps"]["worst"].is_null());
  EXPECT_GT(found["swaps"]["swapped"], 0U);
  std::map<std::string, json> designs;
  for (const json& each : found["designs"]) designs[each["design"]] = each;
  const json &preferred = designs.at(found["swaps"]["worst"]["model_prefers"]),
             &faster = designs.at(found["swaps"]["worst"]["faster"]);
  EXPECT_LT(preferred["model_s"], faster["model_s"]);
  EXPECT_NEAR(found["swaps"]["worst"]["loss"].get<double>(),
              preferred["simulated_s"].get<double>() / faster["simulated_s"].get<double>() - 1, 1e-9);
  EXPECT_LT(found["rank_correlation"], 1.0);
  for (const auto& [name, design] : designs) {
    double sum = 0;
    for (const double each : design["bandwidth_bytes_per_s"]) sum += each;
    EXPECT_NEAR(sum / 200e9, 1, 1e-9) << name;
  }
}

TEST_F(LibraSimulation, RefusesWhatMakesNoSense) {
  write("Topology: [Ring]\nNpusCount: [8]\nCostDimension: [A]\n",
        "Forward: [8]\nInputGrad: [-1]\nWeightGrad: [-1]\n",
        "one -1 1000 ALLREDUCE 8388608 1000 NONE 0 1000 NONE 0 0\n");
  const auto refusal = [&](const std::string& more) {
    const test::ToolResult result = libra("--budget 100 " + more);
    EXPECT_EQ(result.exit_code, 2) << more;
    EXPECT_FALSE(std::filesystem::exists(file("out"))) << more;
    return result.error;
  };
  EXPECT_NE(refusal("--chunks 4").find("--simulate"), std::string::npos);
  const std::string simulate = "--simulate " + file("out") + " ";
  EXPECT_NE(refusal(simulate + "--latency 5").find("--latency"), std::string::npos);
  EXPECT_NE(refusal(simulate + "--set wafer.fabric.kinds=x").find("kinds"), std::string::npos);
  EXPECT_NE(
      refusal(simulate + "--workload " + file("workload.txt") + " --communicator " + file("communicator.yml"))
          .find("one workload"),
      std::string::npos);
}

}  // namespace
}  // namespace wafertlm
