// SPDX-License-Identifier: Apache-2.0
// What `wafertlm check` says of fabrics, against counts by hand.
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

std::string checked(const std::string& preset, const std::string& more = "") {
  const test::ToolResult result =
      test::run_tool("check " WAFERTLM_SOURCE_DIR "/configs/platforms/" + preset + ".yaml " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.out;
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << " is not in:\n" << text;
}

TEST(Check, AMesh) {
  const std::string text = checked("wafer_mesh_5x4");
  expect_line(text, "wafer     5 x 4 mesh, 20 NPUs");
  expect_line(text, "links     750.0 GB/s, latency 20.00 ns, router 0 ps, credit 20.00 ns");
  // 750 GB/s for 40 ns there and back, and two packets of 4 KiB.
  expect_line(text, "buffers   38.19 kB per input and virtual channel (auto)");
  expect_line(text, "I/O       18 controllers of 128.0 GB/s each");
  expect_line(text, "class     dp       virtual channels 2 to 2, priority 1");
  expect_line(checked("wafer_mesh_5x4", "--set wafer.fabric.input_buffer=256KiB"),
              "buffers   256 KiB per input and virtual channel (given)");
}

// L1: 4 NPUs, an uplink of 12 TB/s as four ports, and up to 4 of the 18 controllers; L2: 5 such uplinks.
TEST(Check, Fred) {
  const std::string text = checked("fred_c");
  expect_line(text, "wafer     5 L1 switches with 4 NPUs, 1 L2");
  EXPECT_NE(text.find("\nswitch L1 12 ports of 3.000 TB/s, "), std::string::npos) << text;
  EXPECT_NE(text.find("\nswitch L2 20 ports of 3.000 TB/s, "), std::string::npos) << text;
}

// A wafer has 31 pairs of neighbours, 20 NPUs and 18 controllers, each with a link both ways; outside there
// are 18 switches with four cables. Switches are routers, controllers and those outside.
TEST(Check, GraphsAndSeveralWafers) {
  expect_line(checked("wafers_4_mesh_5x4"),
              "fabric    4 wafers of 5 x 4: 80 NPUs, " + std::to_string(4 * (20 + 18) + 18) + " switches, " +
                  std::to_string(4 * 2 * (31 + 20 + 18) + 2 * 18 * 4) + " links (each direction counts)");
  expect_line(checked("wafers_4_mesh_5x4"),
              "outer     switch, links of 128.0 GB/s, latency 500.0 ns, credit "
              "500.0 ns");
  // A wafer of FRED has 20 NPUs, 5 uplinks and 18 controllers; 5 + 1 switches.
  expect_line(checked("wafers_4_fred_a"), "fabric    4 wafers of 5 L1 switches with 4 NPUs, 1 L2: 80 NPUs, " +
                                              std::to_string(4 * (6 + 18) + 18) + " switches, " +
                                              std::to_string(4 * 2 * (20 + 5 + 18) + 2 * 18 * 4) +
                                              " links (each direction counts)");
  expect_line(checked("wafers_3_wse3"),
              "outer     direct, links of 12.50 GB/s, 12.25 GB/s for packets in frames of 4096 + 82 B (RoCE "
              "v2), latency 1.880 us, credit 4.238 us");
  expect_line(checked("graph_fat_tree_16"), "fabric    fat tree of 16: 16 NPUs, 6 switches, " +
                                                std::to_string(2 * (16 + 4 * 2)) +
                                                " links (each direction counts)");
}

/// Of a file in `folder`, or what is refused.
std::string checked_file(const test::TempFolder& folder, const std::string& text,
                         const std::string& more = "") {
  const test::ToolResult result = test::run_tool("check " + folder.write("f.yaml", text) + " " + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.out;
}

// DP(4)-PP(2) of two layers: nodes and collectives are those of the traces that the workload makes.
TEST(Check, AnExperimentAndItsWorkload) {
  const test::TempFolder folder;
  const std::string workload =
      "workload: small\nmodel: {model: two, layers: [{name: a, parameters: 200000, forward_operations: "
      "100000000}, "
      "{name: b, parameters: 100000, forward_operations: 200000000}]}\nparallelism: "
      "DP(4)\nsamples_per_replica: "
      "4\neffective_flops: 10 TFLOPS\n";
  const std::string file = folder.write("w.yaml", workload);
  EXPECT_EQ(checked_file(folder, workload), "workload  small\nok\n");
  ASSERT_EQ(test::run_tool("workload generate " + file + " --out " + folder.path() + "/traces").exit_code, 0);
  std::uint64_t nodes = 0, collectives = 0;
  for (const char* const rank : {"0", "1", "2", "3"}) {
    const auto trace = chakra::open_trace(folder.path() + "/traces/w." + rank + ".et");
    for (chakra::Node node; trace->next(node); ++nodes) collectives += node.is_collective() ? 1 : 0;
  }
  EXPECT_GE(collectives, 4U);
  const std::string text = checked_file(folder, "experiment: e\nplatform: " WAFERTLM_SOURCE_DIR
                                                "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: w.yaml\n");
  EXPECT_EQ(
      text.rfind(
          "experiment e, 1 iteration\nplatform  wafer mesh 5x4, 20 NPUs\nwafer     5 x 4 mesh, 20 NPUs\n", 0),
      0U)
      << text;
  expect_line(text, "workload  small: 4 ranks, " + std::to_string(nodes) + " nodes, " +
                        std::to_string(collectives) + " entries into collectives");
  EXPECT_EQ(text.substr(text.size() - 4), "\nok\n");
}

TEST(Check, AWorkloadIsResolvedWithItsLines) {
  const test::TempFolder folder;
  const std::string text = checked_file(folder,
                                        "workload: w\nlayers: resnet50\ndata_parallel: 2\nbatch_per_npu: "
                                        "4\neffective_rate: 1 TFLOPS\n",
                                        "--resolved");
  for (const char* const line : {"workload: \"w\"  # f.yaml:1", "layers: resnet50  # f.yaml:2",
                                 "data_parallel: 2  # f.yaml:3", "effective_rate: 1 TFLOPS  # f.yaml:5"})
    expect_line(text, line);
}

TEST(Check, AModel) {
  const test::TempFolder folder;
  EXPECT_EQ(checked_file(folder,
                         "model: two\nlayers: [{name: a, parameters: 1500, forward_operations: 2}, {name: b, "
                         "parameters: 500, forward_operations: 4}]\n"),
            "model     two: 2.000 k parameters, 6 operations forward per sample, 2 blocks\nok\n");
}

TEST(Check, AStudyHasACellForEachCombination) {
  const test::TempFolder folder;
  const std::string study =
      "study: s\ncommand: collective\nfile: " WAFERTLM_SOURCE_DIR
      "/configs/platforms/wafer_mesh_5x4.yaml\narguments: [--type, all_reduce]\naxes: [{axis: a, values: "
      "[{name: x, "
      "set: [wafer.width=4]}, {name: y, set: [wafer.width=5]}, {name: z, set: [wafer.width=6]}]}]\ncolumns: "
      "[{column: t, read: \"rows[0].time_s\"}]\n";
  EXPECT_EQ(checked_file(folder, study), "study     s: 3 cells\nok\n");
  const std::string resolved = checked_file(folder, study, "--resolved");
  EXPECT_EQ(resolved.find("cells\n"), std::string::npos);
  // Every value with the line that set it.
  for (const char* const line :
       {"study: \"s\"  # f.yaml:1", "command: collective  # f.yaml:2",
        "arguments: [\"--type\", \"all_reduce\"]  # f.yaml:4", "except: []  # default", "axes:  # f.yaml:5"})
    expect_line(resolved, line);
}

// Each kind of file of the presets; a row says what it is.
TEST(Check, FilesOfOneCommandAndPartsOfOthers) {
  const struct {
    const char *file, *text;
  } presets[] = {{"costs/libra_3d", "costs     LIBRA's network of three dimensions"},
                 {"endpoints/rdma", "endpoint  RDMA write"},
                 {"memory/hbm2", "efficiency burst level of WaferTLM 0.1.0, one stack and several"},
                 {"memory/timings/hbm3", "timings   hbm3"},
                 {"graphs/fat_tree_16", "graph     fat tree of 16: 16 NPUs"},
                 {"studies/comet_dlrm", "comet     DLRM on 128 nodes of 8 NPUs"},
                 {"studies/pipeline_small", "pipeline  Eight layers on three chiplets"},
                 {"studies/partition_small", "partition A layer on two workers: 1 layer, 2 workers"},
                 {"studies/tune_moe", "tune      Mixture of experts, two backends"},
                 {"studies/precision_training", "precision Training by number format"},
                 {"yield/wafer_20x20", "yield     20 x 20 NPUs, clusters"},
                 {"goodput/llama3_405b", "goodput   Llama 3 405B, 54 days"}};
  for (const auto& each : presets) {
    const std::string file = std::string("../") + each.file;
    EXPECT_EQ(checked(file), std::string(each.text) + "\nok\n");
    const test::ToolResult refused = test::run_tool("check " WAFERTLM_SOURCE_DIR "/configs/" +
                                                    std::string(each.file) + ".yaml --resolved");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.error.find("--set and --resolved have no effect on this kind of file"),
              std::string::npos)
        << refused.error;
  }
}

TEST(Check, AFileOfNoKindIsToldAllOfThem) {
  const test::TempFolder folder;
  const test::ToolResult none = test::run_tool("check " + folder.write("f.yaml", "x: 1\n"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(
      none.error.find(
          "expected one of: experiment, platform, workload, model, study, costs, accelerator, "
          "endpoint, efficiency, timings, cores, graph, tuning_table, comet, pipeline, partition, optimize, "
          "tune, precision, yield, goodput"),
      std::string::npos)
      << none.error;
  const test::ToolResult typo = test::run_tool("check " + folder.write("g.yaml", "optimise: o\n"));
  EXPECT_NE(typo.error.find("did you mean 'optimize'?"), std::string::npos) << typo.error;
}

TEST(SchemaCommand, OfOneKind) {
  const test::ToolResult tune = test::run_tool("schema --kind tune");
  EXPECT_EQ(tune.exit_code, 0) << tune.error;
  EXPECT_NE(tune.out.find("\"title\": \"WaferTLM tune file\""), std::string::npos);
  EXPECT_EQ(tune.out.find("\"link_latency\""), std::string::npos);
  EXPECT_NE(test::run_tool("schema --kind tun").error.find("tune"), std::string::npos);
  EXPECT_EQ(test::run_tool("schema --kind tune --results").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
