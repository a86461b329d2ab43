// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

const std::string kLlama = std::string(WAFERTLM_SOURCE_DIR) + "/configs/goodput/llama3_405b.yaml";

// 54 days / 419 = 11,135 s; published: above 90 %.
TEST(GoodputCommand, Llama3IsAsPublished) {
  const auto result = test::run_tool("goodput --json " + kLlama);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_NEAR(report["mtbf_s"], 54 * 86'400. / 419, 1e-6);
  EXPECT_NEAR(report["policies"][0]["goodput"], 0.9, 0.03);
  EXPECT_GE(report["policies"][0]["goodput"], 0.9);
  EXPECT_NEAR(report["expected"], report["policies"][0]["goodput"], 0.001);
  ASSERT_EQ(report["policies"].size(), 4U);
  const auto& intervals = report["intervals"];
  ASSERT_EQ(intervals.size(), 4U);
  EXPECT_NEAR(intervals[0]["interval_s"], std::sqrt(2 * 2.835 * 54 * 86'400 / 419), 1e-6);
  EXPECT_NEAR(intervals[3]["interval_s"].get<double>() / intervals[1]["interval_s"].get<double>(), 1, 0.1);
  double share = 0;
  for (const auto& part : report["parts"]) share += part["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  // 148 of 16,384 GPUs in 1296 hours.
  EXPECT_NEAR(report["parts"][0]["fit"], 148e9 / 16'384 / 1296, 1e-6);
}

TEST(GoodputCommand, EqualSeedsGiveEqualText) {
  const std::string command = "goodput --set seeds=5 " + kLlama;
  const auto first = test::run_tool(command);
  EXPECT_NE(first.out.find("Best interval"), std::string::npos) << first.out;
  EXPECT_EQ(first.out, test::run_tool(command).out);
  EXPECT_NE(first.out, test::run_tool(command + " --set seed=2").out);
}

TEST(GoodputCommand, BadInputIsRefusedWithItsPlace) {
  const test::TempFolder folder;
  const std::string begin = "goodput: x\nrun_days: 1\nparts: [{part: a, count: 10, ",
                    good = begin + "mtbf_hours: 10}]\n", time = "checkpoint_time: 10 s\n";
  EXPECT_EQ(test::run_tool("goodput " + folder.write("x.yaml", good + time)).exit_code, 0);
  const auto refused = [&](const std::string& text, const std::string& part) {
    const auto result = test::run_tool("goodput " + folder.write("x.yaml", text));
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.error.find(part), std::string::npos) << part << " is not in " << result.error;
  };
  refused(good, "give either 'checkpoint_time'");
  refused(good + time + "checkpoint_bytes: 1 TB\n", "go together");
  refused(good + time + "checkpoint_bytes: 1 TB\ncheckpoint_bandwidth: 1 TB/s\n", "give either");
  refused(begin + "}]\n" + time, "x.yaml:3:");
  refused(begin + "fit: 3, mtbf_hours: 3}]\n" + time, "give one of");
  refused(begin + "failures: 3}]\n" + time, "needs 'observed_days'");
  refused(good + "checkpoint_time: 1800 s\n", "x.yaml:4:18: checkpoint_time: a checkpoint takes 1800 s");
  refused(good + time + "detect: 40000 s\n", "a restart takes");
  refused(good + time + "shrink: {groups: 1, reconfigure: 1 s, repair_hours: 1}\n", "x.yaml:5:18");
  refused("goodput: x\nparts: [{part: a, count: 10, mtbf_hours: 1}]\n" + time +
              "run_days: 100000\nseeds: 100000\n",
          "x.yaml:4:11: run_days: 'run_days' and 'seeds' have more than 1e9 failures");
}

}  // namespace
}  // namespace wafertlm
