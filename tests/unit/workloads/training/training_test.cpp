// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/support/same_node.h"
#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/models/convolutional.h"
#include "workloads/models/perceptron.h"
#include "workloads/models/transformer.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

chakra::CommGroups comm_groups(const Plan& plan) {
  return chakra::CommGroups::from_map(plan.groups(), plan.ranks());
}

/// Bytes that a rank sends by class if every collective is a ring (reference: collectives.md); of a multicast
/// the root sends all.
std::map<std::string, double> ring_bytes(const Plan& plan, std::uint32_t rank) {
  const chakra::CommGroups groups = comm_groups(plan);
  TrainingGenerator generator(std::shared_ptr<const Plan>(&plan, [](const Plan*) {}), rank);
  std::map<std::string, double> bytes;
  Node node;
  while (generator.next(node)) {
    const auto size = static_cast<double>(node.comm_size.value_or(0));
    if (node.type == NodeType::CommSend) bytes[node.comm_class] += size;
    if (!node.is_collective()) continue;
    const auto& members = groups.ranks(node.pg_name);
    const auto n = static_cast<double>(members.size());
    switch (*node.comm_type) {
      case CollectiveType::AllReduce:
        bytes[node.comm_class] += 2 * (n - 1) / n * size;
        break;
      case CollectiveType::ReduceScatter:
      case CollectiveType::AllToAll:
        bytes[node.comm_class] += (n - 1) / n * size;
        break;
      case CollectiveType::AllGather:
        bytes[node.comm_class] += (n - 1) * size;
        break;
      case CollectiveType::Broadcast:
        if (members.front() == rank) bytes[node.comm_class] += size;
        break;
      default:
        ADD_FAILURE() << "unexpected collective";
    }
  }
  return bytes;
}

// reference: collectives.md, "Worked values": 1.3 B parameters in FP16, 2.6 GB.
TEST(Volumes, DataParallelWorkedValues) {
  model::Model model;
  model.name = "1.3 B parameters";
  model::Layer layer;
  layer.name = "all";
  layer.shared_parameters = 1'300'000'000;
  layer.gemms = {{1, 1, 1}};
  model.blocks = {{"all", {layer}}};
  const struct {
    std::uint32_t n;
    double dp_gb, zero3_gb;
  } rows[] = {{8, 4.55, 6.825}, {64, 5.119, 7.678}, {256, 5.180, 7.770}};
  for (const auto& row : rows) {
    for (std::uint32_t zero = 0; zero <= 3; ++zero) {
      Strategy s = strategy(1, row.n, 1);
      s.zero_stage = zero;
      const Plan plan(model, s);
      const double gb = ring_bytes(plan, 0)["dp"] / 1e9;
      EXPECT_NEAR(gb, zero == 3 ? row.zero3_gb : row.dp_gb, 0.00051) << row.n << " ranks, ZeRO-" << zero;
    }
  }
}

// Four layers of 2000 B of gradients: a bucket closes with the layer that fills it.
TEST(Volumes, ABucketClosesWhenItIsFull) {
  model::Model model;
  model.name = "four";
  model::Layer layer;
  layer.shared_parameters = 1000;
  layer.gemms = {{1, 1, 1}};
  for (int i = 0; i < 4; ++i) model.blocks.push_back({"", {layer}});
  const auto buckets = [&](std::uint64_t bytes) {
    Strategy s = strategy(1, 2, 1);
    s.bucket_bytes = bytes;
    TrainingGenerator generator(std::make_shared<const Plan>(model, s), 0);
    std::vector<std::uint64_t> sizes;
    for (Node node; generator.next(node);)
      if (node.is_collective()) sizes.push_back(*node.comm_size);
    return sizes;
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(buckets(2000), (Sizes{2000, 2000, 2000, 2000}));
  EXPECT_EQ(buckets(2001), (Sizes{4000, 4000}));
  EXPECT_EQ(buckets(6000), (Sizes{6000, 2000}));
}

// b 4, s 2048, h 2048, 24 layers, t 8: 33.55 MB a message, 58.72 MB on the wire per all-reduce, 5.637 GB per
// microbatch.
TEST(Volumes, TensorParallelWorkedValues) {
  model::TransformerSpec spec = small_transformer();
  spec.layers = 24;
  spec.hidden = 2048;
  spec.heads = 16;
  spec.sequence = 2048;
  for (const bool sequence_parallel : {false, true}) {
    Strategy s = strategy(8, 1, 1);
    s.minibatch = 4;
    s.microbatches = 1;
    s.sequence_parallel = sequence_parallel;
    const Plan plan(model::transformer(spec), s);
    EXPECT_EQ(plan.output_bytes(plan.pieces(0, 0)[1]), 33'554'432U);
    EXPECT_NEAR(ring_bytes(plan, 3)["mp"] / 1e9, 5.637, 0.0005);
  }
}

/// The formulas of collectives.md for a transformer, from its numbers alone; bytes of a rank per iteration.
struct Expected {
  double mp, dp, pp;
};
Expected expected(const model::TransformerSpec& t, const Strategy& s, std::uint32_t stage) {
  const auto h = static_cast<double>(t.hidden), l = static_cast<double>(t.layers);
  const double mp = s.degrees.mp, dp = s.degrees.dp, pp = s.degrees.pp;
  const double samples = static_cast<double>(s.minibatch) / dp / s.microbatches;
  const double message = samples * static_cast<double>(t.sequence) * h * s.element_bytes;
  const double layers = l / pp;
  // 12 h² + 13 h a layer, of which 6 h (norms, two output biases) are not split.
  double parameters = layers * ((12 * h * h + 7 * h) / mp + 6 * h);
  // Tied, of which the last of several stages has a copy; the two sum what they have reduced.
  const double matrix = static_cast<double>(t.vocabulary) * h;
  const bool is_first = stage == 0, is_last = stage + 1 == s.degrees.pp;
  const bool copies = pp > 1 && (is_first || is_last);
  if (is_first) parameters += matrix + static_cast<double>(t.sequence) * h;
  if (is_last) parameters += 2 * h + (copies ? matrix : 0);
  const double m = parameters * s.element_bytes;
  const double neighbours = !is_first + !is_last;
  const double sums = copies ? matrix * s.element_bytes / (s.zero_stage == 0 ? 1 : dp) : 0;
  return {s.microbatches * layers * 4 * 2 * (mp - 1) / mp * message,
          (s.zero_stage == 3 ? 3 : 2) * (dp - 1) / dp * m,
          s.microbatches * neighbours * message / (s.sequence_parallel ? mp : 1) + sums};
}

TEST(Volumes, HundredRandomModels) {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + random() % values.size());
  };
  for (int k = 0; k < 100; ++k) {
    model::TransformerSpec spec = small_transformer();
    Strategy s = strategy(pick({1, 2, 4, 8}), pick({1, 2, 3, 5}), pick({1, 2, 4}));
    spec.layers = s.degrees.pp * pick({1, 2, 3});
    spec.heads = 8 * pick({1, 2});
    spec.hidden = spec.heads * pick({16, 64});
    spec.sequence = 64 * pick({1, 3});
    s.microbatches = s.degrees.pp * pick({1, 2});
    s.minibatch = std::uint64_t{s.degrees.dp} * s.microbatches * pick({1, 4});
    s.zero_stage = pick({0, 1, 2, 3});
    s.sequence_parallel = pick({0, 1}) == 1;
    s.schedule = s.microbatches % s.degrees.pp == 0 && pick({0, 1}) == 1 ? Schedule::gpipe
                                                                         : Schedule::one_forward_one_backward;
    s.overlap_mp = pick({0, 1}) == 1;
    s.overlap_dp = pick({0, 1}) == 1;
    s.overlap_pp = pick({0, 1}) == 1;
    s.bucket_bytes = pick({1'000, 1'000'000});
    const auto plan = std::make_shared<const Plan>(model::transformer(spec), s);
    for (std::uint32_t stage = 0; stage < s.degrees.pp; ++stage) {
      const std::uint32_t rank = s.degrees.worker(s.degrees.mp - 1, stage, 0);
      auto bytes = ring_bytes(*plan, rank);
      const Expected e = expected(spec, s, stage);
      EXPECT_NEAR(bytes["mp"], e.mp, 1e-9 * e.mp + 1);
      // Shares of ZeRO are rounded up to whole bytes, one per bucket or unit.
      EXPECT_NEAR(bytes["dp"], e.dp, 0.002 * e.dp + 1);
      EXPECT_NEAR(bytes["pp"], e.pp, 1e-9 * e.pp + 2);  // a parameter of a share
    }
    // All ranks agree: groups, sizes and messages match.
    std::vector<std::unique_ptr<TrainingGenerator>> ranks;
    std::vector<chakra::NodeSource*> sources;
    for (std::uint32_t r = 0; r < plan->ranks(); ++r) {
      ranks.push_back(std::make_unique<TrainingGenerator>(plan, r));
      sources.push_back(ranks.back().get());
    }
    EXPECT_EQ(chakra::validate_job(sources, comm_groups(*plan)).size(), plan->ranks());
  }
}

TEST(Training, ChunksAndMulticastsAgreeAmongRanks) {
  for (const Schedule schedule : {Schedule::interleaved, Schedule::resident_loop}) {
    for (const std::uint32_t pp : {2U, 4U}) {
      Strategy s = strategy(2, 2, pp);
      s.schedule = schedule;
      s.chunks_per_stage = 8 / pp;
      s.microbatches = 4;
      s.stage_transfer = StageTransfer::multicast;
      const auto plan = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
      std::vector<std::unique_ptr<TrainingGenerator>> ranks;
      std::vector<chakra::NodeSource*> sources;
      for (std::uint32_t r = 0; r < plan->ranks(); ++r) {
        ranks.push_back(std::make_unique<TrainingGenerator>(plan, r));
        sources.push_back(ranks.back().get());
      }
      EXPECT_EQ(chakra::validate_job(sources, comm_groups(*plan)).size(), plan->ranks());
    }
  }
}

std::uint64_t all_operations(const std::shared_ptr<const Plan>& plan) {
  std::uint64_t total = 0;
  Node node;
  for (std::uint32_t r = 0; r < plan->ranks(); ++r) {
    TrainingGenerator generator(plan, r);
    while (generator.next(node))
      if (node.name != "optimizer") total += node.num_ops.value_or(0);
  }
  return total;
}

// However it is divided, the model's operations are done once.
TEST(Training, OperationsAreThoseOfTheModel) {
  const model::Model transformer = model::transformer(small_transformer());
  for (const model::Recompute recompute :
       {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
    Strategy s = strategy(1, 2, 2);
    s.recompute = recompute;
    EXPECT_EQ(all_operations(std::make_shared<const Plan>(transformer, s)),
              s.minibatch * model::step_operations(transformer, recompute));
    s = strategy(4, 1, 2);
    s.split_vocabulary = true;
    s.recompute = recompute;
    EXPECT_EQ(all_operations(std::make_shared<const Plan>(transformer, s)),
              s.minibatch * model::step_operations(transformer, recompute));
  }
}

// 7 layers on 2 stages, 28 heads on 3 NPUs: the same work in equal parts.
TEST(Training, FractionalShares) {
  model::TransformerSpec spec = small_transformer();
  spec.layers = 7;
  spec.heads = 28;
  spec.hidden = 28 * 38;
  Strategy s = strategy(3, 1, 2);
  EXPECT_THROW(Plan(model::transformer(spec), s), std::invalid_argument);
  s.uneven = Uneven::fractional;
  s.split_vocabulary = true;
  const model::Model model = model::transformer(spec);
  const auto plan = std::make_shared<const Plan>(model, s);
  const auto exact = static_cast<double>(s.minibatch * model::step_operations(model, model::Recompute::none));
  EXPECT_NEAR(static_cast<double>(all_operations(plan)) / exact, 1, 1e-6);
  auto bytes = ring_bytes(*plan, 0);
  // 4 all-reduces per layer and microbatch, and that of the embedding
  const double message = 2.0 * 128 * 28 * 38 * 2;
  EXPECT_NEAR(bytes["mp"], 4 * (4 * 3.5 + 1) * 2 * 2 / 3.0 * message, 1e-6 * bytes["mp"]);
}

TEST(Training, MixtureOfExpertsExchangesTokens) {
  model::TransformerSpec spec = small_transformer();
  spec.experts = 4;
  spec.experts_per_token = 2;
  Strategy s = strategy(1, 8, 1);
  s.expert_parallel = 4;
  const auto plan = std::make_shared<const Plan>(model::transformer(spec), s);
  auto bytes = ring_bytes(*plan, 5);
  // There and back, forward and backward, per layer and microbatch of 2 samples.
  const double buffer = 2.0 * 2 * 128 * 256 * 2;
  EXPECT_EQ(bytes["ep"], 4 * 8 * 4 * 0.75 * buffer);
  EXPECT_EQ(plan->groups().at("ep.0.0.1"), (std::vector<std::uint32_t>{4, 5, 6, 7}));
  EXPECT_EQ(plan->groups().at("edp.0.0.1"), (std::vector<std::uint32_t>{1, 5}));
}

// The tables of a DLRM are its experts: their vectors go out once forward, and their gradients back once.
TEST(Training, TablesExchangeOnceInEachDirection) {
  model::DlrmSpec spec;
  spec.name = "tables";
  spec.bottom = {16, 8};
  spec.top = {4, 1};
  spec.tables = 8;
  spec.rows_per_table = 10;
  spec.lookups_per_table = 1;
  Strategy s = strategy(1, 4, 1);
  s.expert_parallel = 4;
  const auto plan = std::make_shared<const Plan>(model::dlrm(spec), s);
  const double buffer = 2.0 * 8 * 8 * 2;  // samples, tables, elements, bytes
  EXPECT_EQ(ring_bytes(*plan, 2)["ep"], 4 * 2 * 0.75 * buffer);
}

// Operations over the rate, rounded up to the picosecond.
TEST(Training, DurationsAreOperationsOverTheRate) {
  for (const std::uint64_t per_ps : {1U, 3U, 4U}) {
    Strategy s = strategy(1, 1, 1);
    s.effective_rate = per_ps * 1'000'000'000'000;
    TrainingGenerator generator(std::make_shared<const Plan>(model::transformer(small_transformer()), s), 0);
    for (Node node; generator.next(node);) {
      if (node.type != NodeType::Comp) continue;
      EXPECT_EQ(node.duration_ps, (*node.num_ops + per_ps - 1) / per_ps) << node.name;
    }
  }
}

// Two chunks on each of two stages: what a rank sends to its neighbour is told apart by its tag.
TEST(Training, EveryMessageHasATagOfItsOwn) {
  Strategy s = strategy(1, 1, 2);
  s.schedule = Schedule::interleaved;
  s.chunks_per_stage = 2;
  const auto plan = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
  TrainingGenerator generator(plan, 0);
  std::set<std::uint32_t> tags;
  std::size_t sends = 0;
  for (Node node; generator.next(node);)
    if (node.type == NodeType::CommSend) ++sends, tags.insert(*node.comm_tag);
  EXPECT_EQ(sends, 4U * (2 + 1));  // of microbatches: forward behind both chunks, back before the second
  EXPECT_EQ(tags.size(), sends);
}

TEST(Training, RewindGivesTheSameIteration) {
  const auto plan = std::make_shared<const Plan>(model::transformer(small_transformer()), strategy(2, 2, 2));
  TrainingGenerator generator(plan, 3);
  std::vector<Node> first, second;
  Node node;
  while (generator.next(node)) first.push_back(node);
  generator.rewind();
  generator.next(node);
  generator.rewind();
  while (generator.next(node)) second.push_back(node);
  EXPECT_EQ(first, second);
  EXPECT_GT(first.size(), 100U);
}

TEST(Plan, ErrorsNameWhatWouldWork) {
  const auto error = [](auto change) -> std::string {
    model::TransformerSpec spec = small_transformer();
    Strategy s = strategy(1, 1, 1);
    change(spec, s);
    try {
      const Plan plan(model::transformer(spec), s);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  };
  expect(error([](auto&, Strategy& s) { s.degrees.mp = 3; }), "values that do: 2 or 4");
  expect(error([](auto&, Strategy& s) { s.degrees.pp = 3; }), "values that do: 2 or 4");
  expect(error([](auto&, Strategy& s) { s.microbatches = 3; }), "nearest: 6 or 9");
  expect(error([](auto&, Strategy& s) { s.microbatches = 0; }), "microbatches is 0");
  expect(error([](auto&, Strategy& s) { s.expert_parallel = 2; }), "expert_parallel");
  expect(error([](auto&, Strategy& s) { s.degrees.pp = 16; }), "fewer than");
  expect(error([](auto& t, Strategy& s) {
           t.kv_heads = 2;
           s.degrees.mp = 4;
         }),
         "key and value heads");
  Strategy s = strategy(2, 1, 1);
  EXPECT_THROW(Plan(model::convolutional(model::resnet("ResNet-50", {3, 4, 6, 3})), s),
               std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::training
