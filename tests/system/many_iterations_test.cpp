// SPDX-License-Identifier: Apache-2.0
// Of more than 100 iterations results list the first ten and the last, and how the times of all are
// distributed; everything else is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using nlohmann::json;

/// Two ranks compute, each as long as chance has it, and reduce.
class ManyIterations : public testing::Test {
 protected:
  ManyIterations() {
    chakra::Node reduce = make_node(2, chakra::NodeType::CommColl, 0, {1});
    reduce.comm_type = chakra::CollectiveType::AllReduce;
    reduce.comm_size = 4096;
    chakra::VectorSource source("rank", {compute(1, 10'000'000), reduce});
    chakra::write_trace_file(source, folder_.path() + "/job.0.et");
    file_ = folder_.write("e.yaml",
                          "experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 1, fabric: "
                          "{link_bandwidth: 100 GB/s}}}\nworkload: {workload: w, chakra: job.0.et, "
                          "replicate: 2}\n");
  }
  std::string out(const std::string& name) const { return folder_.path() + "/" + name; }
  json run(const std::string& name, const std::string& settings) {
    const ToolResult result = run_tool("run " + file_ + " --out " + out(name) + " --set " + settings);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    summary = result.out;
    return json::parse(read_text(out(name) + "/results.json"));
  }
  const TempFolder folder_;
  std::string file_, summary;
};

TEST_F(ManyIterations, AreListedFirstAndLast) {
  for (const char* const barrier : {"false", "true"}) {
    const std::string settings =
        std::string("iterations=400 npu.compute.jitter=uniform npu.compute.jitter_percent=20 barrier=") +
        barrier;
    json some = run("some", settings);
    const json all = run("all", settings + " list_all_iterations=true");
    ASSERT_EQ(all["iterations"].size(), 400U);
    EXPECT_FALSE(all.contains("iteration_times"));
    // The listed iterations are the same, with their numbers.
    ASSERT_EQ(some["iterations"].size(), 11U);
    for (std::size_t i = 0; i < 11; ++i) {
      const std::size_t number = i < 10 ? i : 399;
      EXPECT_EQ(some["iterations"][i]["number"], number);
      some["iterations"][i].erase("number");
      EXPECT_EQ(some["iterations"][i], all["iterations"][number]);
    }
    // The distribution is that of all.
    std::vector<std::uint64_t> times_ps;
    double sum_ps = 0;
    for (const json& each : all["iterations"]) {
      times_ps.push_back(each["time_ps"].get<std::uint64_t>());
      sum_ps += each["time_ps"].get<double>();
    }
    std::sort(times_ps.begin(), times_ps.end());
    ASSERT_LT(times_ps.front(), times_ps.back());
    const json& times = some["iteration_times"];
    EXPECT_EQ(times["count"], 400);
    const std::pair<const char*, std::size_t> ranks[] = {
        {"min_s", 1}, {"median_s", 200}, {"p90_s", 360}, {"p99_s", 396}, {"max_s", 400}};
    for (const auto& [name, rank] : ranks)
      EXPECT_DOUBLE_EQ(times[name].get<double>(), 1e-12 * static_cast<double>(times_ps[rank - 1])) << name;
    EXPECT_NEAR(times["mean_s"].get<double>(), 1e-12 * sum_ps / 400, 1e-14);
    // Collectives are those of listed iterations, with what began in the last but one of them.
    EXPECT_EQ(some["collectives_total"], 400);
    EXPECT_EQ(all["collectives_total"], 400);
    EXPECT_LE(some["collectives"].size(), 13U);
    for (const json& each : some["collectives"])
      EXPECT_NE(std::find(all["collectives"].begin(), all["collectives"].end(), each),
                all["collectives"].end());
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(some["collectives"][i], all["collectives"][i]);
    EXPECT_EQ(some["collectives"].back(), all["collectives"].back());
    for (const char* const same : {"iteration_time_s", "critical_path", "links", "memories"})
      EXPECT_EQ(some[same], all[same]) << same;
  }
}

TEST_F(ManyIterations, HaveResultsOfFewBytes) {
  const json results = run("out", "iterations=100000");
  EXPECT_EQ(results["iteration_times"]["count"], 100'000);
  EXPECT_LT(std::filesystem::file_size(out("out") + "/results.json"), 1'000'000U);
  EXPECT_LT(summary.size(), 20'000U);
  EXPECT_NE(summary.find("All 100000 iterations: "), std::string::npos);
  const ToolResult compared = run_tool("compare " + out("out") + " " + out("out"));
  EXPECT_EQ(compared.exit_code, 0) << compared.error;
  // Only the first ten are simulated again.
  const ToolResult explained = run_tool("explain " + out("out") + " --quick");
  EXPECT_EQ(explained.exit_code, 0) << explained.error;
  EXPECT_EQ(explained.out.substr(0, 35), "e: iteration 10 of 100000 takes 10.") << explained.out;
}

}  // namespace
}  // namespace wafertlm::test
