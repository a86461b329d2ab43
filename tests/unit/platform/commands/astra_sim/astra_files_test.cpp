// SPDX-License-Identifier: Apache-2.0
// What ASTRA-sim's files become: every key, in our units (its bandwidths of links are GiB/s, others GB/s;
// times are ns), and what is refused.
#include "platform/commands/astra_sim/astra_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/spec/load.h"
#include "tests/unit/platform/commands/astra_sim/astra_files_fixture.h"

namespace wafertlm::astra_sim {
namespace {

TEST_F(AstraFiles, WithoutKeysEverythingHasItsDefault) {
  const Conversion made = converted(kRing, "{}");
  EXPECT_EQ(
      platform_of(made),
      "\nplatform: \"network\"\nwafer:\n  fabric:\n    kind: dimensional\n"
      "    dimensions:\n      - {topology: ring, size: 4, bandwidth: 53687091200 B/s, latency: 500000 ps}\n"
      "    transport: messages\n    time_step: 1 ns\n    point_to_point: bare\n"
      "    switch_mode: store_and_forward\n    ring_opposite: up\n    header_bytes: 0 B\n"
      "npu:\n  compute:\n    durations: replay\n    time_step: 1 ns\n  hbm:\n    capacity: 1000 PB\n"
      "  endpoint:\n    receive_cost: 0 ps\n    stage_cost: 0 ps\n"
      "sequencer:\n  order: lowest_id\n  communications: 1\ncollectives:\n  equal_pieces: true\n"
      "  chunks: 1\n  dimensions:\n    order: per_dimension\n    within: fifo\n    active_chunks: 1\n"
      "    reductions: astra_sim\nrun:\n  watchdog: 9000000 s\n");
  EXPECT_EQ(experiment_of(made), "");
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
  EXPECT_EQ(yaml_files(made).front().second, R"(# From ASTRA-sim's files, each value with its place there.
platform: "network"  # --network-configuration
wafer:
  fabric:
    kind: dimensional  # ASTRA-sim
    dimensions:  # network.yml:1
      - {topology: ring, size: 4, bandwidth: 53687091200 B/s, latency: 500000 ps}
      - {topology: fully_connected, size: 2, bandwidth: 27380416512 B/s, latency: 500 ps}
      - {topology: switch, size: 3, bandwidth: 1 B/s, latency: 0 ps}
    transport: messages  # ASTRA-sim
    time_step: 1 ns  # ASTRA-sim
    point_to_point: bare  # ASTRA-sim
    switch_mode: store_and_forward  # ASTRA-sim
    ring_opposite: up  # ASTRA-sim
    header_bytes: 0 B  # ASTRA-sim
npu:
  peak: 250000000000 FLOPS  # system.json:2
  compute:
    durations: roofline  # system.json:3
    time_step: 1 ns  # ASTRA-sim
  hbm:
    read_bandwidth: 1500000000 B/s  # system.json:2
    write_bandwidth: 1500000000 B/s  # system.json:2
    capacity: 1000 PB  # ASTRA-sim
  endpoint:
    receive_cost: 25000 ps  # system.json:2
    stage_cost: 25000 ps  # system.json:2
    reduction_bandwidth: 1500000000 B/s  # system.json:2
sequencer:
  order: lowest_id  # ASTRA-sim
  communications: 1  # ASTRA-sim
collectives:
  equal_pieces: true  # ASTRA-sim
  chunks: 5  # system.json:2
  by_type:
    all_gather: one_direct  # system.json:5
  partial_groups:
    all_reduce: one_ring  # system.json:4
  custom:
    all_to_all: "/y.xml"  # system.json:5
  dimensions:
    order: local_bandwidth_aware  # system.json:1
    within: smallest_first  # system.json:3
    active_chunks: 3  # system.json:1
    reductions: astra_sim  # ASTRA-sim
    all_reduce: [ring, direct, halving_doubling]  # system.json:4
    direct_window: 7  # system.json:4
remote_memory:
  kind: per_node  # memory.json:1
  npus_per_node: 6  # memory.json:2
  capacity: 1000 PB  # ASTRA-sim
  bandwidth: 2000000000 B/s  # memory.json:1
  latency: 1500 ps  # memory.json:1
  service: accesses  # ASTRA-sim
  local: free  # ASTRA-sim
run:
  watchdog: 9000000 s  # ASTRA-sim
)");
  EXPECT_EQ(made.npus, 24U);
  ASSERT_EQ(made.warnings.size(), 1U);
  EXPECT_EQ(made.warnings[0].text,
            folder_.path() +
                "/system.json:5:40: 'all-gather-implementation': windows of direct differ; "
                "all take 7");
  EXPECT_EQ(made.warnings[0].only_with, chakra::CollectiveType::AllGather);
}

TEST_F(AstraFiles, TheExperimentNamesTheTracesByTheirAbsolutePath) {
  files_.workload = "/traces/x/../job";
  EXPECT_EQ(
      experiment_of(converted(kRing, "{}")),
      "\nexperiment: astra-sim\nworkload:\n  workload: \"job\"\n  chakra: \"/traces/job\"\niterations: 1\n"
      "platform: platform.yaml\n");
  files_.comm_groups = "/traces/groups.json";
  expect_part(experiment_of(converted(kRing, "{}")),
              "  chakra: \"/traces/job\"\n  comm_groups: \"/traces/groups.json\"\niterations: 1\n");
  files_.comm_groups = files_.workload = "empty";
  EXPECT_EQ(experiment_of(converted(kRing, "{}")), "");
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
  expect_part(yaml("{" + numbers + "\"roofline-enabled\": 0}"), "  hbm:\n    capacity: 1000 PB\n");
  const std::string why = "system.json: 'roofline-enabled' needs peak-perf and local-mem-bw, got '1'";
  EXPECT_EQ(refused(kRing, R"({"roofline-enabled": 1, "peak-perf": 1})"), why);
  EXPECT_EQ(refused(kRing, R"({"roofline-enabled": 1, "local-mem-bw": 1})"), why);
}

TEST_F(AstraFiles, AlgorithmsByTheirNames) {
  const std::string two =
      "topology: [ Ring, Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50, 50 ]\nlatency: [ 500, 500 ]\n";
  const auto part = [&](const std::string& network, const std::string& keys) {
    const std::string text = platform_of(converted(network, keys));
    const std::size_t from = text.find("  chunks: 1\n") + 12, order = text.find("  dimensions:\n    order");
    const std::size_t behind = text.find("reductions: astra_sim\n") + 22;
    return text.substr(from, order - from) + "|" + text.substr(behind, text.find("run:") - behind);
  };
  // Of one dimension, a group of some NPUs takes the same.
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["direct"]})"),
            "  partial_groups:\n    all_reduce: one_direct\n|    all_reduce: [direct]\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["doubleBinaryTree"]})"),
            "|    all_reduce: [double_binary_tree]\n");
  EXPECT_EQ(part(two, R"({"all-reduce-implementation": ["doubleBinaryTree", "doubleBinaryTree"]})"),
            "  partial_groups:\n    all_reduce: one_ring\n"
            "|    all_reduce: [double_binary_tree, double_binary_tree]\n");
  EXPECT_EQ(part(two,
                 R"({"collective-optimization": "localBWAware",
                     "all-reduce-implementation": ["doubleBinaryTree", "doubleBinaryTree"]})"),
            "  partial_groups:\n    all_reduce: one_ring\n|    all_reduce: [auto, double_binary_tree]\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": ["oneHalvingDoubling"]})"),
            "  by_type:\n    all_reduce: one_halving_doubling\n"
            "  partial_groups:\n    all_reduce: one_halving_doubling\n|");
  EXPECT_EQ(
      part(kRing,
           R"({"reduce-scatter-implementation": ["oneDirect12"], "all-gather-implementation": ["oneRing"]})"),
      "  by_type:\n    all_gather: one_ring\n    reduce_scatter: one_direct\n"
      "  partial_groups:\n    all_gather: one_ring\n    reduce_scatter: one_direct\n|    direct_window: "
      "12\n");
  // Of several, a ring.
  EXPECT_EQ(
      part(
          two,
          R"({"all-gather-implementation": ["direct", "direct"], "reduce-scatter-implementation": ["oneDirect"]})"),
      "  by_type:\n    reduce_scatter: one_direct\n  partial_groups:\n    all_gather: one_ring\n"
      "|    all_gather: [direct, direct]\n");
  EXPECT_EQ(part(two, R"({"all-reduce-implementation": ["oneRing", "anything"]})"),
            "  by_type:\n    all_reduce: one_ring\n  partial_groups:\n    all_reduce: one_ring\n|");
  EXPECT_EQ(
      part(two, R"({"all-to-all-implementation": ["direct65536", "ring"]})"),
      "  partial_groups:\n    all_to_all: one_ring\n|    all_to_all: [direct, ring]\n    direct_window: "
      "65536\n");
  EXPECT_EQ(part(kRing, R"({"all-reduce-implementation": "ring"})"),
            "  partial_groups:\n    all_reduce: one_ring\n|    all_reduce: [ring]\n")
      << "a name is a list of one";
  EXPECT_EQ(
      warnings(R"({"all-gather-implementation": ["doubleBinaryTree"]})"),
      Texts{"'all-gather-implementation': doubleBinaryTree does all-reduces only, and the dimension has "
            "others; auto takes its place"});
  EXPECT_EQ(warnings(R"({"all-to-all-implementation": ["halvingDoubling"]})"),
            Texts{"'all-to-all-implementation': all-to-all goes direct, not by halvingDoubling"});
}

TEST_F(AstraFiles, AlgorithmsThatAreNoneAreRefused) {
  const std::string key = "system.json: 'all-reduce-implementation' ";
  const auto said = [&](const std::string& list) {
    return refused(kThree, "{\"all-reduce-implementation\": " + list + "}");
  };
  EXPECT_EQ(said("[]"), key + "needs an algorithm for each dimension, got a list");
  EXPECT_EQ(said("[\"ring\", \"ring\"]"),
            key + "needs an algorithm for each of the 3 dimensions, got a list");
  expect_part(said("[\"ring\", \"oneRing\", \"ring\"]"),
              key + "stands behind an algorithm of one dimension, got the text 'oneRing'");
  expect_part(said("[\"ring\", \"ring\", \"direct65537\"]"),
              key + "has a window above 65536, got the text 'direct65537'");
  expect_part(said("[\"ring\", \"ring\", \"direct123456\"]"), ", got the text 'direct123456'");
  expect_part(said("[\"direct1x\", \"ring\", \"ring\"]"), ", got the text 'direct1x'");
  expect_part(said("[\"onering\", \"ring\", \"ring\"]"), ", got the text 'onering'");
  expect_part(said("[\"one\", \"ring\", \"ring\"]"), ", got the text 'one'");
  expect_part(said("[\"oneDoubleBinaryTree\"]"), ", got the text 'oneDoubleBinaryTree'");
  expect_part(said("[\"halvingDoublng\", \"ring\", \"ring\"]"), "; did you mean 'halvingDoubling'?");
  EXPECT_EQ(said("[1]"), key + "must be a list of names, got '1'");
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
  const auto each = [](const std::string& key, int topologies, int values) {
    return fmt::format(
        "network.yml: '{}' needs a value for each dimension; topology has {}, this {}, got a list", key,
        topologies, values);
  };
  EXPECT_EQ(said("[]", "[]", "[]", "[]"),
            "network.yml: 'topology' needs a value for each dimension, got a list");
  EXPECT_EQ(said("[Ring]", "[4, 4]", "[1]", "[1]"), each("npus_count", 1, 2));
  EXPECT_EQ(said("[Ring]", "[4]", "[1, 1]", "[1]"), each("bandwidth", 1, 2));
  EXPECT_EQ(said("[Ring]", "[4]", "[1]", "[1, 1]"), each("latency", 1, 2));
  EXPECT_EQ(said("[Ring, Ring]", "[4]", "[1]", "[1]"), each("npus_count", 2, 1));
  EXPECT_EQ(said("[Ring]", "[2.5]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be whole numbers, got '2.5'");
  EXPECT_EQ(said("[Ring, Ring]", "[256, 257]", "[1, 1]", "[1, 1]"),
            "network.yml: 'npus_count' multiplies to more than 65536 NPUs, got '257'");
  EXPECT_EQ(said("[Ring, Ring]", "[256, 256]", "[1, 1]", "[1, 1]"), "");
  EXPECT_EQ(said("[Ring]", "[0]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be a number from 1 to 65536, got '0'");
  EXPECT_EQ(said("[Ring]", "[4]", "[8e6]", "[1e9]"), "");
  EXPECT_EQ(said("[Ring]", "[4]", "[8000001]", "[1]"),
            "network.yml: 'bandwidth' must be a number from 1e-09 to 8e+06, got '8000001'");
  EXPECT_EQ(said("[Ring]", "[4]", "[1]", "[1000000001]"),
            "network.yml: 'latency' must be a number from 0 to 1e+09, got '1000000001'");
  EXPECT_EQ(said("[Ring]", "[four]", "[1]", "[1]"),
            "network.yml: 'npus_count' must be a number from 1 to 65536, got 'four'");
  expect_part(said("[Rign]", "[4]", "[1]", "[1]"),
              "network.yml: 'topology' has an unknown name; did you mean 'Ring'?");
  for (const char* const key : {"topology", "npus_count", "bandwidth", "latency"}) {
    std::string text = kRing;
    const std::size_t at = text.find(key);
    text.erase(at, text.find('\n', at) + 1 - at);
    EXPECT_EQ(refused(text, "{}"),
              fmt::format("network.yml: '{}' is missing; needed are topology, npus_count, bandwidth, latency",
                          key));
  }
  EXPECT_EQ(refused("3", "{}"), "network.yml: expected 'key: value' lines, got '3'");
  expect_part(refused(kRing + "latencies: 3\n", "{}"),
              "network.yml: unknown key 'latencies'; did you mean 'latency'?");
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 1e9}"), "");
  EXPECT_EQ(refused(kRing, "{\"preferred-dataset-splits\": 1.5}"),
            "system.json: 'preferred-dataset-splits' must be a whole number, got '1.5'");
  files_.injection_scale = 2;
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 5e8}"), "");
  EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": 6e8}"),
            "system.json: 'endpoint-delay' times --injection-scale is above 1 s, got '6e8'");
}

TEST_F(AstraFiles, NumbersMayStandInQuotesOrInAListOfOne) {
  for (const char* const ten : {"10", "\"10\"", "[10]", "10.0"})
    expect_part(yaml("{\"endpoint-delay\": " + std::string(ten) + "}"), "receive_cost: 10000 ps");
  const std::string range = "system.json: 'endpoint-delay' must be a number from 0 to 1e+09, got ";
  for (const auto& [bad, got] :
       {std::pair("\"ten\"", "the text 'ten'"), std::pair("true", "'true'"), std::pair("[10,10]", "a list"),
        std::pair("null", "nothing"), std::pair("-1", "'-1'")})
    EXPECT_EQ(refused(kRing, "{\"endpoint-delay\": " + std::string(bad) + "}"), range + got);
  EXPECT_EQ(refused(kRing, "{\"scheduling-policy\": 3}"),
            "system.json: 'scheduling-policy' must be one of LIFO, FIFO, EXPLICIT, got '3'");
}

TEST_F(AstraFiles, AKeyThatIsWrittenTwiceIsFound) {
  const auto expect_twice = [&](const std::string& system, const std::string& second,
                                const std::string& first, const std::string& key) {
    EXPECT_EQ(said(kRing, system), folder_.path() + "/system.json:" + second + ": the key '" + key +
                                       "' is written twice (first at " + folder_.path() +
                                       "/system.json:" + first + "); keep one of them");
  };
  expect_twice(R"({"L": 1, "L": 2})", "1:10", "1:2", "L");
  expect_twice("{\"L\": 1,\n\"o\": 2,\n\n\"L\": 3}", "4:1", "1:2", "L");
  // Values that look like it, with quotes and backslashes in them.
  expect_twice("{\"L\": \"L\\\": \\\\\",\n\"o\": [\"L\", \"L\"],\n\"g\": \"x\", \"L\": 3}", "3:11", "1:2",
               "L");
  // In the map within it is another key, or the same one twice.
  EXPECT_EQ(said(kRing, "{\"L\": {\"o\": 1},\n\"o\": {\"o\": 2}}"), "");
  expect_twice("{\"o\": 1,\n\"L\": {\"o\": 1,\n\"o\": 2}}", "3:1", "2:7", "o");
}

TEST_F(AstraFiles, RemoteMemoryByItsType) {
  const auto line = [&](const std::string& memory) {
    const std::string text = platform_of(converted(kRing, "{}", memory));
    const std::size_t at = text.find("remote_memory:\n");
    return at == std::string::npos ? "" : text.substr(at + 15, text.find("run:") - at - 15);
  };
  const std::string rest =
      "\n  capacity: 1000 PB\n  bandwidth: 50000000000 B/s\n  latency: 0 ps\n  service: accesses\n  local: "
      "free\n";
  const std::string rate = R"("remote-mem-latency": 0, "remote-mem-bw": 50)";
  EXPECT_EQ(line(R"({"memory-type": "MEMORY_POOL", )" + rate + "}"), "  kind: shared" + rest);
  EXPECT_EQ(line(R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", )" + rate + "}"), "  kind: per_npu" + rest);
  EXPECT_EQ(line("{}"), "");
  EXPECT_TRUE(converted(kRing, "{}", "{}").no_remote_memory);
  EXPECT_FALSE(converted(kRing, "{}", R"({"memory-type": "MEMORY_POOL", )" + rate + "}").no_remote_memory);
  const std::string all = "; needed are remote-mem-latency, remote-mem-bw";
  EXPECT_EQ(refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 50})"),
            "memory.json: 'remote-mem-latency' is missing" + all);
  EXPECT_EQ(refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 50})"),
            "memory.json: 'remote-mem-bw' is missing" + all);
  EXPECT_EQ(
      refused(kRing, "{}", R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 5, "remote-mem-bw": 0})"),
      "memory.json: 'remote-mem-bw' must be above 0, got '0'");
  const std::string by_node = R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", )" + rate;
  const std::string nodes = "; needed are num-nodes, num-npus-per-node";
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-nodes\": 2}"),
            "memory.json: 'num-npus-per-node' is missing" + nodes);
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-npus-per-node\": 2}"),
            "memory.json: 'num-nodes' is missing" + nodes);
  EXPECT_EQ(refused(kRing, "{}", by_node + ", \"num-nodes\": 4, \"num-npus-per-node\": 2}"),
            "memory.json: 'num-nodes' times num-npus-per-node, 2, must be the network's 4 NPUs, got '4'");
  // What has no effect is said.
  EXPECT_EQ(warnings("{}", R"({"memory-type": "MEMORY_POOL", "num-nodes": 2, )" + rate + "}"),
            Texts{"'num-nodes' has no effect with MEMORY_POOL"});
  EXPECT_EQ(warnings("{}", R"({"num-npus-per-node": 2, )" + rate + "}"),
            (Texts{"'remote-mem-latency' has no effect with NO_MEMORY_EXPANSION",
                   "'remote-mem-bw' has no effect with NO_MEMORY_EXPANSION",
                   "'num-npus-per-node' has no effect with NO_MEMORY_EXPANSION"}));
  EXPECT_EQ(warnings("{}", by_node + ", \"num-nodes\": 2, \"num-npus-per-node\": 2}"), Texts{});
}

}  // namespace
}  // namespace wafertlm::astra_sim
