// SPDX-License-Identifier: Apache-2.0
// `wafertlm astra-sim` and `convert astra-sim`: what ASTRA-sim's own examples hold, its option names, and
// what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/shared_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_jobs.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

constexpr const char* kRing4 =
    "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
constexpr const char* kSystem =
    R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
  "preferred-dataset-splits": 4, "local-mem-bw": 1600, "boost-mode": 0, "collective-optimization": "localBWAware",
  "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"],
  "reduce-scatter-implementation": ["ring"], "all-to-all-implementation": ["direct"]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

class AstraSim : public testing::Test {
 protected:
  test::ToolResult run(const std::string& prefix, const std::string& network, const std::string& system) {
    return test::run_tool("astra-sim --workload-configuration=" + prefix +
                          " --system-configuration=" + folder_.write("system.json", system) +
                          " --network-configuration=" + folder_.write("network.yml", network) +
                          " --remote-memory-configuration=" + folder_.write("memory.json", memory_) +
                          " --comm-group-configuration=empty --logging-folder=" + folder_.path() + "/out");
  }
  /// The cycles in which rank 0 finished.
  static double finished(const test::ToolResult& result) { return number_after("sys[0] finished, ", result); }
  /// The number that follows the first `begin`.
  static double number_after(const std::string& begin, const test::ToolResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const std::size_t at = result.out.find(begin);
    EXPECT_NE(at, std::string::npos) << result.out;
    return at == std::string::npos ? 0 : std::stod(result.out.substr(at + begin.size()));
  }

  /// A collective of 1 MiB of four ranks.
  std::string collective(chakra::CollectiveType type = chakra::CollectiveType::AllReduce) {
    return test::write_collective_job(folder_.path() + "/job/collective", type, 4, 1 << 20);
  }

  test::TempFolder folder_;
  std::string memory_ = R"({"memory-type": "NO_MEMORY_EXPANSION"})";
};

// ASTRA-sim prints 43000, 64744 and 22240 for these (analytical, congestion-aware).
TEST_F(AstraSim, Microbenchmarks) {
  using Type = chakra::CollectiveType;
  const auto cycles = [&](Type type) { return finished(run(collective(type), kRing4, kSystem)); };
  EXPECT_NEAR(cycles(Type::AllReduce), 43000, 215);
  EXPECT_NEAR(cycles(Type::AllGather), 64744, 324);
  EXPECT_NEAR(cycles(Type::ReduceScatter), 22240, 112);
  EXPECT_GT(cycles(Type::AllToAll), 1000);
  const auto alone = run(collective(), kRing4, kSystem);
  EXPECT_EQ(number_after("exposed communication ", alone), finished(alone)) << "there is nothing else";
}

TEST_F(AstraSim, TheCustomRing) {
  const test::ToolResult result = run(test::write_ring_job(folder_.path() + "/job/ring", 8, 1 << 20),
                                      replaced(kRing4, "[ 4 ]", "[ 8 ]"), kSystem);
  finished(result);
  EXPECT_NE(result.out.find("sys[7] finished"), std::string::npos);
}

class AstraSimSample : public test::WithSampleTraces<AstraSim> {};

TEST_F(AstraSimSample, SixtyFourRanks) {
  const std::string network =
      "topology: [ Ring, Switch ]\nnpus_count: [ 8, 8 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 500.0 "
      "]\n";
  const std::string system =
      R"({"scheduling-policy": "FIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 2,
  "preferred-dataset-splits": 4, "local-mem-bw": 1600, "collective-optimization": "localBWAware", "peak-perf": 900,
  "roofline-enabled": 0, "all-reduce-implementation": ["ring", "halvingDoubling"],
  "all-gather-implementation": ["ring", "halvingDoubling"], "reduce-scatter-implementation": ["ring", "halvingDoubling"],
  "all-to-all-implementation": ["direct", "direct"], "intra-dimension-scheduling": "SCF",
  "inter-dimension-scheduling": "themis"})";
  const test::ToolResult result =
      run(trace("MLP_HybridParallel_Data_Model/MLP_HybridParallel_Data_Model"), network, system);
  finished(result);
  EXPECT_NE(result.out.find("sys[63] finished"), std::string::npos);
  EXPECT_EQ(result.error.find("warning"), std::string::npos) << result.error;
  // All but the durations in the trace, 1,082,450 us for every rank, is exposed.
  const test::ToolResult resnet = run(trace("Resnet50_DataParallel/Resnet50_DataParallel"), network, system);
  EXPECT_EQ(finished(resnet) - number_after("exposed communication ", resnet), 1'082'450'000);
}

/// Ranks of a ring that each load 100 kB and then store it. ASTRA-sim's analytical remote memory takes
/// latency + bytes / bandwidth, 500 + 2000 cycles here, for one access after the other: of an NPU, of a node,
/// or of all.
class AstraSimMemory : public AstraSim {
 protected:
  test::ToolResult load_and_store(const std::string& memory) {
    memory_ = memory;
    for (const char* const rank : {"0", "1", "2", "3"}) {
      chakra::Node in = test::load(1, 0), out = test::store(2, 0, {1});
      in.tensor_size = out.tensor_size = 100'000;
      chakra::VectorSource source("rank", {in, out});
      chakra::write_trace_file(source, folder_.path() + "/job." + rank + ".et");
    }
    return run(folder_.path() + "/job", kRing4, kSystem);
  }
  /// The cycles in which the ranks have finished.
  std::vector<double> times(const std::string& memory) {
    const test::ToolResult result = load_and_store(memory);
    EXPECT_EQ(result.error, "");
    std::vector<double> all;
    for (const char* const rank : {"0", "1", "2", "3"})
      all.push_back(number_after("sys[" + std::string(rank) + "] finished, ", result));
    return all;
  }
};

TEST_F(AstraSimMemory, TakesItsTimes) {
  const std::string rate = R"("remote-mem-latency": 500, "remote-mem-bw": 50})";
  using Times = std::vector<double>;
  EXPECT_EQ(times(R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", )" + rate), (Times{5000, 5000, 5000, 5000}));
  EXPECT_EQ(times(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 2, "num-npus-per-node": 2, )" +
                  rate),
            (Times{7500, 10'000, 7500, 10'000}));
  EXPECT_EQ(times(R"({"memory-type": "MEMORY_POOL", )" + rate), (Times{12'500, 15'000, 17'500, 20'000}));
}

TEST_F(AstraSimMemory, RefusesWhatItRefuses) {
  const test::ToolResult none = load_and_store(R"({"memory-type": "NO_MEMORY_EXPANSION"})");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.error.find("uses remote memory, and 'memory-type' is NO_MEMORY_EXPANSION"),
            std::string::npos)
      << none.error;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out")) << "refused after something was written";
  const test::ToolResult nodes = load_and_store(
      R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 3, "num-npus-per-node": 2,
          "remote-mem-latency": 1, "remote-mem-bw": 50})");
  EXPECT_EQ(nodes.exit_code, 2);
  EXPECT_NE(nodes.error.find("3 nodes of 2 NPUs are not the network's 4"), std::string::npos) << nodes.error;
}

TEST_F(AstraSim, WhatIsNotModelledIsNamedAndWhatIsUnknownRefused) {
  const std::string prefix = collective();
  EXPECT_EQ(run(prefix, kRing4, kSystem).error, "") << "boost-mode 0 asks for nothing";
  EXPECT_NE(run(prefix, kRing4, replaced(kSystem, "\"boost-mode\": 0", "\"boost-mode\": 1"))
                .error.find("'boost-mode' is not modelled"),
            std::string::npos);
  const auto refused = [&](const std::string& network, const std::string& system, const std::string& why) {
    const test::ToolResult result = run(prefix, network, system);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.error.find(why), std::string::npos) << result.error;
  };
  refused(kRing4, replaced(kSystem, "endpoint-delay", "endpoint-dellay"), "did you mean 'endpoint-delay'");
  refused(kRing4, replaced(kSystem, "LIFO", "LILO"), "must be one of");
  refused(kRing4, replaced(kSystem, "[\"ring\"]", "[\"rings\"]"), "did you mean 'ring'");
  refused(replaced(kRing4, "latency", "latencies"), kSystem, "did you mean 'latency'");
  refused(replaced(kRing4, "Ring", "Rign"), kSystem, "did you mean 'Ring'");
  refused(replaced(kRing4, "[ 50.0 ]", "[ 50.0, 1.0 ]"), kSystem, "a value for each dimension");
}

TEST_F(AstraSim, ConvertWritesWhatRunsTheSame) {
  const std::string prefix = collective();
  const double direct = finished(run(prefix, kRing4, kSystem));
  const std::string to = folder_.path() + "/converted";
  const test::ToolResult converted = test::run_tool(
      "convert astra-sim --workload-configuration=" + prefix + " --system-configuration=" + folder_.path() +
      "/system.json --network-configuration=" + folder_.path() + "/network.yml --out " + to);
  ASSERT_EQ(converted.exit_code, 0) << converted.error;
  const test::ToolResult again = test::run_tool("run " + to + "/experiment.yaml --out " + to + "/out");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_GT(direct, 0);
  EXPECT_EQ(test::read_text(to + "/platform.yaml"), test::read_text(folder_.path() + "/out/platform.yaml"));
}

}  // namespace
}  // namespace wafertlm
