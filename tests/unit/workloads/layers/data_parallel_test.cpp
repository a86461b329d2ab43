// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/data_parallel.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/same_node.h"
#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::layers {
namespace {

using chakra::CommGroups;
using chakra::Node;
using chakra::NodeType;
using chakra::test::expect_error;
using chakra::test::read_all;
using Ids = std::vector<std::uint64_t>;

DataParallelSpec toy() {
  DataParallelSpec spec;
  spec.workload = "toy";
  spec.layers = {{"a", 100, 10}, {"b", 200, 20}, {"c", 300, 30}};
  spec.data_parallel = 4;
  spec.batch_per_npu = 2;
  spec.bytes_per_element = 2;
  spec.bucket_bytes = 700;  // c: 600 B, b: 400 B, a: 200 B
  spec.effective_rate = 3'000'000'000'000;
  return spec;
}

DataParallelSpec resnet() {
  DataParallelSpec spec;
  spec.workload = "ResNet-50";
  spec.layers = resnet50();
  spec.data_parallel = 20;
  spec.batch_per_npu = 32;
  spec.bytes_per_element = 2;
  spec.bucket_bytes = 25U << 20U;
  spec.effective_rate = 400'000'000'000'000;
  return spec;
}

struct Row {
  std::string name;
  Ids parents;
};

void expect_rows(const std::vector<Node>& nodes, const std::vector<Row>& rows) {
  ASSERT_EQ(nodes.size(), rows.size());
  for (std::size_t index = 0; index < rows.size(); ++index) {
    EXPECT_EQ(nodes[index].id, index);
    EXPECT_EQ(nodes[index].name, rows[index].name);
    EXPECT_EQ(nodes[index].data_deps, rows[index].parents) << rows[index].name;
    EXPECT_TRUE(nodes[index].ctrl_deps.empty());
  }
}

TEST(DataParallel, ToyWithOverlap) {
  LayerGenerator generator(toy(), 3);
  EXPECT_EQ(generator.name(), "toy, rank 3");
  const auto nodes = read_all(generator);
  expect_rows(nodes, {{"forward a", {}},
                      {"forward b", {0}},
                      {"forward c", {1}},
                      {"input_gradient c", {2}},
                      {"weight_gradient c", {3}},  // 600 B: not full
                      {"input_gradient b", {4}},
                      {"weight_gradient b", {5}},
                      {"all_reduce bucket 0", {4, 6}},  // 1000 B
                      {"weight_gradient a", {6}},       // the first layer has no input gradient
                      {"all_reduce bucket 1", {8}},
                      {"optimizer", {8, 7, 9}}});
  EXPECT_EQ(nodes[7].comm_type, chakra::CollectiveType::AllReduce);
  EXPECT_EQ(nodes[7].comm_size, 1000U);
  EXPECT_EQ(nodes[7].comm_class, "dp");
  EXPECT_EQ(nodes[9].comm_size, 200U);
  EXPECT_EQ(nodes[0].num_ops, 20U);
  EXPECT_EQ(nodes[0].duration_ps, 7U);  // 20 / 3 operations per ps, rounded up
  EXPECT_EQ(nodes[3].duration_ps, 20U);
  EXPECT_EQ(nodes[10].num_ops, 2400U);  // 600 parameters, 4 operations each
  EXPECT_EQ(nodes[10].duration_ps, 800U);
}

TEST(DataParallel, ToyWithoutOverlap) {
  auto spec = toy();
  spec.overlap = false;
  LayerGenerator generator(spec, 0);
  const auto nodes = read_all(generator);
  ASSERT_EQ(nodes.size(), 11U);
  EXPECT_EQ(nodes[7].name, "weight_gradient a");
  EXPECT_EQ(nodes[8].name, "all_reduce bucket 0");
  EXPECT_EQ(nodes[8].data_deps, Ids{7});
  EXPECT_EQ(nodes[8].comm_size, 1000U);
  EXPECT_EQ(nodes[9].data_deps, Ids{7});
  EXPECT_EQ(nodes[10].data_deps, (Ids{7, 8, 9}));
}

TEST(DataParallel, OneRankHasNothingToReduce) {
  auto spec = toy();
  spec.data_parallel = 1;
  LayerGenerator generator(spec, 0);
  for (const Node& node : read_all(generator)) EXPECT_EQ(node.type, NodeType::Comp) << node.name;
}

TEST(DataParallel, ALayerWithoutParametersHasNoWeightGradient) {
  auto spec = toy();
  spec.layers[1].parameters = 0;
  LayerGenerator generator(spec, 0);
  for (const Node& node : read_all(generator)) EXPECT_NE(node.name, "weight_gradient b");
}

// What a roofline needs: activations of the batch of 2, and the parameters of 2 bytes.
TEST(DataParallel, LayersSayWhatTheyMove) {
  auto spec = toy();
  spec.layers[1].activation_bytes = 1000;
  LayerGenerator generator(spec, 0);
  std::size_t passes = 0;
  for (const Node& node : read_all(generator)) {
    const bool moves = node.name.find(" b") != std::string::npos && node.type == NodeType::Comp;
    EXPECT_EQ(node.tensor_size.value_or(0), moves ? 2 * 1000U + 200 * 2 : 0) << node.name;
    passes += moves ? 1 : 0;
  }
  EXPECT_EQ(passes, 3U);
}

TEST(DataParallel, RewindGivesTheSameIteration) {
  LayerGenerator generator(resnet(), 0);
  const auto first = read_all(generator);
  generator.rewind();
  Node node;
  generator.next(node);  // and from the middle
  generator.rewind();
  EXPECT_EQ(read_all(generator), first);
}

TEST(DataParallel, ResNet50BucketsHoldEveryParameter) {
  // bucket_bytes → buckets: one per layer; 51.1 MB in 26.2 MB; everything in one
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {
      {1, 54}, {std::uint64_t{25} << 20U, 2}, {std::uint64_t{1} << 40U, 1}};
  for (const auto& [bucket_bytes, buckets] : cases) {
    for (const bool overlap : {true, false}) {
      auto spec = resnet();
      spec.bucket_bytes = bucket_bytes;
      spec.overlap = overlap;
      LayerGenerator generator(spec, 19);
      std::uint64_t bytes = 0;
      std::uint64_t count = 0;
      for (const Node& node : read_all(generator)) {
        bytes += node.comm_size.value_or(0);
        count += node.is_collective() ? 1 : 0;
      }
      EXPECT_EQ(bytes, 25'557'032U * 2);
      EXPECT_EQ(count, buckets);
    }
  }
}

// 3 × forward − the input gradient of conv1, + 4 operations per parameter; each of the 162 nodes may be
// rounded up.
TEST(DataParallel, ResNet50ComputeTime) {
  LayerGenerator generator(resnet(), 0);
  const auto summary = chakra::validate(generator, 0, CommGroups(20));
  const std::uint64_t operations =
      32 * (3 * 2 * std::uint64_t{4'089'184'256} - 2 * std::uint64_t{118'013'952}) +
      4 * std::uint64_t{25'557'032};
  const std::uint64_t exact_ps = operations / 400;  // 400 operations per picosecond
  EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::Comp)], 54U + 53 + 54 + 1);
  EXPECT_GE(summary.comp_duration_ps, exact_ps);
  EXPECT_LE(summary.comp_duration_ps, exact_ps + 162);
}

TEST(DataParallel, AJobIsValidAndSurvivesAFile) {
  const chakra::test::TemporaryFolder folder;
  std::vector<std::unique_ptr<chakra::EtReader>> readers;
  std::vector<chakra::NodeSource*> ranks;
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    LayerGenerator generator(resnet(), rank);
    const std::string path = folder.file("job." + std::to_string(rank) + ".et");
    chakra::write_trace(generator, path);
    readers.push_back(std::make_unique<chakra::EtReader>(path));
    generator.rewind();
    EXPECT_EQ(read_all(*readers.back()), read_all(generator));
    ranks.push_back(readers.back().get());
  }
  EXPECT_EQ(chakra::validate_job(ranks, CommGroups(20)).size(), 20U);
}

// Bytes and optimizer operations of all parameters: up to 2^63.
TEST(DataParallel, ParametersUpToTheLimit) {
  auto spec = toy();
  spec.layers.resize(1);
  spec.bytes_per_element = 3;
  spec.optimizer_operations_per_parameter = 1;
  spec.layers[0].parameters = std::uint64_t{1} << 61U;
  LayerGenerator largest(spec, 0);
  std::uint64_t bytes = 0;
  for (const Node& node : read_all(largest))
    if (node.is_collective()) bytes += *node.comm_size;
  EXPECT_EQ(bytes, std::uint64_t{3} << 61U);
  ++spec.layers[0].parameters;
  expect_error([&] { LayerGenerator(spec, 0); }, {"too many parameters"});
}

TEST(DataParallel, BadSpecificationsAreRefused) {
  const auto refuse = [](auto change, const std::string& part) {
    auto spec = toy();
    change(spec);
    expect_error(
        [&] {
          LayerGenerator generator(spec, 0);
          read_all(generator);
        },
        {"toy", part});
  };
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62U;
  refuse([](auto& s) { s.layers.clear(); }, "no layers");
  refuse([](auto& s) { s.batch_per_npu = 0; }, "batch_per_npu");
  refuse([](auto& s) { s.bytes_per_element = 0; }, "bytes_per_element");
  refuse([](auto& s) { s.bucket_bytes = 0; }, "bucket_bytes");
  refuse([](auto& s) { s.effective_rate = 0; }, "effective_rate");
  refuse([](auto& s) { s.data_parallel = 0; }, "no such rank");
  refuse([](auto& s) { s.layers[0].parameters = kHuge; }, "too many parameters");
  refuse([](auto& s) { s.layers[0].forward_operations = kHuge; }, "63 bits");
  refuse(
      [](auto& s) {
        s.effective_rate = 1;
        s.batch_per_npu = 1'000'000;
      },
      "106 days");
}

// Wherever it is when it begins anew.
TEST(DataParallel, ARewoundGeneratorBeginsAnew) {
  for (const bool overlap : {false, true}) {
    DataParallelSpec spec = toy();
    spec.overlap = overlap;
    LayerGenerator fresh(spec, 0);
    const std::vector<Node> all = read_all(fresh);
    for (std::size_t taken = 0; taken <= all.size(); ++taken) {
      LayerGenerator generator(spec, 0);
      Node node;
      for (std::size_t i = 0; i < taken; ++i) EXPECT_TRUE(generator.next(node));
      generator.rewind();
      EXPECT_EQ(read_all(generator), all) << taken;
    }
  }
}

}  // namespace
}  // namespace wafertlm::layers
