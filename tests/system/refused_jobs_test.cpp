// SPDX-License-Identifier: Apache-2.0
// Jobs that do not fit their platform, and options of a run that contradict each other: the whole message.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

class RefusedJobs : public testing::Test {
 protected:
  /// As many ranks of these nodes, on a 2x2 mesh or what else is given.
  void write_ranks(std::uint32_t ranks, const std::vector<chakra::Node>& nodes) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      chakra::VectorSource source("rank", nodes);
      chakra::write_trace(source, fmt::format("{}/job.{}.et", folder.path(), rank));
    }
  }
  std::string refusal(
      const std::string& options, const std::string& workload = "",
      const std::string& wafer = "{width: 2, height: 2, fabric: {link_bandwidth: 100 GB/s}}") {
    const std::string experiment =
        folder.write("e.yaml", "experiment: e\nplatform: {platform: p, wafer: " + wafer +
                                   "}\nworkload: {workload: w, chakra: job" + workload + "}\n");
    const ToolResult result = run_tool("run " + experiment + " --out " + folder.path() + "/out " + options);
    if (result.exit_code == 0) return "";
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out"));
    EXPECT_EQ(result.error.substr(0, 10), "wafertlm: ");
    return result.error.substr(10, result.error.size() - 11);
  }

  TempFolder folder;
};

TEST_F(RefusedJobs, MoreRanksThanNpus) {
  write_ranks(4, {compute(1, 10)});
  EXPECT_EQ(refusal(""), "");
  std::filesystem::remove_all(folder.path() + "/out");
  write_ranks(5, {compute(1, 10)});
  // What is advised, and its place, is of the platform's kind.
  const auto said = [&](const char* column, const std::string& keys) {
    return folder.path() + "/e.yaml:2:" + column +
           ": the workload has 5 ranks and the platform 4 NPUs; choose a larger platform (" + keys +
           "), or traces of fewer ranks";
  };
  EXPECT_EQ(refusal(""), said("40", "wafer.width, wafer.height"));
  EXPECT_EQ(refusal("", "",
                    "{width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s}, io: {controllers: perimeter, "
                    "latency: 1 ns}, outer: {wafers: 2, topology: ring, bandwidth: 1 GB/s, latency: 1 ns}}"),
            said("40", "wafer.width, wafer.height, wafer.outer.wafers"));
  EXPECT_EQ(refusal("", "", "{fabric: {kind: fred, l1_switches: 2, npus_per_l1: 2, l1_uplink: 1 TB/s}}"),
            said("67", "wafer.fabric.l1_switches, wafer.fabric.npus_per_l1"));
  EXPECT_EQ(refusal("", "",
                    "{fabric: {kind: dimensional, dimensions: [{topology: ring, size: 4, bandwidth: 1 GB/s, "
                    "latency: 1 ns}]}}"),
            said("97", "wafer.fabric.dimensions[0].size"));
  EXPECT_EQ(refusal("", "",
                    "{fabric: {kind: graph, file: {graph: g, npus: 4, switches: [{name: s}], links: "
                    "[{from: npu0, to: s, bandwidth: 1 GB/s, latency: 1 ns}, {from: npu1, to: s, bandwidth: "
                    "1 GB/s, latency: 1 ns}, "
                    "{from: npu2, to: s, bandwidth: 1 GB/s, latency: 1 ns}, {from: npu3, to: s, bandwidth: 1 "
                    "GB/s, latency: 1 ns}]}}}"),
            said("78", "wafer.fabric.file.npus"));
}

TEST_F(RefusedJobs, AnotherNumberOfWorkersThanTraces) {
  write_ranks(4, {compute(1, 10)});
  EXPECT_EQ(refusal("", ", placed_as: DP(3)"),
            "workload.placed_as is MP(1)-DP(3)-PP(1) with 3 workers, but there are traces of 4 ranks");
}

TEST_F(RefusedJobs, StreamsWithoutControllers) {
  chakra::Node stream = all_reduce(1, 0);
  stream.comm_type = chakra::CollectiveType::Broadcast;
  stream.io_stream = true;
  write_ranks(2, {stream});
  EXPECT_EQ(refusal(""),
            folder.path() +
                "/job.0.et: rank 0 takes part in streams through I/O controllers, of which the platform "
                "has none; set wafer.io.controllers");
}

TEST_F(RefusedJobs, AStragglerThatComputesNothing) {
  write_ranks(2, {compute(1, 10)});
  EXPECT_EQ(
      refusal("--set 'npu.compute.stragglers=[{npu: 2, slowdown_percent: 200}]'"),
      "npu.compute.stragglers: NPU 2 computes nothing, because none of the workload's ranks 0 to 1 is placed "
      "there; leave it out");
  EXPECT_EQ(refusal("--set 'npu.compute.stragglers=[{npu: 1, slowdown_percent: 200}]'"), "");
}

TEST_F(RefusedJobs, DimensionsThatTheFabricDoesNotHave) {
  chakra::Node node = all_reduce(1, 0);
  node.involved_dim = {true, false};
  write_ranks(2, {node});
  EXPECT_EQ(refusal(""),
            folder.path() +
                "/job.0.et: node 1 \"n1\": involved_dim leaves dimensions out, but the fabric has none; "
                "take a fabric of dimensions, or name the group of ranks (pg_name)");
}

TEST_F(RefusedJobs, AnArrayThatNothingRunsOn) {
  write_ranks(2, {compute(1, 10)});
  const std::string text =
      refusal("--set npu.compute.model=systolic 'npu.compute.systolic={rows: 8, columns: 8, clock: 1 GHz}'");
  EXPECT_EQ(text.substr(0, text.find(':', 20)), "npu.compute.model: systolic has no effect on this workload")
      << text;
}

TEST_F(RefusedJobs, OptionsThatContradictEachOther) {
  write_ranks(2, {compute(1, 10)});
  EXPECT_EQ(refusal("--signals npu0"), "--signals chooses what --vcd writes; give --vcd FILE too");
  EXPECT_EQ(refusal("--trace-file x"), "--trace-file is where --trace writes; give --trace 'npu*' too");
  EXPECT_EQ(refusal("--trace npu0 --trace-file x --vcd x"), "--vcd and --trace-file name the same file, x");
  for (const std::string name : {"results.json", "links.csv", "resolved.yaml", "transactions.sqlite"})
    EXPECT_EQ(refusal("--report=" + name),
              "--report=" + name + ": that is the name of another file of the run");
  EXPECT_EQ(refusal("--report=a/b.html"),
            "--report=a/b.html: give a name; the report is written into the folder of the results (--out)");
  EXPECT_EQ(refusal("--log 'npu*' nobody").substr(0, 42), "--log: no socket is called 'nobody'; there");
  EXPECT_EQ(refusal("--vcd x --signals 'hbm_?' hbm_9").substr(0, 38),
            "--signals: nothing is called 'hbm_9'; ");
  EXPECT_EQ(refusal("--trace npu4").substr(0, 33), "--trace: nothing is called 'npu4'");
  EXPECT_EQ(
      run_tool("run " + folder.path() + "/e.yaml --out " + folder.path() + "/new --vcd /nowhere/x.vcd").error,
      "wafertlm: --vcd /nowhere/x.vcd: the file cannot be written (No such file or directory)\n");
  EXPECT_EQ(run_tool("compare " + folder.path() + " x").error,
            "wafertlm: " + folder.path() +
                "/results.json cannot be read: No such file or directory; give a folder that `wafertlm run` "
                "has written\n");
}

TEST_F(RefusedJobs, ResultsThatAreNone) {
  const auto results = [](const std::string& time, const std::string& compute) {
    return R"({"host": {}, "iteration_time_s": )" + time +
           R"(, "iterations": [{"time_ps": 1, "breakdown_s": {"compute": )" + compute + "}}]}";
  };
  const auto compared = [&](const std::string& text) {
    const std::string file = folder.write("results.json", text);
    const ToolResult result =
        run_tool("compare " + file + " " + file + " --out " + folder.path() + "/c.html");
    EXPECT_EQ(result.error, result.exit_code == 0
                                ? ""
                                : "wafertlm: " + file + " is no complete results.json of `wafertlm run`\n");
    return result.exit_code;
  };
  EXPECT_EQ(compared(results("2", "1.5")), 0);
  EXPECT_EQ(compared("{}"), 2);
  for (const std::string no_time : {"\"1\"", "null", "-1", "1e7"}) {
    EXPECT_EQ(compared(results("2", no_time)), 2) << no_time;
    EXPECT_EQ(compared(results(no_time, "1.5")), 2) << no_time;
  }
}

}  // namespace
}  // namespace wafertlm::test
