// SPDX-License-Identifier: Apache-2.0
// Weights and samples that stream in and gradients that stream out, through the executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/iterations.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/system/trace_runs.h"

namespace wafertlm {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLayers = 4, kHidden = 128, kSequence = 32;
/// In elements of 2 bytes: four blocks, one token with its positions, the last norm.
constexpr std::uint64_t kModel =
    2 * (kLayers * (12 * kHidden * kHidden + 13 * kHidden) + (1 + kSequence) * kHidden + 2 * kHidden);
constexpr std::uint64_t kOnTwoStages = kModel + 2 * kHidden;  // the embedding of one word, once more

std::string platform(const std::string& name) {
  return WAFERTLM_SOURCE_DIR "/configs/platforms/" + name + ".yaml";
}

/// Four chunks of a block; coarse packets, as messages of chunks are small.
class StreamedJob {
 public:
  explicit StreamedJob(const std::string& strategy, std::uint64_t layers = kLayers) {
    folder_.write("job.yaml", "workload: small\nmodel:\n  model: small\n  transformer: {layers: " +
                                  std::to_string(layers) +
                                  ", hidden: 128, heads: 4, sequence: 32, vocabulary: 1}\n"
                                  "schedule: resident_loop\nweights: streamed\n" +
                                  strategy);
  }

  const std::string& folder() const { return folder_.path(); }
  std::string file() const { return folder_.path() + "/job.yaml"; }
  test::ToolResult try_run(const std::string& on, const std::string& overrides = "",
                           const std::string& workload = "job.yaml") const {
    const std::string experiment = folder_.write(
        "experiment.yaml", "experiment: small\nplatform: " + platform(on) + "\nworkload: " + workload + "\n");
    return test::run_tool("run " + experiment + " --out " + folder_.path() + "/out " + overrides);
  }
  Json run(const std::string& on, const std::string& overrides = "",
           const std::string& workload = "job.yaml") const {
    const test::ToolResult result = try_run(on, overrides, workload);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return Json::parse(test::read_text(folder_.path() + "/out/results.json"));
  }
  const test::TempFolder& files() const { return folder_; }

 private:
  test::TempFolder folder_;
};

const char* const kDp20 =
    "parallelism: DP(20)\nsamples_per_replica: 2\nmicrobatches: 2\nchunks_per_stage: 4\n"
    "effective_flops: 100 TFLOPS\n";
const char* const kMpDpPp =
    "parallelism: MP(2)-DP(3)-PP(2)\nsamples_per_replica: 4\nmicrobatches: 2\nchunks_per_stage: 2\n"
    "effective_flops: 10 TFLOPS\n";

/// Payload that the controllers send into the wafer, or get from it; the least and the most of one.
struct Carried {
  std::uint64_t sum = 0, least = ~std::uint64_t{0}, most = 0;
};
Carried carried(const Json& results, bool in) {
  Carried all;
  for (const auto& link : results["links"]) {
    const std::string name = link["name"];
    if (in ? name.rfind("io", 0) != 0 : name.find("->io") == std::string::npos) continue;
    const std::uint64_t bytes = link["bytes"];
    all.sum += bytes;
    all.least = std::min(all.least, bytes);
    all.most = std::max(all.most, bytes);
  }
  return all;
}

TEST(StreamedJobs, EveryControllerCarriesItsShareOfEveryLoad) {
  for (const char* on : {"wafer_mesh_5x4", "fred_c"}) {
    const StreamedJob job(std::string(kDp20) + "weight_loads_per_pass: 2\n");
    const Json results = job.run(on);
    const Carried in = carried(results, true), out = carried(results, false);
    EXPECT_EQ(in.sum, 2 * 2 * kModel) << on;
    EXPECT_EQ(out.sum, 2 * kModel) << on;
    // Shares of one of 16 streams in, 8 streams out, differ by an element of 4 bytes.
    EXPECT_LE(in.most - in.least, 16U * 4);
    EXPECT_LE(out.most - out.least, 8U * 4);
    EXPECT_GT(results["iterations"][0]["breakdown_s"]["exposed_weights"].get<double>(), 0);
  }
}

TEST(StreamedJobs, BringTheRightValuesAlsoAcrossNpusThatAreNotMeant) {
  for (const char* on : {"wafer_mesh_5x4", "fred_a"})
    for (const char* delivery : {"broadcast", "needed"}) {
      const StreamedJob job(std::string(kMpDpPp) + "input: streamed\nweight_delivery: " + delivery + "\n");
      const Json results =
          job.run(on, "--set run.functional=true --set run.checkers=true --set wafer.io.chunk=8KiB");
      EXPECT_TRUE(results["values_proven"].get<bool>());
      EXPECT_GT(results["collectives_total"], 20);
    }
}

/// Of a stream on an idle wafer, in picoseconds.
double alone(const std::string& type, std::uint64_t bytes, const std::string& overrides) {
  const test::ToolResult result =
      test::run_tool("collective " + platform("wafer_mesh_5x4") + " --type " + type + " --size " +
                     std::to_string(bytes) + "B --json " + overrides);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return Json::parse(result.out)["rows"][0]["time_ps"].get<double>();
}

// NPU ports so fast that streams in and out do not meet there. On links they do: the busiest one of a load
// has 9 shares, of a load and a store 12. A chunk in turn: load, compute; on the way back the gradients of
// one leave while the next one comes in.
TEST(StreamedJobs, WithoutOverlapTakeComputationAndStreams) {
  const std::string coarse =
      "--set wafer.fabric.injection_bandwidth=9TB/s --set wafer.fabric.ejection_bandwidth=9TB/s "
      "--set wafer.fabric.packet_bytes=64KiB --set wafer.io.chunk=16KiB";
  constexpr std::uint64_t kWide = 512;
  const std::string wide = coarse + " --set workload.model.transformer.hidden=512";
  const std::uint64_t block = 2 * (12 * kWide * kWide + 13 * kWide);
  const double load = alone("weight_load", block, coarse), store = alone("gradient_store", block, coarse);
  const double streams = 5 * load + 3 * std::max(load, store) * 12 / 9 + store;
  const auto time = [](const Json& results) { return results["iterations"][0]["time_ps"].get<double>(); };
  const auto computes = [](const Json& results) {
    return results["iterations"][0]["breakdown_ps"]["compute"].get<double>();
  };
  const StreamedJob job(std::string(kDp20) + "overlap_weights: false\n");
  const Json none = job.run("wafer_mesh_5x4", wide);
  EXPECT_NEAR(time(none) / (computes(none) + streams), 1, 0.02);

  // One stream at a time: each has the wafer for itself.
  const Json turns = job.run("wafer_mesh_5x4", wide + " --set workload.overlap_stores=false");
  EXPECT_NEAR(time(turns) / (computes(turns) + 8 * load + 4 * store), 1, 0.005);

  // Where computation takes longest only the first chunk and the last gradients are not beside it …
  const StreamedJob full(std::string(kDp20) + "overlap_weights: true\n");
  const Json slow = full.run("wafer_mesh_5x4", wide + " --set workload.effective_flops=20TFLOPS");
  EXPECT_GT(computes(slow), 24 * load);
  EXPECT_NEAR(time(slow) / (load + computes(slow) + store), 1, 0.01);
  // … and where it takes hardly any time the streams follow each other.
  const Json fast =
      full.run("wafer_mesh_5x4", wide + " --set workload.effective_flops=100PFLOPS --set npu.peak=100PFLOPS");
  EXPECT_LT(computes(fast), load / 10);
  EXPECT_NEAR(time(fast) / (computes(fast) + streams), 1, 0.03);
}

// Stages do not wait for each other's gradients: where computation takes longest, turns cost next to nothing.
TEST(StreamedJobs, StreamsThatTakeTurnsDoNotHoldUpOtherStages) {
  const StreamedJob job(std::string(kMpDpPp) + "overlap_weights: false\n");
  const auto time = [&](const std::string& overrides) {
    const Json results = job.run("wafer_mesh_5x4", "--set workload.effective_flops=100GFLOPS " + overrides);
    return results["iterations"][0]["time_ps"].get<double>();
  };
  const double turns = time("--set workload.overlap_stores=false"), at_once = time("");
  EXPECT_NE(turns, at_once);
  EXPECT_NEAR(turns / at_once, 1, 0.02);
}

// Chunks of a stream, not packets, are what is passed on as a whole.
TEST(StreamedJobs, LargePacketsChangeLittle) {
  const StreamedJob job(std::string(kDp20) + "overlap_weights: false\n");
  for (const char* on : {"wafer_mesh_5x4", "fred_c"}) {
    const auto weights = [&](const std::string& packets) {
      const Json results = job.run(
          on, "--set workload.model.transformer.hidden=256 --set wafer.fabric.packet_bytes=" + packets);
      return results["iterations"][0]["breakdown_s"]["exposed_weights"].get<double>();
    };
    EXPECT_NEAR(weights("32KiB") / weights("4KiB"), 1, 0.02) << on;
  }
}

// A chunk may come in when the one before the last is no longer needed, and not before.
TEST(StreamedJobs, DoubleBufferingKeepsTwoChunks) {
  const StreamedJob job(std::string(kDp20) + "overlap_weights: true\n");
  const Json results = job.run("wafer_mesh_5x4", "--set workload.effective_flops=1TFLOPS");
  std::vector<std::pair<double, double>> loads;  // last entry, end
  for (const auto& row : results["collectives"])
    if (row["type"] == "stream_in")
      loads.emplace_back(row["start_s"].get<double>() + row["skew_s"].get<double>(), row["end_s"]);
  ASSERT_EQ(loads.size(), 8U);
  const double visit = results["iterations"][0]["breakdown_s"]["compute"].get<double>() / 12;  // forward
  for (std::size_t k = 2; k < 4; ++k)
    EXPECT_NEAR(loads[k].first, loads[0].second + static_cast<double>(k - 1) * visit, visit / 50) << k;
}

// 96 blocks on two stages, two of them resident, two microbatches: (p - 1)/(v m + p - 1) with v = 48.
TEST(StreamedJobs, TheLoopOfResidentLayersHasAnIdlePartOfOne97th) {
  const StreamedJob job(
      "parallelism: MP(2)-DP(2)-PP(2)\nsamples_per_replica: 2\nmicrobatches: 2\nchunks_per_stage: 48\n"
      "stage_transfer: multicast\noverlap_weights: false\neffective_flops: 100 MFLOPS\n",
      96);
  const Json results = job.run("fred_c", "--set wafer.fabric.packet_bytes=1MiB --set run.watchdog=10000s");
  const auto& iteration = results["iterations"][0];
  const double busy = iteration["breakdown_s"]["compute"].get<double>() / iteration["time_s"].get<double>();
  EXPECT_NEAR(1 - busy, 1.0 / 97, 0.0003);
}

TEST(StreamedJobs, TracesGiveTheSameTime) {
  for (const char* delivery : {"broadcast", "needed"}) {
    const StreamedJob job(std::string(kMpDpPp) +
                          "input: streamed\nplacement: row_major\nweight_loads_per_pass: 2\n" +
                          "weight_delivery: " + delivery + "\n");
    const Json direct = job.run("wafer_mesh_5x4");
    const test::ToolResult generated =
        test::run_tool("workload generate " + job.file() + " --out " + job.folder() + "/traces");
    ASSERT_EQ(generated.exit_code, 0) << generated.error;
    job.files().write("traced.yaml",
                      "workload: small\nchakra: traces/job\ncomm_groups: traces/job.comm_groups.json\n");
    const Json replayed = job.run("wafer_mesh_5x4", "", "traced.yaml");
    EXPECT_EQ(test::times_of(direct), test::times_of(replayed));
    EXPECT_EQ(test::without_groups(direct["collectives"]), test::without_groups(replayed["collectives"]));
    const test::ToolResult checked =
        test::run_tool("trace check " + job.folder() + "/traces/job --comm-groups " + job.folder() +
                       "/traces/job.comm_groups.json");
    EXPECT_EQ(checked.exit_code, 0) << checked.error;
    const test::ToolResult info = test::run_tool("trace info " + job.folder() + "/traces/job");
    EXPECT_NE(info.out.find("streams"), std::string::npos) << info.out;
  }
}

TEST(StreamedJobs, TracesOfOthersAreChecked) {
  const test::TempFolder folder;
  const auto write = [&](int rank, const std::string& type, const std::string& attribute) {
    folder.write("t." + std::to_string(rank) + ".json",
                 R"({"workload_graph": [
{"Id": 1, "Name": "in", "NodeType": 7, "data_deps": [], "is_cpu_op": false, "comm_type": 5, "comm_size": 10,
 "wafertlm_io": true, "wafertlm_class": "weights"},
{"Id": 2, "Name": "out", "NodeType": 7, "data_deps": [1], "is_cpu_op": false, "comm_type": )" +
                     type + R"(, "comm_size": 1000, "wafertlm_class": "weights")" + attribute + "}]}\n");
  };
  const std::string experiment =
      folder.write("e.yaml", "experiment: e\nplatform: " + platform("fred_c") + "\nworkload: {chakra: t}\n");
  const auto run = [&](const std::string& overrides = "") {
    return test::run_tool("run " + experiment + " --out " + folder.path() + "/out " + overrides);
  };
  const std::string io = ", \"wafertlm_io\": true";
  write(0, "1", io);
  write(1, "1", io);
  EXPECT_EQ(run().exit_code, 0) << run().error;
  EXPECT_NE(run("--set wafer.io.controllers=none").error.find("wafer.io.controllers"), std::string::npos);
  write(1, "0", io);
  EXPECT_NE(run().error.find("wafertlm_io is for collectives"), std::string::npos);
  write(1, "1", "");
  EXPECT_NE(run().error.find("is REDUCE through the I/O controllers of 1000 B"), std::string::npos);
  EXPECT_EQ(run().exit_code, 2);
}

// On 5x4 the link to the last router of a row carries 9 shares of a load, and 3 of a store. MP(2)-DP(5)-PP(2)
// has a share of the model for each row: of what is needed a row gets all that comes in at its own end, 1,
// and a quarter of what comes in above and below: 1 + 8/4 = 3 shares; 1 + 2/4 of a store. Two loads and a
// store; nothing else goes along rows.
TEST(StreamedJobs, WhatIsNeededPutsAThirdOnTheBusiestLink) {
  const std::pair<const char*, double> cases[] = {{"broadcast", 2 * 9 + 3}, {"needed", 2 * 3 + 1.5}};
  for (const auto& [delivery, shares] : cases) {
    const StreamedJob job(
        "parallelism: MP(2)-DP(5)-PP(2)\nsamples_per_replica: 1\nchunks_per_stage: 2\n"
        "effective_flops: 100 TFLOPS\nweight_delivery: " +
        std::string(delivery) + "\n");
    const Json results = job.run("wafer_mesh_5x4");
    const double share = static_cast<double>(carried(results, true).sum) / 2 / 18;
    double most = 0;
    for (const auto& link : results["links"])
      if (link["name"] == "router3->router4" || link["name"] == "router13->router14")
        most = std::max(most, link["bytes"].get<double>());
    EXPECT_NEAR(most / share, shares, 0.06) << delivery;
  }
}

TEST(StreamedJobs, ShowCountsWhatGoesThroughTheControllers) {
  const StreamedJob job(std::string(kMpDpPp) + "input: streamed\n");
  const test::ToolResult shown = test::run_tool("workload show " + job.file() + " --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  std::uint64_t in = 0, out = 0, input = 0;
  const Json totals = Json::parse(shown.out);
  for (const auto& rank : totals["ranks"]) {
    in += rank["classes"]["weights"]["io_in_bytes"].get<std::uint64_t>();
    out += rank["classes"]["weights"]["io_out_bytes"].get<std::uint64_t>();
    if (rank["classes"].contains("input"))
      input += rank["classes"]["input"]["io_in_bytes"].get<std::uint64_t>();
    EXPECT_EQ(rank["classes"]["weights"]["streamed_in_bytes"], 2 * kOnTwoStages);
    EXPECT_GT(rank["memory_bytes"]["streaming"], 0);
    EXPECT_EQ(rank["memory_bytes"]["optimizer"], 0);
  }
  EXPECT_EQ(in, 2 * kOnTwoStages);
  EXPECT_EQ(out, kOnTwoStages);
  EXPECT_EQ(input, 3U * 4 * 4 * kSequence);  // replicas, samples, 4 B a token
}

TEST(StreamedJobs, NeedIoControllersAndWhatFits) {
  const StreamedJob job(kDp20);
  const auto refused = [&](const std::string& overrides, const std::string& on = "wafer_mesh_5x4") {
    const test::ToolResult result = job.try_run(on, overrides);
    EXPECT_EQ(result.exit_code, 2) << overrides;
    return result.error;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string none = refused("--set wafer.io.controllers=none");
  EXPECT_TRUE(has(none, "weights") && has(none, "job.yaml") && has(none, "perimeter")) << none;
  const std::string zero = refused("--set workload.zero_stage=2");
  EXPECT_TRUE(has(zero, "zero_stage: 0")) << zero;
  const std::string needed = refused("--set workload.weight_delivery=needed");
  EXPECT_TRUE(has(needed, "use broadcast")) << needed;
  const std::string large = refused("--set npu.hbm.capacity=1MB");
  EXPECT_TRUE(has(large, "streaming buffers")) << large;
  const std::string loads = refused("--set workload.weight_loads_per_pass=3");
  EXPECT_TRUE(has(loads, "values that do: 2")) << loads;
}

}  // namespace
}  // namespace wafertlm
