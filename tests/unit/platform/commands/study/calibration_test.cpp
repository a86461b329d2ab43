// SPDX-License-Identifier: Apache-2.0
// Calibrations whose value is known: an iteration is 2 ms at 1 TFLOPS of compute, and communication that does
// not depend on it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/platform/commands/study/small_experiment.h"

namespace wafertlm {
namespace {

using nlohmann::json;

struct Found {
  double value = 0, reached = 0, steps = 0, communication_s = 0;
};

/// Which rate (in TFLOPS) makes `column` take `target`, within so many percent.
Found calibrated(const std::string& column, double target, double within_percent,
                 const std::string& between) {
  const test::TempFolder folder;
  folder.write("small.yaml", test::kSmallExperiment);
  const std::string study =
      folder.write("study.yaml",
                   "study: known\nfile: small.yaml\n"
                   "axes: [{axis: one, values: [x]}]\n"
                   "columns:\n"
                   "  - {column: time, read: iteration_time_s}\n"
                   "  - {column: dp, read: \"iterations[-1].breakdown_s.exposed_dp\"}\n"
                   "  - {column: share, divide: dp, by: time}\n"
                   "calibrate:\n"
                   "  - {calibration: it, at: {one: x}, in: {}, key: workload.effective_flops, between: [" +
                       between + "], column: " + column + ", target: " + std::to_string(target) +
                       ", within_percent: " + std::to_string(within_percent) + "}\n");
  const test::ToolResult result =
      test::run_tool("study " + study + " --jobs 2 --out " + folder.path() + "/out");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  if (result.exit_code != 0) return {};
  const json all = json::parse(test::read_text(folder.path() + "/out/results.json"));
  const json& row = all["calibrations"][0];
  const std::string value = row["value"];
  EXPECT_EQ(value.substr(value.find(' ')), " TFLOPS");
  return {std::stod(value), row["reached"], row["steps"], all["cells"][0]["values"]["dp"]};
}

TEST(Calibration, FindsKnownValues) {
  double worst = 0;
  for (const double within : {1.0, 0.1, 0.01})
    for (const double target : {1.5e-3, 0.2e-3, 0.05e-3}) {
      const Found found = calibrated("time", target, within, "1 TFLOPS, 1000 TFLOPS");
      const double exact = 2e-3 / (target - found.communication_s);
      worst = std::max(worst, std::abs(found.value / exact - 1) / (within / 100));
      EXPECT_NEAR(found.value, exact, exact * within / 100) << target;
      EXPECT_NEAR(found.reached, target, target * within / 100);
      // Halving alone takes 2 + log2(ln 1000 / within) steps: 11 to 18. A line over 1/key ends sooner.
      EXPECT_LE(found.steps, 6) << target << " within " << within;
    }
  std::printf("the worst is off by %.3f of what it may be\n", worst);
}

// A column that rises with the key.
TEST(Calibration, FindsKnownValuesOfWhatRises) {
  for (const double target : {0.05, 0.3}) {
    const Found found = calibrated("share", target, 0.1, "1 TFLOPS, 1000 TFLOPS");
    const double exact = 2e-3 / (found.communication_s / target - found.communication_s);
    EXPECT_NEAR(found.value, exact, exact * 1e-3);
    EXPECT_NEAR(found.reached, target, target * 1e-3);
  }
}

}  // namespace
}  // namespace wafertlm
