// SPDX-License-Identifier: Apache-2.0
// Iterations that are predicted, against the same simulated.
#include "platform/run/predicted_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/spec/load.h"
#include "tests/support/refusal.h"
#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

PredictedIteration predicted(const std::string& file, const std::vector<std::string>& overrides = {}) {
  const config::ExperimentSpec experiment = config::load_experiment(file, overrides);
  return predict_iteration(experiment, load_job(experiment));
}

double simulated_ps(const TempFolder& folder, const std::string& file, const std::string& more = "") {
  const ToolResult result = run_tool("run " + file + " --out " + folder.path() + "/out " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto results = nlohmann::json::parse(read_text(folder.path() + "/out/results.json"));
  return std::round(results["iteration_time_s"].get<double>() * 1e12);
}

/// Both ranks compute, a message and an all-reduce follow each other, and the memory of the second rank.
TEST(PredictedRun, AddsUpWhatFollowsEachOther) {
  const TempFolder folder;
  chakra::Node message = send(2, 1, 0, 0, {1}), arrival = receive(2, 0, 0),
               sum = all_reduce(3, 0, {2}, 2'000'000);
  message.comm_size = arrival.comm_size = 1'000'000;
  chakra::Node kept = store(4, 0, {3});
  kept.tensor_size = 3'000'000;
  const auto write = [&](int rank, std::vector<chakra::Node> nodes) {
    chakra::VectorSource source("rank", std::move(nodes));
    chakra::write_trace(source, folder.path() + "/job." + std::to_string(rank) + ".et");
  };
  write(0, {compute(1, 10'000'000), message, sum});
  write(1, {compute(1, 4'000'000), arrival, sum, kept});
  const std::string file = folder.write(
      "e.yaml",
      "experiment: e\nplatform: {platform: two, wafer: {fabric: {kind: dimensional, transport: messages, "
      "dimensions: [{topology: ring, size: 2, bandwidth: 100 GB/s, latency: 500 ns}]}}}\n"
      "workload: {workload: w, chakra: job}\n");
  const PredictedIteration found = predicted(file);
  // 10 us, 1 MB at 100 GB/s, an all-reduce of 2 MB among two (2 rounds), 3 MB at 3 TB/s and 100 ns.
  EXPECT_EQ(found.time_ps, 10'000'000 + (500'000 + 10'000'000) + 2 * (500'000 + 10'000'000) + 1'100'000);
  EXPECT_EQ(static_cast<double>(found.time_ps), simulated_ps(folder, file));
  EXPECT_EQ(found.compute_ps, 10'000'000);
  EXPECT_GT(found.bound_ps, 0U);
  EXPECT_LE(found.bound_ps, 21'000'000U);
}

TEST(PredictedRun, IsNearASimulationWithoutContention) {
  const TempFolder folder;
  const std::string file = WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml";
  const PredictedIteration found = predicted(file);
  const double simulated = simulated_ps(folder, file);
  EXPECT_NEAR(static_cast<double>(found.time_ps) / simulated, 1, 1e-3);
  EXPECT_NEAR(static_cast<double>(found.compute_ps) / 1.944e9, 1, 1e-3);
  // With a barrier between iterations, and compute units of half the speed.
  const PredictedIteration slow = predicted(file, {"barrier=true", "workload.effective_rate=200 TFLOPS"});
  EXPECT_NEAR(static_cast<double>(slow.compute_ps) / static_cast<double>(found.compute_ps), 2, 1e-3);
}

TEST(PredictedRun, SaysWhatItCannotPredict) {
  const auto refusal = [](const std::string& experiment) {
    return refusal_of([&] { predicted(WAFERTLM_SOURCE_DIR "/configs/experiments/" + experiment + ".yaml"); });
  };
  EXPECT_NE(refusal("gpt2_memory_engine").find("not predicted"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::test
