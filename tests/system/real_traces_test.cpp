// SPDX-License-Identifier: Apache-2.0
// Traces through the executable: our own, and the samples of others.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/iterations.h"
#include "tests/support/shared_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_jobs.h"

namespace wafertlm {
namespace {

class Traces : public testing::Test {
 protected:
  /// Runs the traces `path`.RANK.et on a platform preset and returns results.json.
  nlohmann::json run(const std::string& path, const std::string& platform, const std::string& more = "") {
    const std::string experiment =
        folder_.write("experiment.yaml", "experiment: sample\nplatform: " + std::string(WAFERTLM_SOURCE_DIR) +
                                             "/configs/platforms/" + platform +
                                             ".yaml\nworkload: {workload: sample, chakra: " + path + "}\n");
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

  /// Writes a generated workload as traces. @return its prefix
  std::string generated(const std::string& workload) {
    const test::ToolResult made =
        test::run_tool("workload generate " WAFERTLM_SOURCE_DIR "/configs/workloads/" + workload +
                       ".yaml --out " + folder_.path() + "/made");
    EXPECT_EQ(made.exit_code, 0) << made.error;
    return folder_.path() + "/made/" + workload;
  }

  /// They take the same time when `trace convert` wrote them in another form.
  void expect_same_in_every_form(const std::string& path, const std::string& platform) {
    const auto original = run(path, platform);
    for (const std::string form : {"et", "et.gz", "json"}) {
      const test::TempFolder copies;
      const test::ToolResult converted =
          test::run_tool("trace convert " + path + " --to " + form + " --out " + copies.path());
      ASSERT_EQ(converted.exit_code, 0) << converted.error;
      const auto copy = run(copies.path() + "/" + path.substr(path.rfind('/') + 1), platform);
      EXPECT_EQ(test::times_of(copy), test::times_of(original)) << path << " as " << form;
      EXPECT_EQ(copy["critical_path"], original["critical_path"]) << path << " as " << form;
      EXPECT_EQ(copy["collectives"], original["collectives"]) << path << " as " << form;
    }
  }

  test::TempFolder folder_;
};

class RealTraces : public test::WithSampleTraces<Traces> {
 protected:
  /// Unpacks the PyTorch sample and returns its path.
  std::string pytorch() {
    const std::string archive = trace("pytorch/feeder_tests_trace.tar.gz");
    EXPECT_EQ(std::system(("tar -xzf '" + archive + "' -C '" + folder_.path() + "'").c_str()), 0);
    return folder_.path() + "/tests/data/chakra.0.et";
  }
};

TEST_F(Traces, CollectivesOfFourEightAndSixteenRanks) {
  using Type = chakra::CollectiveType;
  const std::pair<std::string, Type> types[] = {{"all_reduce", Type::AllReduce},
                                                {"all_gather", Type::AllGather},
                                                {"reduce_scatter", Type::ReduceScatter},
                                                {"all_to_all", Type::AllToAll}};
  for (const auto& [type, chakra_type] : types)
    for (const unsigned ranks : {4U, 8U, 16U}) {
      const std::string job = folder_.path() + "/" + type + std::to_string(ranks);
      const auto results = run(test::write_collective_job(job, chakra_type, ranks, 1 << 20), "wafer_mesh_8x8",
                               "--set run.functional=true --set run.checkers=true");
      ASSERT_EQ(results["collectives"].size(), 1U);
      const auto& collective = results["collectives"][0];
      // Chakra's all-gather names what a rank contributes; the others the full vector.
      const std::uint64_t bytes = (std::uint64_t{1} << 20) * (chakra_type == Type::AllGather ? ranks : 1);
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
      std::printf("%-14s %2u ranks: %lu ps, bound %.0f ps\n", type.c_str(), ranks,
                  collective["time_ps"].get<std::uint64_t>(), collective["bound_s"].get<double>() * 1e12);
      expect_exact_breakdown(results);
    }
}

TEST_F(RealTraces, ResNet50OfSixtyFourRanksIsItsComputePlusWhatIsExposed) {
  const auto results = run(trace("Resnet50_DataParallel/Resnet50_DataParallel"), "wafer_mesh_8x8");
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

TEST_F(Traces, RingOfSendsAndReceives) {
  const auto results = run(test::write_ring_job(folder_.path() + "/ring", 8, 1 << 20), "wafer_mesh_8x8",
                           "--set run.checkers=true");
  // 7 COMP nodes of 7 us each, one after the other.
  EXPECT_EQ(results["iterations"][0]["breakdown_ps"]["compute"].get<std::uint64_t>(), 49'000'000U);
  EXPECT_GT(results["iterations"][0]["breakdown_ps"]["pp"].get<std::uint64_t>(), 0U);
  expect_exact_breakdown(results);
}

TEST_F(RealTraces, MlpWithDataAndModelParallelism) {
  const auto results =
      run(trace("MLP_HybridParallel_Data_Model/MLP_HybridParallel_Data_Model"), "wafer_mesh_8x8");
  EXPECT_EQ(results["collectives_total"], 17);
  expect_exact_breakdown(results);
}

TEST_F(RealTraces, PyTorchStopsWithItsMissingDependencies) {
  const std::string experiment = folder_.write(
      "experiment.yaml", "experiment: sample\nplatform: " WAFERTLM_SOURCE_DIR
                         "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: {workload: sample, chakra: " +
                             pytorch() + ", replicate: 2}\n");
  const test::ToolResult result = test::run_tool("run " + experiment + " --out " + folder_.path() + "/out");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("1277 dependencies on nodes that are not in the trace"), std::string::npos)
      << result.error;
  EXPECT_NE(result.error.find("dependencies: data"), std::string::npos) << result.error;
  EXPECT_EQ(test::read_text(folder_.path() + "/out/results.json"), "");
}

TEST_F(RealTraces, PyTorchIsPlayedByOneTwoEightAndTwentyRanks) {
  const std::string path = pytorch();
  for (const int ranks : {1, 2, 8, 20}) {
    const std::string experiment = folder_.write(
        "experiment.yaml", "experiment: sample\nplatform: " WAFERTLM_SOURCE_DIR
                           "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: {workload: sample, "
                           "chakra: " +
                               path + ", replicate: " + std::to_string(ranks) + ", dependencies: data}\n");
    const test::ToolResult result = test::run_tool("run " + experiment + " --out " + folder_.path() + "/out");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const auto results = nlohmann::json::parse(test::read_text(folder_.path() + "/out/results.json"));
    EXPECT_EQ(results["traces"]["control_dependencies_left_out"], 3664 * ranks);
    EXPECT_EQ(results["traces"]["missing_dependencies"], 1277 * ranks);
    EXPECT_NE(result.out.find(std::to_string(1277 * ranks) + " dependencies are on nodes that are not"),
              std::string::npos);
    expect_exact_breakdown(results);
    std::multiset<std::uint64_t> sizes;
    for (const auto& collective : results["collectives"])
      sizes.insert(collective["bytes"].get<std::uint64_t>());
    // As `trace info` and protoc show them: 2 broadcasts and 5 all-reduces.
    EXPECT_EQ(sizes.size(), ranks > 1 ? 7U : 0U);
    std::uint64_t sum = 0;
    for (const std::uint64_t size : sizes) sum += size;
    EXPECT_EQ(sum, ranks > 1 ? 212'904U + 102'228'128U : 0U);
    std::printf("PyTorch, %2d ranks: %lu ps\n", ranks,
                results["iterations"][0]["time_ps"].get<std::uint64_t>());
  }
}

TEST_F(Traces, WrittenAgainInEveryFormTheyTakeTheSameTime) {
  expect_same_in_every_form(test::write_ring_job(folder_.path() + "/ring", 8, 1 << 20), "wafer_mesh_8x8");
  expect_same_in_every_form(test::write_collective_job(folder_.path() + "/all_to_all",
                                                       chakra::CollectiveType::AllToAll, 16, 1 << 20),
                            "wafer_mesh_8x8");
}

TEST_F(RealTraces, WrittenAgainInEveryFormTheyTakeTheSameTime) {
  expect_same_in_every_form(trace("MLP_HybridParallel_Data_Model/MLP_HybridParallel_Data_Model"),
                            "wafer_mesh_8x8");
}

TEST_F(Traces, AGeneratedWorkloadCanBeWrittenAndTakesTheSameTime) {
  const auto copy = run(generated("resnet50_dp20"), "wafer_mesh_5x4");
  const test::ToolResult result =
      test::run_tool("run " WAFERTLM_SOURCE_DIR
                     "/configs/experiments/resnet50_dp20_mesh_5x4.yaml --set iterations=1 --out " +
                     folder_.path() + "/direct");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto direct = nlohmann::json::parse(test::read_text(folder_.path() + "/direct/results.json"));
  EXPECT_EQ(test::times_of(copy), test::times_of(direct));
  // Its own tool reads what we write: every record after its length, by protoc.
  const std::string command = "python3 '" WAFERTLM_SOURCE_DIR "/tests/support/protoc_decode.py' '" +
                              folder_.path() + "/made/resnet50_dp20.0.et'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Traces, TheCriticalPathExplainsTheIteration) {
  const auto results = run(generated("resnet50_dp20"), "wafer_mesh_5x4");
  const auto& path = results["critical_path"];
  std::uint64_t sum = 0;
  for (const auto& [name, part] : path["breakdown_ps"].items()) sum += part.get<std::uint64_t>();
  EXPECT_EQ(sum, results["iterations"][0]["time_ps"].get<std::uint64_t>());
  EXPECT_EQ(path["steps"].size(), path["length"].get<std::size_t>());
  EXPECT_FALSE(path["beginning_not_kept"].get<bool>());
}

TEST_F(Traces, MoreRanksThanNpusAreRefused) {
  const std::string experiment = folder_.write(
      "experiment.yaml",
      "experiment: sample\nplatform: " + std::string(WAFERTLM_SOURCE_DIR) +
          "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: {workload: sample, chakra: " +
          test::write_collective_job(folder_.path() + "/job", chakra::CollectiveType::AllReduce, 64, 64) +
          "}\n");
  const test::ToolResult result = test::run_tool("run " + experiment + " --out " + folder_.path() + "/out");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("64 ranks"), std::string::npos) << result.error;
  EXPECT_EQ(test::read_text(folder_.path() + "/out/results.json"), "");
}

}  // namespace
}  // namespace wafertlm
