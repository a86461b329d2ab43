// SPDX-License-Identifier: Apache-2.0
// HBM by rows and banks in whole runs: through the keys, into results.json and the terminal.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::TempFolder;
using test::ToolResult;

const std::string kSource = WAFERTLM_SOURCE_DIR;

struct MemoryKeys : testing::Test {
  TempFolder folder;
  std::string experiment = folder.write(
      "e.yaml",
      "experiment: memory\n"
      "platform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 750 GB/s}}, npu: {hbm: "
      "{level: burst, "
      "generation: hbm3, capacity: 16 GB}, endpoint: {memory: hbm}}}\n"
      "workload: {model: {model: one, layers: [{name: a, parameters: 1000000, forward_operations: "
      "1000000000}]}, "
      "parallelism: DP(2), samples_per_replica: 1, effective_flops: 400 TFLOPS}\n");
  ToolResult run(const std::string& options) {
    return run_tool("run " + experiment + " --out " + folder.path() + "/out" + " " + options);
  }
};

TEST_F(MemoryKeys, TheAccountOfEveryMemoryClosesExactly) {
  const ToolResult result = run("");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("of their pins' bandwidth"), std::string::npos) << result.out;
  std::ifstream file(folder.path() + "/out" + "/results.json");
  const auto json = nlohmann::json::parse(file);
  for (const auto& memory : json["memories"]) {
    EXPECT_GT(memory["bytes_read"], 0);
    std::uint64_t sum = 0;
    for (const auto& [cause, fs] : memory["time_of_all_channels_fs"].items()) sum += fs.get<std::uint64_t>();
    const std::uint64_t channels = memory["channels"],
                        whole_fs = channels * memory["channel_time_fs"].get<std::uint64_t>();
    EXPECT_EQ(sum, whole_fs);
    // Of the mean channel: a part of the time, and seconds.
    EXPECT_DOUBLE_EQ(memory["busy_fraction"].get<double>() * static_cast<double>(whole_fs),
                     memory["time_of_all_channels_fs"]["busy"].get<double>());
    EXPECT_GT(memory["busy_fraction"], 0);
    for (const auto& [cause, fs] : memory["time_of_all_channels_fs"].items()) {
      if (cause == "busy") continue;
      EXPECT_DOUBLE_EQ(memory["lost"][cause + "_s"].get<double>(),
                       fs.get<double>() * 1e-15 / static_cast<double>(channels))
          << cause;
    }
    EXPECT_EQ(memory["lost"].size() + 1, memory["time_of_all_channels_fs"].size());
  }
}

// With flow: what is not lost goes at the bandwidth of the pins, and is the time in which the memory is busy.
TEST_F(MemoryKeys, BytesAndLossesOfFlowMakeUpTheWholeTime) {
  const ToolResult result =
      run("--set platform.npu.hbm.level=flow --set platform.npu.hbm.efficiency=" + kSource +
          "/configs/memory/hbm3.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  std::ifstream file(folder.path() + "/out" + "/results.json");
  const auto json = nlohmann::json::parse(file);
  const double end_s = json["iteration_time_s"];
  ASSERT_EQ(json["memories"].size(), 2U);
  for (const auto& memory : json["memories"]) {
    const double bytes = memory["bytes_read"].get<double>() + memory["bytes_written"].get<double>();
    const double busy_s = memory["busy_fraction"].get<double>() * end_s;
    EXPECT_GT(bytes, 0);
    EXPECT_NEAR(bytes / busy_s, 819.2e9, 1e3);
    EXPECT_NEAR(memory["lost"]["too_few_outstanding_s"].get<double>() +
                    memory["lost"]["efficiency_s"].get<double>() + busy_s,
                end_s, 1e-12);
    EXPECT_GT(memory["lost"]["efficiency_s"], 0);
  }
}

TEST_F(MemoryKeys, RefusesKeysThatWouldChangeNothing) {
  const auto refused = [this](const std::string& options, const std::string& part) {
    const ToolResult result = run(options);
    EXPECT_EQ(result.exit_code, 2) << options;
    EXPECT_NE(result.error.find(part), std::string::npos) << result.error;
  };
  const std::string set = "--set platform.npu.hbm.";
  refused(set + "level=flow", "needs the efficiency of the generation");
  refused(set + "level=flow " + set + "efficiency=" + kSource + "/configs/memory/hbm2.yaml", "that of hbm2");
  refused(set + "address_map='row bnak'", "no field 'bnak'");
  refused(set + "address_map='channel row:4 bank group:1 column group:1'", "give 'row' more bits");
  refused(set + "capacity=80GB", "more stacks");
  refused(set + "write_low=40", "below its high mark");
  refused("--set platform.npu.compute.tile_bytes=2MiB",
          "no effect without 'platform.npu.compute.operands: hbm'");
}

TEST_F(MemoryKeys, SaysThatAWorkloadHasNoOperands) {
  const ToolResult result = run("--set platform.npu.compute.operands=hbm");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("operands: hbm had no effect"), std::string::npos) << result.out;
  EXPECT_EQ(run("").out.find("had no effect"), std::string::npos);
}

/// X·W forward and Xᵀ·dY backward (the first layer has no input gradient), X with a row for each sample.
TEST_F(MemoryKeys, AModelReadsTheFactorsOfItsProducts) {
  const std::string path = folder.write(
      "shape.yaml",
      "experiment: shape\n"
      "platform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 750 GB/s}}, "
      "npu: {hbm: {level: burst, generation: hbm3, capacity: 16 GB}, compute: {operands: hbm}}}\n"
      "workload: {model: {model: one, perceptron: [1024, 512]}, parallelism: DP(2), "
      "samples_per_replica: 8, effective_flops: 400 TFLOPS}\n");
  constexpr std::uint64_t kElements = (8 * 1024 + 1024 * 512) + (1024 * 8 + 8 * 512);
  const std::string compute = " --set platform.npu.compute.",
                    fp32 = compute + "precision=fp32" + compute + "fp32.peak=500TFLOPS";
  for (const auto& [options, bytes] : {std::pair{std::string(), 2U}, std::pair{fp32, 4U}}) {
    const std::string out = folder.path() + "/shape" + std::to_string(bytes);
    const ToolResult result = run_tool("run " + path + " --out " + out + options);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result.out.find("had no effect"), std::string::npos);
    std::ifstream file(out + "/results.json");
    const auto json = nlohmann::json::parse(file);
    EXPECT_EQ(json["memories"].size(), 2U);
    for (const auto& memory : json["memories"]) EXPECT_EQ(memory["bytes_read"], kElements * bytes);
  }
}

/// Three layers of odd sizes on two NPUs, their operands one behind the other.
TEST_F(MemoryKeys, FlowAndBurstAgreeAboutOperands) {
  folder.write("layers.yaml",
               "model: odd\nlayers:\n"
               "  - {name: a, parameters: 2500000, forward_operations: 4000000, activation_bytes: 1000000}\n"
               "  - {name: b, parameters: 1234567, forward_operations: 4000000, activation_bytes: 333333}\n"
               "  - {name: c, parameters: 1000001, forward_operations: 1000000, activation_bytes: 99999}\n");
  const std::string operands = folder.write(
      "operands.yaml",
      "experiment: operands\n"
      "platform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 750 GB/s}}, npu: {hbm: "
      "{level: burst, generation: hbm3, capacity: 16 GB}, compute: {operands: hbm}}}\n"
      "workload: {workload: w, layers: layers.yaml, data_parallel: 2, batch_per_npu: 16, effective_rate: 400 "
      "TFLOPS}\n");
  const auto time = [&](const std::string& options) {
    const std::string out = folder.path() + "/operands";
    const ToolResult result = run_tool("run " + operands + " --out " + out + " " + options);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result.out.find("had no effect"), std::string::npos);
    std::ifstream file(out + "/results.json");
    return nlohmann::json::parse(file)["iteration_time_s"].get<double>();
  };
  const double burst = time(""),
               flow = time("--set platform.npu.hbm.level=flow --set platform.npu.hbm.efficiency=" + kSource +
                           "/configs/memory/hbm3.yaml");
  EXPECT_NEAR(flow / burst, 1, 0.05);
}

TEST_F(MemoryKeys, LevelsAndMapsChangeTheTime) {
  const auto time = [this](const std::string& options) {
    const ToolResult result = run(options);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    std::ifstream file(folder.path() + "/out" + "/results.json");
    return nlohmann::json::parse(file)["iteration_time_s"].get<double>();
  };
  const double hashed = time("");
  EXPECT_GT(time("--set platform.npu.hbm.address_map='channel row:15 bank group:1 column group:1'"),
            2 * hashed);
  const double flow = time("--set platform.npu.hbm.level=flow --set platform.npu.hbm.efficiency=" + kSource +
                           "/configs/memory/hbm3.yaml");
  EXPECT_NEAR(flow / hashed, 1, 0.3);
}

}  // namespace
}  // namespace wafertlm
