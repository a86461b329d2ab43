// SPDX-License-Identifier: Apache-2.0
// What ASTRA-sim's files become: every key, in our units (its bandwidths of links are GiB/s, others GB/s;
// times are ns), and what is refused.
#include "platform/astra_sim/astra_files.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace wafertlm::astra_sim {
namespace {

const std::string kRing = "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n";
const std::string kThree =
    "topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 4, 2, 3 ]\nbandwidth: [ 50, 25.5, 1e-9 ]\n"
    "latency: [ 500, 0.5, 0 ]\n";

class AstraFiles : public testing::Test {
 protected:
  test::TempFolder folder_;
  Files files_;

  Conversion converted(const std::string& network, const std::string& system,
                       const std::string& memory = "") {
    files_.network = folder_.write("network.yml", network);
    files_.system = folder_.write("system.json", system);
    files_.remote_memory = memory.empty() ? "" : folder_.write("memory.json", memory);
    return convert(files_, "p.yaml");
  }
  std::string yaml(const std::string& system) { return converted(kRing, system).platform_yaml; }
  /// The warnings, without the path of the file in front.
  std::vector<std::string> warnings(const std::string& system, const std::string& memory = "") {
    std::vector<std::string> texts;
    for (const Warning& each : converted(kRing, system, memory).warnings) {
      const std::string path = folder_.path() + (memory.empty() ? "/system.json: " : "/memory.json: ");
      EXPECT_EQ(each.text.rfind(path, 0), 0U) << each.text;
      texts.push_back(each.text.substr(path.size()));
    }
    return texts;
  }
  /// What is said, without the path of the folder in front.
  std::string refused(const std::string& network, const std::string& system, const std::string& memory = "") {
    try {
      converted(network, system, memory);
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind(folder_.path() + "/", 0), 0U) << text;
      return text.substr(folder_.path().size() + 1);
    }
    return "";
  }
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

using Texts = std::vector<std::string>;

TEST_F(AstraFiles, WithoutKeysEverythingHasItsDefault) {
  const Conversion made = converted(kRing, "{}");
  EXPECT_EQ(
      made.platform_yaml,
      "# From ASTRA-sim's files.\nplatform: astra-sim\nwafer:\n  fabric:\n    kind: dimensional\n"
      "    dimensions:\n      - {topology: ring, size: 4, bandwidth: 53687091200 B/s, latency: 500000 ps}\n"
      "    transport: messages\n    time_step: 1 ns\n    point_to_point: bare\n    header_bytes: 0 B\n"
      "npu:\n  compute: {durations: replay, time_step: 1 ns}\n  hbm: {capacity: 1000 PB}\n"
      "  endpoint: {receive_cost: 0 ps, stage_cost: 0 ps}\n"
      "sequencer: {order: lowest_id, communications: 1}\ncollectives:\n  equal_pieces: true\n"
      "  chunks: 1\n  dimensions:\n    order: per_dimension\n    within: fifo\n    active_chunks: 1\n"
      "run: {watchdog: 9000000 s}\n");
  EXPECT_EQ(made.experiment_yaml, "");
  EXPECT_EQ(made.npus, 4U);
  EXPECT_FALSE(made.no_remote_memory);
  EXPECT_TRUE(made.warnings.empty());
}

TEST_F(AstraFiles, EveryKeyHasItsPlace) {
  files_.injection_scale = 2.5;
  const Conversion made = converted(
      kThree,
      R"({"scheduling-policy": "FIFO", "collective-optimization": "localBWAware", "active-chunks-per-dimension": 3,
          "preferred-dataset-splits": 5, "endpoint-delay": 10, "peak-perf": 0.25, "local-mem-bw": 1.5,
          "roofline-enabled": 1, "intra-dimension-scheduling": "SCF",
          "all-reduce-implementation": ["ring", "direct7", "halvingDoubling"],
          "all-gather-implementation": ["oneDirect3"], "all-to-all-implementation-custom": ["/x/../y.xml"]})",
      R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1.5, "remote-mem-bw": 2,
          "num-nodes": 4, "num-npus-per-node": 6})");
  EXPECT_EQ(
      made.platform_yaml,
      "# From ASTRA-sim's files.\nplatform: astra-sim\nwafer:\n  fabric:\n    kind: dimensional\n"
      "    dimensions:\n      - {topology: ring, size: 4, bandwidth: 53687091200 B/s, latency: 500000 ps}\n"
      "      - {topology: fully_connected, size: 2, bandwidth: 27380416512 B/s, latency: 500 ps}\n"
      "      - {topology: switch, size: 3, bandwidth: 1 B/s, latency: 0 ps}\n"
      "    transport: messages\n    time_step: 1 ns\n    point_to_point: bare\n    header_bytes: 0 B\n"
      "npu:\n  peak: 250000000000 FLOPS\n  compute: {durations: roofline, time_step: 1 ns}\n"
      "  hbm: {read_bandwidth: 1500000000 B/s, write_bandwidth: 1500000000 B/s, capacity: 1000 PB}\n"
      "  endpoint: {receive_cost: 25000 ps, stage_cost: 25000 ps, reduction_bandwidth: 1500000000 B/s}\n"
      "sequencer: {order: lowest_id, communications: 1}\ncollectives:\n  equal_pieces: true\n"
      "  chunks: 5\n  by_type: {all_gather: one_direct}\n  partial_groups: {all_reduce: one_ring}\n"
      "  dimensions:\n    order: local_bandwidth_aware\n    within: smallest_first\n    active_chunks: 3\n"
      "    all_reduce: [ring, direct, halving_doubling]\n    direct_window: 7\n"
      "  custom:\n    all_to_all: '/y.xml'\n"
      "remote_memory: {kind: per_node, npus_per_node: 6, capacity: 1000 PB, bandwidth: 2000000000 B/s, "
      "latency: 1500 ps, service: accesses, local: free}\nrun: {watchdog: 9000000 s}\n");
  EXPECT_EQ(made.npus, 24U);
  ASSERT_EQ(made.warnings.size(), 1U);
  EXPECT_EQ(made.warnings[0].text, folder_.path() +
                                       "/system.json: 'all-gather-implementation': windows of direct differ; "
                                       "all take 7");
  EXPECT_EQ(made.warnings[0].only_with, chakra::CollectiveType::AllGather);
}

TEST_F(AstraFiles, TheExperimentNamesTheTracesByTheirAbsolutePath) {
  files_.workload = "/traces/x/../job";
  EXPECT_EQ(converted(kRing, "{}").experiment_yaml,
            "# From ASTRA-sim's files.\nexperiment: astra-sim\nplatform: p.yaml\nworkload:\n"
            "  chakra: '/traces/job'\niterations: 1\n");
  files_.comm_groups = "/traces/groups.json";
  expect_part(converted(kRing, "{}").experiment_yaml,
              "  chakra: '/traces/job'\n  comm_groups: '/traces/groups.json'\niterations: 1\n");
  files_.comm_groups = files_.workload = "empty";
  EXPECT_EQ(converted(kRing, "{}").experiment_yaml, "");
}

TEST_F(AstraFiles, OrdersWithinAndOfDimensions) {
  const auto within = [&](const std::string& word) {
    const std::string text = yaml("{\"intra-dimension-scheduling\": \"" + word + "\"}");
    const std::size_t at = text.find("    within: ") + 12;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(within("FIFO"), "fifo");
  EXPECT_EQ(within("SCF"), "smallest_first");
  EXPECT_EQ(within("smallestFirst"), "smallest_first");
  EXPECT_EQ(within("RG"), "fifo");
  const auto order = [&](const std::string& keys) {
    const std::string text = yaml(keys);
    const std::size_t at = text.find("    order: ") + 11;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(order(R"({"collective-optimization": "baseline"})"), "per_dimension");
  EXPECT_EQ(order(R"({"inter-dimension-scheduling": "baseline"})"), "per_dimension");
  EXPECT_EQ(order(R"({"inter-dimension-scheduling": "themis"})"), "themis");
  EXPECT_EQ(order(R"({"inter-dimension-scheduling": "ascending"})"), "per_dimension");
  EXPECT_EQ(
      order(R"({"inter-dimension-scheduling": "roundRobin", "collective-optimization": "localBWAware"})"),
      "local_bandwidth_aware");
}

TEST_F(AstraFiles, WhatIsNotModelledIsSaid) {
  EXPECT_EQ(warnings(R"({"intra-dimension-scheduling": "RG"})"),
            Texts{"'intra-dimension-scheduling': RG is not modelled; FIFO takes its place"});
  EXPECT_EQ(
      warnings(R"({"intra-dimension-scheduling": "lessRemainingPhaseFirst"})"),
      Texts{"'intra-dimension-scheduling': lessRemainingPhaseFirst is not modelled; FIFO takes its place"});
  EXPECT_EQ(warnings(R"({"intra-dimension-scheduling": "SCF", "inter-dimension-scheduling": "themis"})"),
            Texts{});
  EXPECT_EQ(warnings(R"({"inter-dimension-scheduling": "ascending"})"), Texts{});
  EXPECT_EQ(warnings(R"({"inter-dimension-scheduling": "offlineGreedy"})"),
            Texts{"'inter-dimension-scheduling': offlineGreedy is not modelled; baseline takes its place"});
  EXPECT_EQ(
      warnings(R"({"replay-only": 1})"),
      Texts{"'replay-only' holds for computations; communications are simulated, where ASTRA-sim replays "
            "them"});
  EXPECT_EQ(warnings(R"({"replay-only": 0})"), Texts{});
  // Keys that ask for nothing are quiet.
  for (const char* const nothing : {"0", "false", "\"\"", "\"0\"", "\"false\""})
    EXPECT_EQ(warnings("{\"boost-mode\": " + std::string(nothing) + "}"), Texts{}) << nothing;
  for (const char* const something : {"1", "true", "\"x\"", "\"1\"", "0.5", "[]"})
    EXPECT_EQ(warnings("{\"L\": " + std::string(something) + "}"),
              Texts{"'L' is not modelled and has no effect"})
        << something;
}

TEST_F(AstraFiles, ARooflineNeedsItsNumbersAndNoReplay) {
  const std::string numbers = R"("peak-perf": 1, "local-mem-bw": 2, )";
  expect_part(yaml("{" + numbers + "\"roofline-enabled\": 1}"), "durations: roofline");
  expect_part(yaml("{" + numbers + "\"roofline-enabled\": 0}"), "durations: replay");
  expect_part(yaml("{" + numbers + "\"roofline-enabled\": 1, \"replay-only\": 1}"), "durations: replay");
  expect_part(yaml("{" + numbers + "\"roofline-enabled\": 0}"), "  hbm: {capacity: 1000 PB}\n");
  const std::string why = "system.json: 'roofline-enabled' needs peak-perf and local-mem-bw, it is 1";
  EXPECT_EQ(refused(kRing, R"({"roofline-enabled": 1, "peak-perf": 1})"), why);
  EXPECT_EQ(refused(kRing, R"({"roofline-enabled": 1, "local-mem-bw": 1})"), why);
}

TEST_F(AstraFiles, AlgorithmsByTheirNames) {
  const std::string two =
      "topology: [ Ring, Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50, 50 ]\nlatency: [ 500, 500 ]\n";
  const auto part = [&](const std::string& network, const std::string& keys) {
    const std::string text = converted(network, keys).platform_yaml;
    const std::size_t from = text.find("  chunks: 1\n") + 12, order = text.find("  dimensions:\n    order");
    const std::size_t behind = text.find("active_chunks: 1\n") + 17;
    return text.substr(from, order - from) + "|" + text.substr(behind, text.find("run: {") - behind);
  };
  // Of one dimension, a group of some NPUs takes the same.
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["direct"]})"),
            "  partial_groups: {all_reduce: one_direct}\n|    all_reduce: [direct]\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["doubleBinaryTree"]})"),
            "|    all_reduce: [auto]\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["oneHalvingDoubling"]})"),
            "  by_type: {all_reduce: one_halving_doubling}\n"
            "  partial_groups: {all_reduce: one_halving_doubling}\n|");
  EXPECT_EQ(
      part(kRing,
           R"({"reduce-scatter-implementation": ["oneDirect12"], "all-gather-implementation": ["oneRing"]})"),
      "  by_type: {all_gather: one_ring, reduce_scatter: one_direct}\n"
      "  partial_groups: {all_gather: one_ring, reduce_scatter: one_direct}\n|    direct_window: 12\n");
  // Of several, a ring.
  EXPECT_EQ(
      part(
          two,
          R"({"all-gather-implementation": ["direct", "direct"], "reduce-scatter-implementation": ["oneDirect"]})"),
      "  by_type: {reduce_scatter: one_direct}\n  partial_groups: {all_gather: one_ring}\n"
      "|    all_gather: [direct, direct]\n");
  EXPECT_EQ(part(two, R"({"all-reduce-implementation": ["oneRing", "anything"]})"),
            "  by_type: {all_reduce: one_ring}\n  partial_groups: {all_reduce: one_ring}\n|");
  EXPECT_EQ(part(two, R"({"all-to-all-implementation": ["direct65536", "ring"]})"),
            "  partial_groups: {all_to_all: one_ring}\n|    all_to_all: [direct, ring]\n    direct_window: "
            "65536\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": "ring"})"),
            "  partial_groups: {all_reduce: one_ring}\n|    all_reduce: [ring]\n")
      << "a name is a list of one";
  EXPECT_EQ(
      warnings(R"({"all-reduce-implementation": ["doubleBinaryTree"]})"),
      Texts{"'all-reduce-implementation': doubleBinaryTree is not modelled within a dimension; auto takes "
            "its place"});
  EXPECT_EQ(warnings(R"({"all-to-all-implementation": ["halvingDoubling"]})"),
            Texts{"'all-to-all-implementation': all-to-all goes direct, not by halvingDoubling"});
}

TEST_F(AstraFiles, AlgorithmsThatAreNoneAreRefused) {
  const std::string key = "system.json: 'all-reduce-implementation' ";
  const auto said = [&](const std::string& list) {
    return refused(kThree, "{\"all-reduce-implementation\": " + list + "}");
  };
  EXPECT_EQ(said("[]"), key + "needs an algorithm for each dimension, it is []");
  EXPECT_EQ(said("[\"ring\", \"ring\"]"),
            key + "needs an algorithm for each of the 3 dimensions, it is [\"ring\",\"ring\"]");
  expect_part(said("[\"ring\", \"oneRing\", \"ring\"]"),
              key + "has oneRing behind an algorithm of one dimension");
  expect_part(said("[\"ring\", \"ring\", \"direct65537\"]"), key + "has a window above 65536");
  expect_part(said("[\"ring\", \"ring\", \"direct123456\"]"),
              key + "has the unknown algorithm 'direct123456'");
  expect_part(said("[\"direct1x\", \"ring\", \"ring\"]"), key + "has the unknown algorithm 'direct1x'");
  expect_part(said("[\"onering\", \"ring\", \"ring\"]"), "has the unknown algorithm 'onering'");
  expect_part(said("[\"one\", \"ring\", \"ring\"]"), "has the unknown algorithm 'one'");
  expect_part(said("[\"oneDoubleBinaryTree\"]"), "has the unknown algorithm 'oneDoubleBinaryTree'");
  expect_part(said("[\"halvingDoublng\", \"ring\", \"ring\"]"), "; did you mean 'halvingDoubling'?");
  EXPECT_EQ(said("[1]"), key + "must be a list of names, it is [1]");
  expect_part(
      refused(kRing, R"({"all-reduce-implementation-custom": ["a", "b"]})"),
      "system.json: 'all-reduce-implementation-custom' must be one algorithm, for all dimensions: a PREFIX");
}

TEST_F(AstraFiles, NetworksThatFitNothingAreRefused) {
  const auto said = [&](const std::string& topology, const std::string& sizes, const std::string& bandwidth,
                        const std::string& latency) {
    return refused("topology: " + topology + "\nnpus_count: " + sizes + "\nbandwidth: " + bandwidth +
                       "\nlatency: " + latency + "\n",
                   "{}");
  };
  const std::string each =
      "network.yml: topology, npus_count, bandwidth and latency need a value for each dimension";
  EXPECT_EQ(said("[]", "[]", "[]", "[]"), each);
  EXPECT_EQ(said("[Ring]", "[4, 4]", "[1]", "[1]"), each);
  EXPECT_EQ(said("[Ring]", "[4]", "[1, 1]", "[1]"), each);
  EXPECT_EQ(said("[Ring]", "[4]", "[1]", "[1, 1]"), each);
  EXPECT_EQ(said("[Ring, Ring]", "[4]", "[1]", "[1]"), each);
  EXPECT_EQ(said("[Ring]", "[2.5]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be whole numbers, it is [2.5]");
  EXPECT_EQ(said("[Ring, Ring]", "[256, 257]", "[1, 1]", "[1, 1]"),
            "network.yml: 'npus_count' multiplies to more than 65536 NPUs, it is [256,257]");
  EXPECT_EQ(said("[Ring, Ring]", "[256, 256]", "[1, 1]", "[1, 1]"), "");
  EXPECT_EQ(said("[Ring]", "[0]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be a number from 1 to 65536, it is [0]");
  EXPECT_EQ(said("[Ring]", "[4]", "[8e6]", "[1e9]"), "");
  EXPECT_EQ(said("[Ring]", "[4]", "[8000001]", "[1]"),
            "network.yml: 'bandwidth' must be a number from 1e-09 to 8e+06, it is [8000001]");
  EXPECT_EQ(said("[Ring]", "[4]", "[1]", "[1000000001]"),
            "network.yml: 'latency' must be a number from 0 to 1e+09, it is [1000000001]");
  EXPECT_EQ(said("[Ring]", "[four]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be a number from 1 to 65536, it is [\"four\"]");
  expect_part(said("[Rign]", "[4]", "[1]", "[1]"),
              "network.yml: unknown topology 'Rign'; did you mean 'Ring'?");
  for (const char* const key : {"topology", "npus_count", "bandwidth", "latency"}) {
    std::string text = kRing;
    const std::size_t at = text.find(key);
    text.erase(at, text.find('\n', at) + 1 - at);
    EXPECT_EQ(refused(text, "{}"), "network.yml: needs topology, npus_count, bandwidth and latency") << key;
  }
  EXPECT_EQ(refused("3", "{}"), "network.yml: expected keys with values");
  expect_part(refused(kRing + "latencies: 3\n", "{}"),
              "network.yml: unknown key 'latencies'; did you mean 'latency'?");
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 1e9}"), "");
  EXPECT_EQ(refused(kRing, "{\"preferred-dataset-splits\": 1.5}"),
            "system.json: 'preferred-dataset-splits' must be a whole number, it is 1.5");
  files_.injection_scale = 2;
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 5e8}"), "");
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 6e8}"),
            "system.json: 'endpoint-delay' times --injection-scale is above 1 s, it is 600000000.0");
}

TEST_F(AstraFiles, NumbersMayStandInQuotesOrInAListOfOne) {
  for (const char* const ten : {"10", "\"10\"", "[10]", "10.0"})
    expect_part(yaml("{\"endpoint-delay\": " + std::string(ten) + "}"), "receive_cost: 10000 ps");
  const std::string range = "system.json: 'endpoint-delay' must be a number from 0 to 1e+09, it is ";
  for (const char* const bad : {"\"ten\"", "true", "[10,10]", "null", "-1"})
    EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": " + std::string(bad) + "}"), range + bad);
  EXPECT_EQ(refused(kRing, "{\"scheduling-policy\": 3}"),
            "system.json: 'scheduling-policy' must be one of LIFO, FIFO, EXPLICIT, it is 3");
}

TEST_F(AstraFiles, WhatIsNoUtf8IsShownAsFarAsItIs) {
  const std::string said =
      refused("topology: [ Ring ]\nnpus_count: \xff[ 4 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n", "{}");
  expect_part(said, "network.yml: 'npus_count' must be a number from");
  expect_part(said, "it is \"\uFFFD[ 4 ]\"");
}

TEST_F(AstraFiles, AKeyThatIsWrittenTwiceIsFoundInItsLine) {
  const auto said = [&](const std::string& system) { return refused(kRing, system); };
  const auto twice = [](int line, const std::string& key) {
    return "system.json: line " + std::to_string(line) + ": the key '" + key +
           "' is written twice; keep one of them";
  };
  EXPECT_EQ(said(R"({"L": 1, "L": 2})"), twice(1, "L"));
  EXPECT_EQ(said("{\"L\": 1,\n\"o\": 2,\n\n\"L\"\n: 3}"), twice(4, "L"));
  EXPECT_EQ(said("{\"L\": 1,\n\"L\""), twice(2, "L"));
  // Values that look like it, with quotes and backslashes in them.
  EXPECT_EQ(said("{\"L\": \"L\\\": \\\\\",\n\"o\": [\"L\", \"L\"],\n\"g\": \"x\", \"L\": 3}"), twice(3, "L"));
  // In the map within it is another key, or the same one twice.
  EXPECT_EQ(said("{\"L\": {\"o\": 1},\n\"o\": {\"o\": 2}}"), "");
  EXPECT_EQ(said("{\"o\": 1,\n\"L\": {\"o\": 1,\n\"o\": 2}}"), twice(3, "o"));
  EXPECT_EQ(refused("topology: [ Ring ]\nlatency: [ 1 ]\ntopology: [ Ring ]\n", "{}"),
            "network.yml: line 3: the key 'topology' is written twice; keep one of them");
}

TEST_F(AstraFiles, RemoteMemoryByItsType) {
  const auto line = [&](const std::string& memory) {
    const std::string text = converted(kRing, "{}", memory).platform_yaml;
    const std::size_t at = text.find("remote_memory");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  const std::string rest =
      ", capacity: 1000 PB, bandwidth: 50000000000 B/s, latency: 0 ps, service: accesses, local: free}";
  const std::string rate = R"("remote-mem-latency": 0, "remote-mem-bw": 50)";
  EXPECT_EQ(line(R"({"memory-type": "MEMORY_POOL", )" + rate + "}"), "remote_memory: {kind: shared" + rest);
  EXPECT_EQ(line(R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", )" + rate + "}"),
            "remote_memory: {kind: per_npu" + rest);
  EXPECT_EQ(line("{}"), "");
  EXPECT_TRUE(converted(kRing, "{}", "{}").no_remote_memory);
  EXPECT_FALSE(converted(kRing, "{}", R"({"memory-type": "MEMORY_POOL", )" + rate + "}").no_remote_memory);
  const std::string needs = "memory.json: needs remote-mem-latency and remote-mem-bw, above 0";
  EXPECT_EQ(refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 50})"), needs);
  EXPECT_EQ(refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 50})"), needs);
  EXPECT_EQ(
      refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 5, "remote-mem-bw": 0})"),
      needs);
  const std::string by_node = R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", )" + rate;
  const std::string nodes = "memory.json: PER_NODE_MEMORY_EXPANSION needs num-nodes and num-npus-per-node";
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-nodes\": 2}"), nodes);
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-npus-per-node\": 2}"), nodes);
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-nodes\": 4, \"num-npus-per-node\": 2}"),
            "memory.json: 4 nodes of 2 NPUs are not the network's 4");
  // What has no effect is said.
  EXPECT_EQ(warnings("{}", R"({"memory-type": "MEMORY_POOL", "num-nodes": 2, )" + rate + "}"),
            Texts{"'num-nodes' has no effect with MEMORY_POOL"});
  EXPECT_EQ(warnings("{}", R"({"num-npus-per-node": 2, )" + rate + "}"),
            (Texts{"'remote-mem-latency' has no effect with NO_MEMORY_EXPANSION",
                   "'remote-mem-bw' has no effect with NO_MEMORY_EXPANSION",
                   "'num-npus-per-node' has no effect with NO_MEMORY_EXPANSION"}));
  EXPECT_EQ(warnings("{}", by_node + ", \"num-nodes\": 2, \"num-npus-per-node\": 2}"), Texts{});
}

TEST(AstraFilesWithoutNetwork, AreRefused) {
  Files files;
  const auto said = [&] {
    try {
      convert(files, "p.yaml");
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(), "--network-configuration is missing");
  files.network = "empty";
  EXPECT_EQ(said(), "--network-configuration is missing");
  files.network = "/no/such/file";
  EXPECT_EQ(said(), "--system-configuration is missing");
  files.system = "/no/such/system";
  EXPECT_EQ(said(), "cannot read /no/such/file");
}

}  // namespace
}  // namespace wafertlm::astra_sim
