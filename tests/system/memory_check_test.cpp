// SPDX-License-Identifier: Apache-2.0
// Does an NPU's memory hold what the ranks of a trace need at the same time? Through the executable.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::TempFolder;
using test::ToolResult;

class MemoryCheck : public testing::Test {
 protected:
  ToolResult run(const std::string& workload, const std::string& more) const {
    const std::string file = folder_.write(
        "x.yaml",
        "experiment: x\nplatform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 "
        "GB/s}}, npu: {peak: 100 TFLOPS, hbm: {capacity: 100 B}}}\nworkload: " +
            workload + "\n");
    return test::run_tool("run " + file + " --out " + folder_.path() + "/out " + more);
  }
  /// One rank of computations; each reads weights of 30 bytes of its own, which the first names if
  /// `name_all`.
  std::string traces(int nodes, bool name_all) const {
    nlohmann::json list = nlohmann::json::array();
    for (int k = 0; k < nodes; ++k) {
      nlohmann::json node = {{"Id", k},       {"Name", "layer " + std::to_string(k)},
                             {"NodeType", 4}, {"data_deps", nlohmann::json::array()},
                             {"runtime", 1},  {"is_cpu_op", false}};
      if (k > 0) node["data_deps"].push_back(k - 1);
      if (name_all || k > 0)
        node["inputs"] = {{"values", fmt::format("[[{}, {}, 0, 30, 1, 'cuda:0']]", 100 + k, k)},
                          {"shapes", "[[30]]"},
                          {"types", "['Tensor(unsigned char)']"}};
      list.push_back(node);
    }
    folder_.write("job.0.json", nlohmann::json{{"workload_graph", list}}.dump());
    return "{workload: w, chakra: " + folder_.path() + "/job}";
  }
  nlohmann::json check() const {
    return nlohmann::json::parse(test::read_text(folder_.path() + "/out/results.json"))["memory_check"];
  }
  TempFolder folder_;
};

// Each layer's weights fit by themselves.
TEST_F(MemoryCheck, FindsTheTotalOfATracesTensors) {
  ASSERT_EQ(run(traces(3, true), "").exit_code, 0);
  EXPECT_EQ(
      check(),
      (nlohmann::json{
          {"checked", true}, {"fits", true}, {"needed_bytes", 90}, {"rank", 0}, {"capacity_bytes", 100}}));
  const ToolResult refused = run(traces(4, true), "");
  EXPECT_EQ(refused.exit_code, 2);
  for (const char* part :
       {"job.0.json", "rank 0 needs 120 B", "20 B more", "npu.hbm.capacity", "hbm_overflow"})
    EXPECT_NE(refused.error.find(part), std::string::npos) << part << " is not in " << refused.error;
  const ToolResult noted = run(traces(4, true), "--set hbm_overflow=note");
  ASSERT_EQ(noted.exit_code, 0) << noted.error;
  EXPECT_EQ(check()["fits"], false);
  EXPECT_NE(noted.out.find("It does not fit: rank 0 needs 120 B"), std::string::npos) << noted.out;
}

TEST_F(MemoryCheck, SaysWhenATraceDoesNotTell) {
  const ToolResult result = run(traces(3, false), "--report");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("Memory not checked: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\"layer 0\" does not name its tensors"), std::string::npos) << result.out;
  EXPECT_EQ(check()["checked"], false);
  EXPECT_EQ(check()["fits"], nullptr);
  EXPECT_EQ(check()["needed_bytes"], 60);  // at least
  const std::string report = test::read_text(folder_.path() + "/out/report.html");
  EXPECT_NE(report.find("Memory not checked"), std::string::npos);
  EXPECT_NE(report.find("does not name its tensors"), std::string::npos);
  // What it does say is too much already.
  EXPECT_EQ(run(traces(5, false), "").exit_code, 2);
}

// Traces made of a model need what the model needs; a part of its iteration as much as all of it.
TEST_F(MemoryCheck, GeneratedTracesCarryTheAccountOfTheirModel) {
  const std::string model = folder_.write(
      "model.yaml",
      "workload: one\nmodel: {model: one, layers: [{name: a, parameters: 1000000, forward_operations: "
      "1000000000}]}\nparallelism: DP(2)\nsamples_per_replica: 3\neffective_flops: 250 TFLOPS\n");
  for (const std::string form : {"et", "json"}) {
    const std::string made = folder_.path() + "/made_" + form;
    ASSERT_EQ(test::run_tool("workload generate " + model + " --out " + made + " --form " + form).exit_code,
              0);
    const std::string workload = made + "/model.traces.yaml";
    const ToolResult refused = run(workload, "--set npu.hbm.capacity=10MB");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.error.find("6.000 MB more than the HBM"), std::string::npos) << refused.error;
    ASSERT_EQ(run(workload, "--set npu.hbm.capacity=16MB").exit_code, 0);
    EXPECT_EQ(check()["checked"], true);
    EXPECT_EQ(check()["needed_bytes"], 16'000'000);  // 2 + 2 + 12 bytes per parameter
  }
}

TEST_F(MemoryCheck, ATableOfLayersDoesNotTell) {
  const ToolResult result =
      run("{workload: t, layers: resnet50, data_parallel: 2, batch_per_npu: 1, effective_rate: 100 TFLOPS}",
          "--set npu.hbm.capacity=1GB");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("Memory not checked: "), std::string::npos) << result.out;
  EXPECT_EQ(check()["checked"], false);
}

}  // namespace
}  // namespace wafertlm
