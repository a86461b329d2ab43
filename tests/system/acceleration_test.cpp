// SPDX-License-Identifier: Apache-2.0
// run.acceleration: what repeats is skipped, and every figure is what it is when all is simulated.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/random_cases.h"
#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

constexpr std::uint32_t kNpus = 20;

class AcceleratedRuns : public ::testing::Test {
 protected:
  /// Computations and collectives of all ranks, in an order of their own for each rank.
  void write_job(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t collectives = 2 + random() % 4;
    std::vector<std::uint64_t> bytes, types;
    for (std::uint64_t k = 0; k < collectives; ++k) {
      bytes.push_back((1 + random() % 12) * 700'000);
      types.push_back(random() % 5);
    }
    for (std::uint32_t rank = 0; rank < kNpus; ++rank) {
      std::vector<chakra::Node> nodes;
      for (std::uint64_t k = 0; k < collectives; ++k)
        nodes.push_back(compute(k, (1 + random() % 30) * 1'000'000));
      for (std::uint64_t k = 0; k < collectives; ++k) {
        nodes.push_back(all_reduce(100 + k, 0, {k}, bytes[k]));
        nodes.back().comm_type = types[k] == 0   ? chakra::CollectiveType::AllToAll
                                 : types[k] == 1 ? chakra::CollectiveType::ReduceScatter
                                 : types[k] == 2 ? chakra::CollectiveType::Broadcast
                                                 : chakra::CollectiveType::AllReduce;
      }
      chakra::VectorSource source("rank", nodes);
      chakra::write_trace(source, folder_.path() + "/job." + std::to_string(rank) + ".et");
    }
  }
  nlohmann::json run(const std::string& platform, const std::string& more) {
    ToolResult result;
    auto results = run_traces(folder_, platform, "chakra: " + folder_.path() + "/job", more, result);
    EXPECT_EQ(result.exit_code, 0) << platform << " " << more << "\n" << result.error;
    if (result.exit_code == 0) {
      skipped_ = results["simulation"]["accelerated"];
      results.erase("host");
      results["simulation"].erase("scheduler_events");
      results["simulation"].erase("accelerated");
    }
    return results;
  }
  nlohmann::json skipped_;
  TempFolder folder_;
};

TEST_F(AcceleratedRuns, EqualThoseInWhichAllIsSimulated) {
  const char* const kPlatforms[] = {"wafer_mesh_5x4", "fred_a", "fred_b", "fred_c", "fred_d"};
  std::uint64_t packets = 0, verified = 0;
  for (int k = 0; k < random_cases(10, 2); ++k) {
    write_job(static_cast<std::uint64_t>(k));
    const char* const platform = kPlatforms[k % 5];
    const std::string jitter =
        k % 2 == 0 ? "" : "--set npu.compute.jitter=uniform --set npu.compute.jitter_percent=30 ";
    const auto off = run(platform, jitter + "--set run.acceleration=off");
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", "run.acceleration is off"}}));
    EXPECT_EQ(run(platform, jitter), off) << platform << ", job " << k;
    packets += skipped_["steady_states"]["packets"].get<std::uint64_t>();
    EXPECT_EQ(run(platform, jitter + "--set run.acceleration=verify"), off) << platform << ", job " << k;
    verified += skipped_["steady_states"]["verified"].get<std::uint64_t>();
  }
  if (!kSanitized) {  // two jobs are too few to say
    EXPECT_GT(packets, 0U);
    EXPECT_GT(verified, 0U);
  }
}

TEST_F(AcceleratedRuns, SayWhatForbidsIt) {
  write_job(1);
  const std::pair<const char*, const char*> kReasons[] = {
      {"--set run.checkers=true", "protocol checkers follow every packet"},
      {"--set run.functional=true", "functional mode has values in every packet"},
      {"--set wafer.fabric.bit_error_rate=1e-9", "Go-Back-N counts packets"},
      {"--set npu.endpoint.memory=hbm", "messages wait for the memory (npu.endpoint.memory)"}};
  for (const auto& [setting, reason] : kReasons) {
    run("wafer_mesh_5x4", setting);
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", reason}}));
  }
}

}  // namespace
}  // namespace wafertlm::test
