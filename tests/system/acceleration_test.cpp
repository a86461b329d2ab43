// SPDX-License-Identifier: Apache-2.0
// run.acceleration: what repeats is skipped, and every figure is what it is when all is simulated.
#include <gtest/gtest.h>

#include "tests/support/random_cases.h"
#include "tests/support/random_job.h"
#include "tests/support/trace_jobs.h"
#include "tests/system/trace_runs.h"

namespace wafertlm::test {
namespace {

class AcceleratedRuns : public ::testing::Test {
 protected:
  nlohmann::json run(const std::string& experiment, const std::string& settings) {
    const std::string folder = folder_.path() + "/out";
    const ToolResult result = run_tool("run " + experiment + " --out " + folder + settings);
    EXPECT_EQ(result.exit_code, 0) << settings << "\n" << result.error;
    if (result.exit_code != 0) return nullptr;
    auto results = nlohmann::json::parse(read_text(folder + "/results.json"));
    skipped_ = results["simulation"]["accelerated"];
    results.erase("host");
    results["simulation"].erase("scheduler_events");
    results["simulation"].erase("accelerated");
    return results;
  }
  /// How much of this the last run skipped; 0 if it was off.
  std::uint64_t count(const char* by, const char* name) const {
    const auto part = skipped_.find(by);
    return part == skipped_.end() || !part->is_object() ? 0 : part->value(name, std::uint64_t{0});
  }
  nlohmann::json skipped_;
  TempFolder folder_;
};

TEST_F(AcceleratedRuns, EqualThoseInWhichAllIsSimulated) {
  std::uint64_t skipped = 0, skips_verified = 0, played = 0, abandoned = 0, episodes_verified = 0;
  for (int k = 0; k < random_cases(24, 2); ++k) {
    const std::string job =
        write_random_job(folder_.path() + "/" + std::to_string(k), static_cast<std::uint64_t>(k));
    SCOPED_TRACE("job " + std::to_string(k));
    const auto off = run(job, " --set run.acceleration=off");
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", "run.acceleration is off"}}));
    EXPECT_EQ(run(job, ""), off);
    skipped += count("steady_states", "packets");
    played += count("episodes", "played");
    abandoned += count("episodes", "abandoned");
    EXPECT_EQ(run(job, " --set run.acceleration=verify"), off);
    skips_verified += count("steady_states", "verified");
    episodes_verified += count("episodes", "verified");
  }
  if (kSanitized) return;  // two jobs are too few to say
  EXPECT_GT(skipped, 0U);
  EXPECT_GT(skips_verified, 0U);
  EXPECT_GT(played, 0U);
  EXPECT_GT(abandoned, 0U);
  EXPECT_GT(episodes_verified, 0U);
}

TEST_F(AcceleratedRuns, SayWhatForbidsIt) {
  write_collective_job(folder_.path() + "/all", chakra::CollectiveType::AllReduce, 20, 1'000'000);
  const std::string job = trace_experiment(folder_, "wafer_mesh_5x4", "chakra: all");
  const std::pair<const char*, const char*> kReasons[] = {
      {"--set run.checkers=true", "protocol checkers follow every packet"},
      {"--set run.functional=true", "functional mode has values in every packet"},
      {"--set wafer.fabric.bit_error_rate=1e-9", "Go-Back-N counts packets"},
      {"--set npu.endpoint.memory=hbm", "messages wait for the memory (npu.endpoint.memory)"}};
  for (const auto& [setting, reason] : kReasons) {
    run(job, " " + std::string(setting));
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", reason}}));
  }
}

}  // namespace
}  // namespace wafertlm::test
