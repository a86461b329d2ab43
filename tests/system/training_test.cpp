// SPDX-License-Identifier: Apache-2.0
// Training workloads through the executable.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/iterations.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/system/trace_runs.h"

namespace wafertlm {
namespace {

/// A transformer whose blocks take all the time: a vocabulary of one token, no optimizer, slow NPUs.
std::string workload(const test::TempFolder& folder, const std::string& name, const std::string& strategy) {
  return folder.write(
      name,
      "workload: small\nmodel:\n  model: small\n  transformer: {layers: 8, hidden: 64, heads: "
      "4, sequence: 32, vocabulary: 1}\neffective_flops: 100 MFLOPS\n"
      "optimizer_operations_per_parameter: 0\n" +
          strategy);
}

nlohmann::json run_job(const test::TempFolder& folder, const std::string& workload_file,
                       const std::string& out, const std::string& more = "") {
  const std::string experiment =
      folder.write("experiment_" + out + ".yaml", "experiment: small\nplatform: " WAFERTLM_SOURCE_DIR
                                                  "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: " +
                                                      workload_file + "\n");
  const test::ToolResult result =
      test::run_tool("run " + experiment + " --out " + folder.path() + "/" + out + " " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::json::parse(test::read_text(folder.path() + "/" + out + "/results.json"));
}

/// A workload of the traces that `job.yaml` makes.
std::string traces_of(const test::TempFolder& folder, const std::string& file) {
  const test::ToolResult generated =
      test::run_tool("workload generate " + file + " --out " + folder.path() + "/traces");
  EXPECT_EQ(generated.exit_code, 0) << generated.error;
  return folder.path() + "/traces/job.traces.yaml";
}

// (p − 1)/(m + p − 1) of the iteration is idle, (p − 1)/(v·m + p − 1) with v chunks. A block computes for 75
// ms forward, so transfers of microseconds and an embedding do not show.
TEST(Training, PipelineBubbles) {
  const test::TempFolder folder;
  const struct {
    const char* strategy;
    double bubble;
  } cases[] = {
      {"parallelism: PP(4)\nminibatch: 8\nmicrobatches: 8\n", 3.0 / 11},
      {"parallelism: PP(4)\nminibatch: 8\nmicrobatches: 8\nschedule: gpipe\n", 3.0 / 11},
      {"parallelism: PP(4)\nminibatch: 2\nmicrobatches: 2\n", 3.0 / 5},
      {"parallelism: PP(4)\nminibatch: 8\nmicrobatches: 8\nschedule: interleaved\nchunks_per_stage: 2\n",
       3.0 / 19},
      {"parallelism: PP(2)\nminibatch: 2\nmicrobatches: 2\nschedule: resident_loop\nchunks_per_stage: 4\n"
       "stage_transfer: multicast\n",
       1.0 / 9},
  };
  int number = 0;
  for (const auto& c : cases) {
    const std::string file = workload(folder, "w" + std::to_string(number) + ".yaml", c.strategy);
    const auto results = run_job(folder, file, "out" + std::to_string(number++));
    const auto& iteration = results["iterations"][0];
    const double busy = iteration["breakdown_s"]["compute"].get<double>() / iteration["time_s"].get<double>();
    EXPECT_NEAR(1 - busy, c.bubble, 0.002) << c.strategy;
  }
}

// Everything at once, in small; and the traces written from it give the same time to the last digit.
TEST(Training, TracesOfAWorkloadGiveTheSameTime) {
  const test::TempFolder folder;
  const std::string file =
      workload(folder, "job.yaml",
               "parallelism: MP(2)-DP(4)-PP(2)\nminibatch: 16\nmicrobatches: 2\nzero_stage: 3\n"
               "sequence_parallel: true\nrecompute: full\nplacement: contiguous\n");
  const auto direct = run_job(folder, file, "direct");
  const std::string traced = traces_of(folder, file);
  const auto replayed = run_job(folder, traced, "replayed");
  EXPECT_EQ(test::times_of(direct), test::times_of(replayed));
  EXPECT_EQ(test::without_groups(direct["collectives"]), test::without_groups(replayed["collectives"]));
  EXPECT_GT(direct["collectives"].size(), 0U);
  EXPECT_GT(direct["iterations"][0]["breakdown_s"]["exposed_mp"].get<double>(), 0);
}

// ASTRA-sim reads the names of groups as numbers.
TEST(Training, GroupsOfGeneratedTracesAreNumbers) {
  const test::TempFolder folder;
  const std::string file =
      workload(folder, "job.yaml", "parallelism: MP(2)-DP(4)-PP(2)\nminibatch: 16\nmicrobatches: 2\n");
  traces_of(folder, file);
  const auto groups = nlohmann::json::parse(test::read_text(folder.path() + "/traces/job.comm_groups.json"));
  EXPECT_EQ(groups.size(), 20U) << "8 pairs of MP, 8 of first and last stage, 4 groups of four";
  for (const auto& [name, ranks] : groups.items()) {
    EXPECT_EQ(name, std::to_string(std::stoul(name)));
    EXPECT_GT(std::stoul(name), 0U);
  }
}

// effective_flops goes before the array, unless the NPU computes all durations; what is written has the
// products.
TEST(Training, OnASystolicArray) {
  const test::TempFolder folder;
  const std::string file =
      workload(folder, "job.yaml", "parallelism: MP(2)-DP(2)-PP(2)\nminibatch: 8\nplacement: row_major\n");
  const std::string traced = traces_of(folder, file);
  const std::string array =
      " --set npu.compute.model=systolic --set 'npu.compute.systolic={rows: 128, columns: 128, clock: 1 "
      "GHz}'";
  const auto direct = run_job(folder, file, "direct", array + " --set npu.compute.durations=model");
  const auto replayed = run_job(folder, traced, "replayed", array + " --set npu.compute.durations=model");
  EXPECT_EQ(test::times_of(direct), test::times_of(replayed));
  EXPECT_EQ(direct["compute"], replayed["compute"]);
  EXPECT_GT(direct["compute"]["told_by"]["systolic"]["computations"], 0);
  EXPECT_EQ(direct["compute"]["told_by"]["duration"]["computations"], 0);
  const auto slow = run_job(folder, file, "slow", "");
  EXPECT_GT(slow["iterations"][0]["time_ps"], direct["iterations"][0]["time_ps"]);
  EXPECT_EQ(slow["compute"]["told_by"]["roofline"]["computations"], 0);
}

// Neighbours talk over fewer links than NPUs that are scattered.
TEST(Training, PlacementMovesTheTraffic) {
  const test::TempFolder folder;
  const std::string strategy = "parallelism: MP(2)-DP(5)-PP(2)\nminibatch: 10\nmicrobatches: 2\n";
  const auto bytes = [&](const std::string& placement) {
    const std::string file =
        workload(folder, placement + ".yaml", strategy + "placement: " + placement + "\n");
    std::uint64_t sum = 0;
    const auto results = run_job(folder, file, placement);
    for (const auto& link : results["links"])
      if (link["name"].get<std::string>().rfind("router", 0) == 0) sum += link["bytes"].get<std::uint64_t>();
    return sum;
  };
  EXPECT_LT(bytes("paper"), bytes("random"));
}

/// A layer of width 1024 over the four NPUs of a square, and the time of an iteration in seconds.
double time_of_stream(const test::TempFolder& folder, const std::string& kind, const std::string& rate) {
  const std::string file = folder.write(
      kind + ".yaml",
      "workload: wide\nmodel:\n  model: wide\n  transformer: {layers: 1, hidden: 1024, heads: 16, sequence: "
      "1024, "
      "vocabulary: 16}\nparallelism: MP(4)\nminibatch: 1\nsplit_vocabulary: true\nplacement: ring\n"
      "optimizer_operations_per_parameter: 0\ntensor_parallelism: " +
          kind + "\neffective_flops: " + rate + "\n");
  const auto results = run_job(folder, file, kind);
  return results["iterations"][0]["time_s"].get<double>();
}

// TEMP: each of N steps takes max(t/N, W·b/(N·BW)). With W of 12 H², keys and values of 2·S·H, and sums of N
// − 1 steps; the embedding's rows come with two collectives of S·H.
TEST(Training, AStreamTakesTheLongerOfComputationAndTransfer) {
  const test::TempFolder folder;
  const double square = 1024.0 * 1024 * 2, bandwidth = 750e9;
  const double streams = (12 * (1 + 1 + 0.75) + 2 * (1 + 2)) * square, rows = 2 * 0.75 * square;
  for (const auto& [kind, ways] : {std::pair{"stream", 1.0}, std::pair{"two_way_stream", 2.0}}) {
    const double time = time_of_stream(folder, kind, "1000 TFLOPS");
    EXPECT_GT(time, streams / bandwidth / ways);
    EXPECT_LT(time, (streams / ways + rows) / bandwidth * 1.03);
  }
  // 3 times 2 operations per weight and token, and the scores': 2.3 ms.
  const double operations = 3 * (2 * 12 * 1024.0 + 4 * 1024) * 1024 * 1024 / 4;
  const double slow = time_of_stream(folder, "stream", "10 TFLOPS");
  EXPECT_GT(slow, operations / 10e12);
  EXPECT_LT(slow, operations / 10e12 + rows / bandwidth * 1.5);
}

// Four stages of 8 microbatches: the transfers are hidden, the memory is that of fewer microbatches.
TEST(Training, LentMemoryCostsNoTimeWhereLinksAreFast) {
  const test::TempFolder folder;
  const std::string strategy = "parallelism: PP(4)\nminibatch: 8\nmicrobatches: 8\n";
  const auto plain = run_job(folder, workload(folder, "plain.yaml", strategy), "plain");
  const auto lends =
      run_job(folder, workload(folder, "lends.yaml", strategy + "lend_activations: true\n"), "lends");
  const auto time = [](const nlohmann::json& results) {
    return results["iterations"][0]["time_s"].get<double>();
  };
  EXPECT_NEAR(time(lends) / time(plain), 1, 0.001);
  std::uint64_t lent = 0;
  for (const auto& link : lends["links"]) lent += link["bytes"].get<std::uint64_t>();
  std::uint64_t without = 0;
  for (const auto& link : plain["links"]) without += link["bytes"].get<std::uint64_t>();
  EXPECT_GT(lent, without);
}

TEST(Training, ShowPrintsTotals) {
  const test::ToolResult shown =
      test::run_tool("workload show " WAFERTLM_SOURCE_DIR "/configs/workloads/resnet152_dp20.yaml --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  const auto totals = nlohmann::json::parse(shown.out);
  EXPECT_EQ(totals["model"]["parameters"], 60'192'808U);
  ASSERT_EQ(totals["ranks"].size(), 20U);
  // 2(n − 1)/n of the gradients
  EXPECT_EQ(totals["ranks"][7]["classes"]["dp"]["sent_bytes"], 60'192'808ULL * 2 * 38 / 20);
  EXPECT_EQ(totals["ranks"][7]["memory_bytes"]["parameters"], 60'192'808U * 2);
}

}  // namespace
}  // namespace wafertlm
