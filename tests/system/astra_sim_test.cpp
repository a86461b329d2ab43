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

TEST_F(AstraSim, PlatformAndWorkloadHaveTheNamesOfTheirFiles) {
  const test::ToolResult result = run(collective(), kRing4, kSystem);
  EXPECT_NE(result.out.find("  platform network, workload collective\n"), std::string::npos) << result.out;
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
  EXPECT_NE(nodes.error.find("'num-nodes' times num-npus-per-node, 2, must be the network's 4 NPUs"),
            std::string::npos)
      << nodes.error;
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
  refused(kRing4, replaced(kSystem, "\"boost-mode\": 0", "\"per-node-custom-implementation\": [\"a.et\"]"),
          "give what the ranks do as one MSCCL program");
  refused(kRing4, replaced(kSystem, "[\"ring\"]", "[\"rings\"]"), "did you mean 'ring'");
  refused(replaced(kRing4, "latency", "latencies"), kSystem, "did you mean 'latency'");
  refused(replaced(kRing4, "Ring", "Rign"), kSystem, "did you mean 'Ring'");
  refused(replaced(kRing4, "[ 50.0 ]", "[ 50.0, 1.0 ]"), kSystem, "a value for each dimension");
}

TEST_F(AstraSim, TheSchedulingPolicyChangesNothing) {
  const std::string prefix = folder_.path() + "/two";
  for (const char* const rank : {"0", "1", "2", "3"}) {
    chakra::Node small = test::all_reduce(2, 0, {}, 1 << 16);
    chakra::VectorSource source(
        "rank", {test::all_reduce(1, 0, {}, 1 << 20), small, test::compute(3, 5'000'000, {2})});
    chakra::write_trace_file(source, prefix + "." + rank + ".et");
  }
  const double lifo = finished(run(prefix, kRing4, kSystem));
  for (const char* const other : {"FIFO", "EXPLICIT"}) {
    const test::ToolResult result = run(prefix, kRing4, replaced(kSystem, "LIFO", other));
    EXPECT_EQ(finished(result), lifo);
    EXPECT_EQ(result.error, "");
  }
}

// As of ASTRA-sim, by its closed forms: 4 (rounds (500 + part / bandwidth) + (rounds + 1) 10 + reductions).
TEST_F(AstraSim, OneLogicalDimensionAndAllToAllAsARing) {
  const std::string network =
      "topology: [ FullyConnected ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
  using Type = chakra::CollectiveType;
  const std::string passed = replaced(kSystem, "\"all-to-all-implementation\": [\"direct\"]",
                                      "\"all-to-all-implementation\": [\"ring\"]");
  EXPECT_EQ(finished(run(collective(Type::AllToAll), network, passed)), 41'560) << "ASTRA-sim's";
  EXPECT_EQ(finished(run(collective(Type::AllToAll), kRing4, passed)), 41'560);
  const std::string one_ring = replaced(kSystem, "\"all-reduce-implementation\": [\"ring\"]",
                                        "\"all-reduce-implementation\": [\"oneRing\"]"),
                    one_direct = replaced(kSystem, "\"all-reduce-implementation\": [\"ring\"]",
                                          "\"all-reduce-implementation\": [\"oneDirect\"]");
  EXPECT_EQ(finished(run(collective(), kRing4, one_ring)), finished(run(collective(), kRing4, kSystem)));
  EXPECT_EQ(finished(run(collective(), network, one_direct)), 4 * (2 * 1720 + 30 + 3 * 40));
  // Two dimensions with links alike are one: the way from 1 to 2 and from 3 to 0 has two of them.
  const std::string two =
      "topology: [ Ring, Ring ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 50.0, 50.0 ]\nlatency: [ 500.0, 500.0 "
      "]\n";
  const test::ToolResult both =
      run(collective(), two, replaced(one_ring, "[\"ring\"]", "[\"ring\", \"ring\"]"));
  EXPECT_EQ(both.exit_code, 2) << "other collectives still need an algorithm for each dimension";
}

TEST_F(AstraSim, InvolvedDimensionsAreThoseThatTakePart) {
  const std::string network =
      "topology: [ FullyConnected, FullyConnected ]\nnpus_count: [ 2, 4 ]\nbandwidth: [ 50.0, 25.0 "
      "]\nlatency: [ "
      "500.0, 700.0 ]\n";
  const std::string system = R"({"endpoint-delay": 10, "preferred-dataset-splits": 1, "local-mem-bw": 1600,
    "collective-optimization": "localBWAware", "all-reduce-implementation": ["direct", "direct"]})";
  const auto job = [&](const std::vector<bool>& involved) {
    const std::string prefix = folder_.path() + "/involved";
    for (int rank = 0; rank < 8; ++rank) {
      chakra::Node node = test::all_reduce(1, 0, {}, 1 << 20);
      node.involved_dim = involved;
      chakra::VectorSource source("rank", {node});
      chakra::write_trace_file(source, prefix + "." + std::to_string(rank) + ".et");
    }
    return run(prefix, network, system);
  };
  // 2 (latency + part / bandwidth) + 30 + 3 part / memory, all but the latencies cut to whole ns.
  EXPECT_EQ(finished(job({true, false})), 2 * (500 + 9765) + 30 + 3 * 327);
  EXPECT_EQ(finished(job({false, true})), 2 * (700 + 9765) + 30 + 3 * 163);
  EXPECT_EQ(finished(job({true, true, true, true})), finished(job({})));
  for (const auto& [involved, why] :
       {std::pair(std::vector<bool>{false, false}, "leaves all dimensions of the fabric out"),
        std::pair(std::vector<bool>{false, false, true}, "leaves all dimensions of the fabric out"),
        std::pair(std::vector<bool>{false}, "has 1 of the fabric's 2 dimensions")}) {
    const test::ToolResult result = job(involved);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.error.find(why), std::string::npos) << result.error;
    EXPECT_NE(result.error.find("involved.0.et: node 1"), std::string::npos) << result.error;
  }
}

TEST_F(AstraSim, WarnsOfAlgorithmsOnlyWhereTheyAreUsed) {
  const std::string system = replaced(kSystem, "[\"direct\"]", "[\"halvingDoubling\"]");
  EXPECT_EQ(run(collective(), kRing4, system).error, "");
  EXPECT_NE(run(collective(chakra::CollectiveType::AllToAll), kRing4, system).error.find("goes direct"),
            std::string::npos);
}

TEST_F(AstraSim, ARankWithoutItsTraceAKeyTwiceAndANumberOutOfRangeAreErrors) {
  const auto refused = [&](const std::string& network, const std::string& system, const std::string& why) {
    const test::ToolResult result = run(collective(), network, system);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.error.find(why), std::string::npos) << result.error;
  };
  refused(replaced(kRing4, "[ 4 ]", "[ 5 ]"), kSystem, "collective.4.et is missing");
  refused(kRing4, replaced(kSystem, "\"boost-mode\"", "\"endpoint-delay\": 1,\n\"boost-mode\""),
          "the key 'endpoint-delay' is written twice");
  refused(std::string(kRing4) + "latency: [ 1.0 ]\n", kSystem,
          "network.yml:5:1: the key 'latency' is written twice");
  for (const char* const key : {"peak-perf", "local-mem-bw", "endpoint-delay", "preferred-dataset-splits"})
    refused(kRing4, "{\"" + std::string(key) + "\": 1e16}",
            std::string("'") + key + "' must be a number from");
  refused(replaced(kRing4, "[ 500.0 ]", "[ 1e16 ]"), kSystem, "'latency' must be a number from");
  refused(replaced(kRing4, "[ 50.0 ]", "[ 0 ]"), kSystem, "'bandwidth' must be a number from");
  refused(replaced(kRing4, "[ 4 ]", "[ 1e9 ]"), kSystem, "'npus_count' must be a number from");
}

TEST_F(AstraSim, WhatIsFoundLateNamesTheUsersFilesToo) {
  const auto refused = [&](const std::string& network, const std::string& system, const std::string& begin,
                           const std::string& end) {
    const std::string error = run(collective(), network, system).error;
    EXPECT_EQ(error.find("yaml"), std::string::npos) << error;
    EXPECT_NE(error.find(begin), std::string::npos) << error;
    EXPECT_NE(error.find(end), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
  };
  // More traces than NPUs, and an algorithm that the collective cannot take.
  refused(replaced(kRing4, "[ 4 ]", "[ 3 ]"), kSystem, "wafertlm: " + folder_.path() + "/network.yml:2:13: ",
          "'npus_count' is of 3 NPUs, and there are traces of 4 ranks");
  const std::string six =
      test::write_collective_job(folder_.path() + "/job/six", chakra::CollectiveType::AllReduce, 6, 1 << 20);
  const std::string doubling = replaced(kSystem, "\"all-reduce-implementation\": [\"ring\"]",
                                        "\"all-reduce-implementation\": [\"halvingDoubling\"]");
  const std::string error = run(six, replaced(kRing4, "[ 4 ]", "[ 6 ]"), doubling).error;
  EXPECT_NE(error.find("six.0.et: node"), std::string::npos) << error;
  EXPECT_NE(error.find("halving_doubling needs a power of two"), std::string::npos) << error;
  EXPECT_NE(error.find(" (" + folder_.path() + "/system.json:3:32, collectives.dimensions.all_reduce)"),
            std::string::npos)
      << error;
}

TEST_F(AstraSim, ConvertWritesWhatRunsTheSame) {
  const std::string prefix = collective();
  const double direct = finished(run(prefix, kRing4, kSystem));
  const std::string to = folder_.path() + "/converted";
  const test::ToolResult converted = test::run_tool(
      "astra-sim --convert --workload-configuration=" + prefix + " --system-configuration=" + folder_.path() +
      "/system.json --network-configuration=" + folder_.path() + "/network.yml --out " + to);
  ASSERT_EQ(converted.exit_code, 0) << converted.error;
  const test::ToolResult again = test::run_tool("run " + to + "/experiment.yaml --out " + to + "/out");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_GT(direct, 0);
  EXPECT_EQ(test::read_text(to + "/platform.yaml"), test::read_text(folder_.path() + "/out/platform.yaml"));
  EXPECT_EQ(converted.out, "Written:\n  " + to + "/platform.yaml\n  " + to + "/experiment.yaml\n");
  const std::string only = folder_.path() + "/only";
  const test::ToolResult platform =
      test::run_tool("astra-sim --convert --system-configuration=" + folder_.path() +
                     "/system.json --network-configuration=" + folder_.path() + "/network.yml --out " + only);
  EXPECT_EQ(platform.out, "Written:\n  " + only + "/platform.yaml\n");
  EXPECT_FALSE(std::filesystem::exists(only + "/experiment.yaml"));
}

TEST_F(AstraSim, OptionsWithoutEffectAreNamed) {
  const std::string prefix = collective();
  run(prefix, kRing4, kSystem);
  const auto warned = [&](const std::string& options) {
    const test::ToolResult result = test::run_tool(
        "astra-sim --workload-configuration=" + prefix + " --system-configuration=" + folder_.path() +
        "/system.json --network-configuration=" + folder_.path() +
        "/network.yml --logging-folder=" + folder_.path() + "/out " + options);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return result.error;
  };
  EXPECT_EQ(warned("--comm-scale 1 --num-queues-per-dim 1 --rendezvous-protocol false "
                   "--logging-configuration empty"),
            "");
  const auto text = [](const std::string& option) {
    return "warning: " + option + " is not modelled and has no effect\n";
  };
  EXPECT_EQ(warned("--comm-scale 2"), text("--comm-scale"));
  EXPECT_EQ(warned("--num-queues-per-dim 2 --logging-configuration x --rendezvous-protocol true"),
            text("--logging-configuration") + text("--num-queues-per-dim") + text("--rendezvous-protocol"));
  // 4 chunks, of two rounds through 4 ranks each: receptions take so much longer.
  EXPECT_EQ(warned("--injection-scale 2"), "");
  EXPECT_NE(test::read_text(folder_.path() + "/out/platform.yaml").find("receive_cost: 20000 ps"),
            std::string::npos);
}

}  // namespace
}  // namespace wafertlm
