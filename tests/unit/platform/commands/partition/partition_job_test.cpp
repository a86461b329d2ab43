// SPDX-License-Identifier: Apache-2.0
// What workers do and send, files that describe it, and what the command prints.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "platform/commands/partition/inputs.h"
#include "platform/commands/partition/partitioners.h"
#include "platform/commands/partition/simulated.h"
#include "tests/support/command_run.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {

std::function<int()> add_partition_command(CLI::App& app);

namespace partition {
namespace {

using Counts = std::vector<std::uint64_t>;

/// Two workers, two layers: 3 and 5 weights kept by the first, 4 and 6 by the second; values sent 0→1, 1→0.
std::vector<Pruned> two_layers() {
  Pruned first, second;
  first.kept = 7;
  first.kept_by = {3, 4};
  first.sent = {0, 2, 1, 0};
  second.kept = 11;
  second.kept_by = {5, 6};
  second.sent = {0, 0, 3, 0};
  return {first, second};
}

PartitionSpec spec_of_two(Pass pass) {
  PartitionSpec spec;
  spec.workers = 2;
  spec.pass = pass;
  spec.batch = 10;
  spec.bytes_per_value = 4;
  spec.speed = 1e6;
  spec.chain = {{"a", 1, 1, {1}}, {"b", 1, 1, {1}}};
  return spec;
}

struct VolumeRow {
  Pass pass;
  double operations;
  std::uint64_t bytes;
};

class PartitionVolume : public testing::TestWithParam<VolumeRow> {};

TEST_P(PartitionVolume, CountsTheBackwardPass) {
  const PartitionSpec spec = spec_of_two(GetParam().pass);
  EXPECT_EQ(operations_of(spec, two_layers()), GetParam().operations);
  EXPECT_EQ(bytes_of(spec, two_layers()), GetParam().bytes);
}

// 2 operations a weight and sample; backward of the first layer as many, of the second twice as many. Values
// of 4 bytes; the second layer's gradients go back.
INSTANTIATE_TEST_SUITE_P(Passes, PartitionVolume,
                         testing::Values(VolumeRow{Pass::inference, 20.0 * (7 + 11), 40 * (3 + 3)},
                                         VolumeRow{Pass::training, 20.0 * (2 * 7 + 3 * 11),
                                                   40 * (3 + 2 * 3)}));

/// "id type peer:tag bytes <parents" of a worker's nodes.
std::string worker_text(const std::vector<chakra::Node>& nodes) {
  std::string text;
  for (const chakra::Node& node : nodes) {
    text += std::to_string(node.id);
    if (node.type == chakra::NodeType::Comp)
      text += " " + node.name + " " + std::to_string(node.duration_ps / 1'000'000) + " us";
    else
      text += (node.comm_dst ? " to " + std::to_string(*node.comm_dst)
                             : " from " + std::to_string(*node.comm_src)) +
              " tag " + std::to_string(*node.comm_tag) + " " + std::to_string(*node.comm_size) + " B";
    for (const std::uint64_t parent : node.data_deps) text += " <" + std::to_string(parent);
    text += "\n";
  }
  return text;
}

TEST(PartitionNodes, AreValuesThenProductsThenGradientsBack) {
  const auto ranks = nodes_of(spec_of_two(Pass::training), two_layers());
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(
      worker_text(ranks[0]),
      "1 to 1 tag 0 80 B\n2 from 1 tag 0 40 B\n3 a 60 us <2\n4 from 1 tag 1 120 B <3\n5 b 100 us <3 <4\n"
      "6 gradients of b 200 us <5\n7 to 1 tag 3 120 B <6\n8 gradients of a 60 us <6\n");
  EXPECT_EQ(worker_text(ranks[1]),
            "1 to 0 tag 0 40 B\n2 from 0 tag 0 80 B\n3 a 80 us <2\n4 to 0 tag 1 120 B <3\n5 b 120 us <3\n"
            "6 gradients of b 240 us <5\n7 from 0 tag 3 120 B <6\n8 gradients of a 80 us <6 <7\n");
  EXPECT_EQ(nodes_of(spec_of_two(Pass::inference), two_layers())[1].size(), 5U);
}

TEST(PartitionNodes, OfNothingTakeAPicosecond) {
  std::vector<Pruned> layers = two_layers();
  layers[0].kept_by = {0, 7};
  EXPECT_EQ(nodes_of(spec_of_two(Pass::inference), layers)[0][2].duration_ps, 1U);
}

// Of random pruned chains: every byte that is sent is received, and all work is done.
TEST(PartitionNodes, SendWhatIsReceived) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 60; ++round) {
    PartitionSpec spec = spec_of_two(round % 2 == 0 ? Pass::inference : Pass::training);
    spec.workers = 1 + static_cast<std::uint32_t>(random() % 4);
    const auto width = [&] { return spec.workers + random() % 6; };
    spec.chain.clear();
    std::size_t inputs = width();
    for (int k = 0; k < 3; ++k) {
      Layer layer{"l" + std::to_string(k), width(), inputs, {}};
      for (std::size_t i = 0; i < layer.outputs * inputs; ++i)
        layer.weights.push_back(static_cast<double>(random() % 7) - 3);
      inputs = layer.outputs;
      spec.chain.push_back(layer);
    }
    const Prices prices{1, static_cast<double>(random() % 6)};
    const auto layers =
        prune(spec.chain, random_order(spec.chain, spec.workers, random()), spec.workers, prices);
    using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Channel, std::uint64_t> sent, received;
    std::uint64_t bytes = 0;
    double work_s = 0;
    const auto ranks = nodes_of(spec, layers);
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
      for (const chakra::Node& node : ranks[rank]) {
        if (node.type == chakra::NodeType::CommSend) {
          EXPECT_TRUE(sent.emplace(Channel(rank, *node.comm_dst, *node.comm_tag), *node.comm_size).second);
          bytes += *node.comm_size;
        } else if (node.type == chakra::NodeType::CommRecv) {
          received[{*node.comm_src, rank, *node.comm_tag}] = *node.comm_size;
        } else {
          work_s += static_cast<double>(node.duration_ps) * 1e-12;
        }
      }
    EXPECT_EQ(sent, received) << round;
    EXPECT_EQ(bytes, bytes_of(spec, layers)) << round;
    EXPECT_NEAR(work_s, operations_of(spec, layers) / spec.speed, 1e-9) << round;
  }
}

// Every weight is kept or an error; each price is paid for what is counted.
TEST(PartitionPruned, IsTheSumOfItsParts) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 100; ++round) {
    Layer layer{"l", 5, 6, {}};
    double squares = 0;
    for (int i = 0; i < 30; ++i) {
      layer.weights.push_back(static_cast<double>(random() % 9) - 4);
      squares += layer.weights.back() * layer.weights.back();
    }
    Owners inputs, outputs;
    for (int i = 0; i < 6; ++i) inputs.push_back(static_cast<std::uint32_t>(random() % 3));
    for (int i = 0; i < 5; ++i) outputs.push_back(static_cast<std::uint32_t>(random() % 3));
    const Prices prices{2, static_cast<double>(random() % 5)};
    const Pruned found = prune(layer, inputs, outputs, 3, prices);
    double kept_squares = 0, crossing = 0;
    Counts kept_by(3), sent(9);
    for (std::size_t j = 0; j < 6; ++j)
      for (std::uint32_t to = 0; to < 3; ++to) {
        bool is_needed = false;
        for (std::size_t i = 0; i < 5; ++i) {
          const double square = layer.weight(i, j) * layer.weight(i, j);
          if (outputs[i] != to || square <= 2 + (inputs[j] == to ? 0 : prices.mu)) continue;
          kept_squares += square;
          ++kept_by[to];
          is_needed = true;
          crossing += inputs[j] == to ? 0 : 1;
        }
        if (is_needed && inputs[j] != to) ++sent[3 * inputs[j] + to];
      }
    EXPECT_EQ(found.error, squares - kept_squares) << round;
    EXPECT_EQ(found.kept_by, kept_by) << round;
    EXPECT_EQ(found.kept, kept_by[0] + kept_by[1] + kept_by[2]) << round;
    EXPECT_EQ(static_cast<double>(found.crossing), crossing) << round;
    EXPECT_EQ(found.sent, sent) << round;
    EXPECT_EQ(found.cost, found.error + 2 * static_cast<double>(found.kept) + prices.mu * crossing) << round;
  }
}

struct BlocksRow {
  std::size_t neurons;
  std::uint32_t workers;
  Owners owners;
};

class PartitionBlocks : public testing::TestWithParam<BlocksRow> {};

TEST_P(PartitionBlocks, AreInTheOrderOfTheNeurons) {
  EXPECT_EQ(in_blocks(GetParam().neurons, GetParam().workers), GetParam().owners);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PartitionBlocks,
                         testing::Values(BlocksRow{4, 1, {0, 0, 0, 0}}, BlocksRow{4, 2, {0, 0, 1, 1}},
                                         BlocksRow{5, 5, {0, 1, 2, 3, 4}}, BlocksRow{3, 2, {0, 1, 1}},
                                         BlocksRow{7, 3, {0, 0, 1, 1, 1, 2, 2}}));

TEST(PartitionPlacement, IsTheFirstNpusOrThoseThatAreNamed) {
  PartitionSpec spec = spec_of_two(Pass::inference);
  EXPECT_EQ(spec.placement(), (Placement{NpuId{0}, NpuId{1}}));
  spec.npus = {7, 3};
  EXPECT_EQ(spec.placement(), (Placement{NpuId{7}, NpuId{3}}));
}

struct PartitionMistake {
  const char* name;
  std::string yaml;
  const char* message;
};

class PartitionFileMistake : public testing::TestWithParam<PartitionMistake> {};

TEST_P(PartitionFileMistake, IsRefusedAtItsPlace) {
  const test::TempFolder folder;
  folder.write("p.yaml", "platform: p\nwafer: {width: 2, height: 1}\n");
  const std::string file = folder.write("w.yaml", "partition: w\n" + GetParam().yaml);
  std::string why = test::refusal_of<std::exception>([&] { load_partition(file); });
  if (why.rfind(file, 0) == 0) why = why.substr(file.size());
  EXPECT_EQ(why, GetParam().message);
}

const std::string kWorkers = "workers: 2\nmu: [1]\n",
                  kLayers = "layers: [{name: l, weights: [[1, 2], [3, 4]]}]\n";

INSTANTIATE_TEST_SUITE_P(
    Files, PartitionFileMistake,
    testing::Values(
        PartitionMistake{"None", kWorkers + kLayers, ""},
        PartitionMistake{"NoWeights", kWorkers,
                         ":1:1: layers: give either 'weights' or 'generate' or 'layers'"},
        PartitionMistake{"TwoSources", kWorkers + kLayers + "generate: {widths: [2, 2]}\n",
                         ":4:9: layers: give either 'weights' or 'generate' or 'layers'"},
        PartitionMistake{"UnevenRows", kWorkers + "layers: [{name: l, weights: [[1, 2], [3]]}]\n",
                         ":4:29: layers[0].weights: all rows need as many weights as the first, 2"},
        PartitionMistake{"ArraysOfNothing", kWorkers + kLayers + "arrays: [a]\n",
                         ":5:9: arrays: has no effect without 'weights'"},
        PartitionMistake{"RowsOfNothing", kWorkers + kLayers + "rows: inputs\n",
                         ":5:7: rows: has no effect without 'weights'"},
        PartitionMistake{
            "FewNeurons", "workers: 3\nmu: [1]\n" + kLayers,
            ":4:9: layers: layer 'l' has 2 inputs, fewer than the 3 workers; take fewer workers"},
        PartitionMistake{"LayersThatDoNotFit",
                         kWorkers +
                             "layers: [{name: l, weights: [[1, 2], [3, 4]]}, {name: m, weights: [[1, 2, 3], "
                             "[1, 2, 3]]}]\n",
                         ":4:9: layers: layer 'm' has 3 inputs, and layer 'l' before it 2 outputs"},
        PartitionMistake{"GroupsAboveTheWidth", kWorkers + "generate: {widths: [2, 2], groups: 3}\n",
                         ":4:11: generate: generated weights: a width of 2 is below the number of groups (1 "
                         "at least) or above 65536"},
        PartitionMistake{"NegativePrice", "workers: 2\nmu: [-1]\n" + kLayers,
                         ":3:6: mu[0]: '-1' is out of range; expected a number from 0 to 1000000000000000"},
        PartitionMistake{"SpeedOfNothing", kWorkers + kLayers + "speed: 5\n",
                         ":5:8: speed: has no effect without 'platform'"},
        PartitionMistake{"PassOfNothing", kWorkers + kLayers + "pass: training\n",
                         ":5:7: pass: has no effect without 'platform'"},
        PartitionMistake{"NoSpeed", kWorkers + kLayers + "platform: p.yaml\n",
                         ":5:11: platform: needs the 'speed' of a worker"},
        PartitionMistake{"OneNpu", kWorkers + kLayers + "platform: p.yaml\nspeed: 5\nnpus: [0]\n",
                         ":7:7: npus: 1 NPUs for 2 workers; give one for each"},
        PartitionMistake{"OneNpuTwice", kWorkers + kLayers + "platform: p.yaml\nspeed: 5\nnpus: [1, 1]\n",
                         ":7:7: npus: two workers on one NPU; give each its own"},
        PartitionMistake{"NoSuchNpu",
                         kWorkers + kLayers +
                             "platform: " WAFERTLM_SOURCE_DIR
                             "/configs/platforms/wafer_mesh_5x4.yaml\nspeed: 5\nnpus: [19, 20]\n",
                         ":7:7: npus: NPU 20 is not on wafer mesh 5x4, which has 20 NPUs"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(PartitionCommand, HasARowForEachPriceAndMethod) {
  const test::TempFolder folder;
  // The layer of the golden case (partition_test.cpp): cost 41 as given, 17 at the least.
  const std::string file = folder.write("w.yaml",
                                        "partition: w\nworkers: 2\nlambda: 1\nmu: [0, 8]\nbatch: "
                                        "3\nbytes_per_value: 4\nlayers: [{name: l, weights: "
                                        "[[5, -3, 1, 0], [1, 2, 4, -4], [-2, 4, 1, 1], [0, 1, -5, 3]]}]\n");
  const auto json =
      nlohmann::json::parse(test::run_command(add_partition_command, "partition --json " + file).out);
  EXPECT_EQ(json["workers"], 2);
  EXPECT_EQ(json["lambda"], 1);
  EXPECT_TRUE(json["simulated_on"].is_null());
  ASSERT_EQ(json["rows"].size(), 10U);
  const char* const methods[] = {"given order", "random", "METIS", "assignment", "assignment, shared values"};
  for (std::size_t i = 0; i < 10; ++i) {
    const auto& row = json["rows"][i];
    EXPECT_EQ(row["mu"], i < 5 ? 0 : 8);
    EXPECT_EQ(row["method"], methods[i % 5]);
    if (i < 5) {
      EXPECT_EQ(row["cost"], 14) << i;
    }
    EXPECT_FALSE(row.contains("time_s"));
    EXPECT_EQ(row["layers"][0]["owners"].size(), 4U);
    EXPECT_EQ(row["bytes"], row["layers"][0]["values_sent"].get<int>() * 3 * 4);
  }
  const auto& given = json["rows"][5];
  EXPECT_EQ(given["cost"], 41);
  EXPECT_EQ(given["crossing_weights"], 3);
  EXPECT_EQ(given["layers"][0]["owners"], (nlohmann::json{0, 0, 1, 1}));
  EXPECT_EQ(given["bytes"], 3 * 3 * 4);
  EXPECT_EQ(json["rows"][8]["cost"], 17);
  EXPECT_EQ(json["rows"][8]["error"], 9);
  EXPECT_EQ(json["rows"][8]["kept_weights"], 8);
  EXPECT_EQ(test::run_command(add_partition_command, "partition " + file + " --set wafer.width=3").refusal,
            "--set has no effect: " + file + " names no 'platform'");
}

}  // namespace
}  // namespace partition
}  // namespace wafertlm
