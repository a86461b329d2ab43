// SPDX-License-Identifier: Apache-2.0
// The sample traces, through the executable.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/support/shared_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

class RealTraces : public test::SharedTraces {
 protected:
  /// Runs the traces `prefix` on a platform preset and returns results.json.
  nlohmann::json run(const std::string& prefix, const std::string& platform, const std::string& more = "") {
    const std::string experiment = folder_.write(
        "experiment.yaml", "experiment: sample\nplatform: " + std::string(WAFERTLM_SOURCE_DIR) +
                               "/configs/platforms/" + platform +
                               ".yaml\nworkload: {workload: sample, chakra: " + trace(prefix) + "}\n");
    const test::ToolResult result =
        test::run_tool("run " + experiment + " --out " + folder_.path() + "/out " + more);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return nlohmann::json::parse(test::read_text(folder_.path() + "/out/results.json"));
  }

  static void expect_exact_breakdown(const nlohmann::json& results) {
    for (const auto& iteration : results["iterations"]) {
      std::uint64_t sum = 0;
      for (const auto& [name, part] : iteration["breakdown_ps"].items()) sum += part.get<std::uint64_t>();
      EXPECT_EQ(sum, iteration["time_ps"].get<std::uint64_t>());
    }
  }

  test::TempFolder folder_;
};

TEST_F(RealTraces, MicrobenchmarksOfFourEightAndSixteenRanks) {
  for (const std::string type : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"})
    for (const int ranks : {4, 8, 16}) {
      const auto results = run("microbenchmarks/" + type + "/" + std::to_string(ranks) + "npus_1MB/" + type,
                               "wafer_mesh_8x8", "--set run.functional=true --set run.checkers=true");
      ASSERT_EQ(results["collectives"].size(), 1U);
      const auto& collective = results["collectives"][0];
      // Chakra's all-gather names what a rank contributes; the others the full vector.
      const std::uint64_t bytes =
          (std::uint64_t{1} << 20) * (type == "all_gather" ? static_cast<std::uint64_t>(ranks) : 1);
      EXPECT_EQ(collective["type"], type);
      EXPECT_EQ(collective["group_size"], ranks);
      EXPECT_EQ(collective["bytes"].get<std::uint64_t>(), bytes);
      EXPECT_GE(collective["time_s"].get<double>(), collective["bound_s"].get<double>());
      EXPECT_TRUE(results["values_proven"].get<bool>());
      // The same collective by itself takes as long.
      const auto alone = nlohmann::json::parse(
          test::run_tool("collective " + std::string(WAFERTLM_SOURCE_DIR) +
                         "/configs/platforms/wafer_mesh_8x8.yaml --type " + type + " --size " +
                         std::to_string(bytes) + "B --json --npus 0-" + std::to_string(ranks - 1))
              .out);
      EXPECT_EQ(alone["rows"][0]["time_ps"], collective["time_ps"]);
      std::printf("%-14s %2d ranks: %lu ps, bound %.0f ps\n", type.c_str(), ranks,
                  collective["time_ps"].get<std::uint64_t>(), collective["bound_s"].get<double>() * 1e12);
      expect_exact_breakdown(results);
    }
}

TEST_F(RealTraces, ResNet50OfSixtyFourRanksIsItsComputePlusWhatIsExposed) {
  const auto results = run("Resnet50_DataParallel/Resnet50_DataParallel", "wafer_mesh_8x8");
  const auto& iteration = results["iterations"][0];
  EXPECT_EQ(iteration["breakdown_ps"]["compute"].get<std::uint64_t>(),
            1'082'450'000'000U);  // the trace's COMP nodes
  EXPECT_EQ(iteration["time_ps"].get<std::uint64_t>(),
            1'082'450'000'000U + iteration["breakdown_ps"]["dp"].get<std::uint64_t>());
  expect_exact_breakdown(results);
  std::printf("ResNet-50, 64 ranks: %lu ps, of which %lu ps exposed\n",
              iteration["time_ps"].get<std::uint64_t>(),
              iteration["breakdown_ps"]["dp"].get<std::uint64_t>());
}

TEST_F(RealTraces, CustomRingOfSendsAndReceives) {
  const auto results =
      run("custom_ring_allreduce_8npus_1MB/custom_allreduce", "wafer_mesh_8x8", "--set run.checkers=true");
  // 7 COMP nodes of 7 us each, one after the other.
  EXPECT_EQ(results["iterations"][0]["breakdown_ps"]["compute"].get<std::uint64_t>(), 49'000'000U);
  EXPECT_GT(results["iterations"][0]["breakdown_ps"]["pp"].get<std::uint64_t>(), 0U);
  expect_exact_breakdown(results);
}

TEST_F(RealTraces, MlpWithDataAndModelParallelism) {
  const auto results = run("MLP_HybridParallel_Data_Model/MLP_HybridParallel_Data_Model", "wafer_mesh_8x8");
  EXPECT_EQ(results["collectives_total"], 17);
  expect_exact_breakdown(results);
}

TEST_F(RealTraces, MoreRanksThanNpusAreRefused) {
  const std::string experiment = folder_.write(
      "experiment.yaml", "experiment: sample\nplatform: " + std::string(WAFERTLM_SOURCE_DIR) +
                             "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: {workload: sample, chakra: " +
                             trace("Resnet50_DataParallel/Resnet50_DataParallel") + "}\n");
  const test::ToolResult result = test::run_tool("run " + experiment + " --out " + folder_.path() + "/out");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("64 ranks"), std::string::npos) << result.error;
  EXPECT_EQ(test::read_text(folder_.path() + "/out/results.json"), "");
}

}  // namespace
}  // namespace wafertlm
