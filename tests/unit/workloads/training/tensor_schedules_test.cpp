// SPDX-License-Identifier: Apache-2.0
// Tensor parallelism that divides activations, too: volumes and memory against the published formulas.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"
#include "workloads/training/volumes.h"

namespace wafertlm::training {
namespace {

Strategy tensor_strategy(TensorParallelism kind, std::uint32_t mp, std::uint32_t dp = 1,
                         std::uint32_t pp = 1) {
  Strategy s = strategy(mp, dp, pp);
  s.tensor_parallelism = kind;
  s.split_vocabulary = true;
  return s;
}

std::shared_ptr<const Plan> tensor_plan(const Strategy& s) {
  model::TransformerSpec spec = small_transformer();
  spec.heads = 16;
  return std::make_shared<const Plan>(model::transformer(spec), s);
}

Volumes tensor_volumes(const std::shared_ptr<const Plan>& plan, std::uint32_t rank) {
  TrainingGenerator generator(plan, rank);
  return volumes_of(generator, rank, chakra::CommGroups::from_map(plan->groups(), plan->ranks()));
}

constexpr std::uint64_t kSmallHidden = 256, kSmallLayers = 8, kSmallTokens = 2 * 128, kSmallVocabulary = 1024,
                        kSmallElement = 2;
constexpr std::uint64_t kSmallMicrobatches = 4;

// Hecaton: (n − 1)/n · S·H·b/n for each all-gather and reduce-scatter on a grid of n × n. In units of S·H·b a
// layer gathers and scatters 1 + 3, 1 + 1 in its attention, 1 + 4, 4 + 1 in its MLP; backward the output's
// gradients, the input's and the inputs again: 3 + 1 + 1, 1 + 1 + 1, 4 + 1 + 1, 1 + 4 + 4.
TEST(TwoDimensionalTensorParallelism, MovesWhatTheFormulaSays) {
  for (const std::uint64_t n : {2U, 4U}) {
    const auto plan =
        tensor_plan(tensor_strategy(TensorParallelism::two_d, static_cast<std::uint32_t>(n * n)));
    const std::uint64_t of_width = 39 * kSmallHidden * kSmallLayers + 5 * kSmallHidden +
                                   2 * kSmallVocabulary;  // with embedding and head
    const std::uint64_t bytes =
        kSmallMicrobatches * kSmallTokens * kSmallElement * of_width / n / n * (n - 1);
    for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
      EXPECT_EQ(tensor_volumes(plan, rank).classes.at("mp").sent_bytes, bytes) << n;
    }
  }
}

TEST(TwoDimensionalTensorParallelism, CommunicatesAlongTheLinesOfTheGridInTurn) {
  const auto plan = tensor_plan(tensor_strategy(TensorParallelism::two_d, 4));
  const auto groups = plan->groups();
  EXPECT_EQ(groups.at(plan->grid_group(1, Plan::Line::row)), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(groups.at(plan->grid_group(1, Plan::Line::column)), (std::vector<std::uint32_t>{1, 3}));
  TrainingGenerator generator(plan, 1);
  std::vector<std::string> lines;  // of the first layer's collectives, behind the embedding's
  for (chakra::Node node; lines.size() < 9 && generator.next(node);)
    if (node.is_collective()) lines.push_back(node.pg_name.substr(3, 3));
  EXPECT_EQ(lines, (std::vector<std::string>{"row", "row", "col", "col", "row", "row", "col", "col", "row"}));
}

// Of a layer and microbatch, S·H·b = 1: flat 8 (N − 1)/N, which does not fall with N; on the grid 39 (n −
// 1)/n².
TEST(TwoDimensionalTensorParallelism, SendsLessThanOneDimensionFrom16RanksOn) {
  const auto bytes = [](TensorParallelism kind, std::uint32_t mp) {
    model::TransformerSpec spec = small_transformer();
    spec.heads = spec.sequence = spec.vocabulary = 144;
    spec.hidden = 144 * 16;
    return tensor_volumes(std::make_shared<const Plan>(model::transformer(spec), tensor_strategy(kind, mp)),
                          0)
        .classes.at("mp")
        .sent_bytes;
  };
  EXPECT_GT(bytes(TensorParallelism::two_d, 9), bytes(TensorParallelism::one_d, 9));
  EXPECT_LT(bytes(TensorParallelism::two_d, 16), bytes(TensorParallelism::one_d, 16));
  EXPECT_LT(2 * bytes(TensorParallelism::two_d, 144), bytes(TensorParallelism::one_d, 144));
}

// TEMP: in each of N steps W/N·b goes to a neighbour; keys and values as a weight that is as large as they
// are. Sums of gradients need one step less.
TEST(TensorStream, PassesEveryPartRoundTheRing) {
  const std::uint64_t n = 4;
  const std::uint64_t weights =
      (12 * kSmallHidden * kSmallHidden * kSmallLayers + kSmallVocabulary * kSmallHidden) * kSmallElement;
  const std::uint64_t keys_and_values = 2 * kSmallTokens * kSmallHidden * kSmallElement * kSmallLayers;
  const std::uint64_t embedding =
      2 * kSmallTokens * kSmallHidden * kSmallElement * (n - 1) / n;  // rows of a table
  const std::uint64_t of_a_microbatch =
      weights + keys_and_values + embedding + weights + 2 * keys_and_values + weights / n * (n - 1);
  for (const TensorParallelism kind : {TensorParallelism::stream, TensorParallelism::two_way_stream}) {
    const auto plan = tensor_plan(tensor_strategy(kind, n));
    const Volumes of = tensor_volumes(plan, 1);
    EXPECT_EQ(of.classes.at("mp").sent_bytes, kSmallMicrobatches * of_a_microbatch);
  }
}

TEST(TensorStream, PassesOnWhatItComputesWithAtTheSameTime) {
  const auto plan = tensor_plan(tensor_strategy(TensorParallelism::two_way_stream, 4));
  TrainingGenerator generator(plan, 0);
  std::vector<chakra::Node> nodes;
  for (chakra::Node node; nodes.size() < 12 && generator.next(node);) nodes.push_back(node);
  // The embedding's rows; two sends and two receives, and the computation beside them.
  ASSERT_EQ(nodes[1].type, chakra::NodeType::CommSend);
  EXPECT_EQ(nodes[1].comm_dst, 1U);
  EXPECT_EQ(nodes[2].comm_src, 3U);
  EXPECT_EQ(nodes[3].comm_dst, 3U);
  EXPECT_EQ(nodes[4].comm_src, 1U);
  EXPECT_EQ(*nodes[1].comm_size, 3 * kSmallHidden * kSmallHidden * kSmallElement / 4 / 2);
  ASSERT_EQ(nodes[5].type, chakra::NodeType::Comp);
  EXPECT_EQ(nodes[5].data_deps, nodes[1].data_deps);
  // The next step needs all of that.
  EXPECT_EQ(nodes[10].data_deps, (NodeIds{5, 1, 2, 3, 4}));
  EXPECT_EQ(nodes[6].data_deps, nodes[10].data_deps);
}

TEST(TensorSchedules, DivideEveryActivationAndNoComputation) {
  const auto one_rank = tensor_plan(tensor_strategy(TensorParallelism::one_d, 1));
  const auto flat = tensor_plan(tensor_strategy(TensorParallelism::one_d, 4));
  for (const TensorParallelism kind :
       {TensorParallelism::two_d, TensorParallelism::stream, TensorParallelism::two_way_stream}) {
    const auto plan = tensor_plan(tensor_strategy(kind, 4));
    EXPECT_EQ(4 * memory_need(*plan, 0).activations, memory_need(*one_rank, 0).activations);
    EXPECT_LT(memory_need(*plan, 0).activations, memory_need(*flat, 0).activations);
    EXPECT_EQ(memory_need(*plan, 0).parameters, memory_need(*flat, 0).parameters);
    const auto piece = plan->pieces(0, 0)[2];
    for (const auto work : {Plan::Work::forward, Plan::Work::input_gradient, Plan::Work::weight_gradient}) {
      EXPECT_EQ(plan->operations(piece, work), flat->operations(piece, work));
      std::uint64_t operations = 0;
      for (const auto& [m, n, k, count] : plan->products(piece, work)) operations += 2 * m * n * k * count;
      const std::uint64_t steps = kind == TensorParallelism::two_d ? 1 : 4;
      EXPECT_EQ(steps * operations, plan->operations(piece, work));
    }
  }
}

// The largest matrix is an MLP's, 4 H²: W/N is held, W/N comes in. On the grid the slices of its inputs and
// outputs do.
TEST(TensorSchedules, NeedRoomForWhatIsOnItsWay) {
  const std::uint64_t n = 4;
  model::TransformerSpec spec = small_transformer();
  spec.sequence = 32;
  Strategy s = tensor_strategy(TensorParallelism::stream, n);
  EXPECT_EQ(memory_need(Plan(model::transformer(spec), s), 0).gathered,
            4 * kSmallHidden * kSmallHidden * kSmallElement / n);
  s.tensor_parallelism = TensorParallelism::two_d;
  EXPECT_EQ(memory_need(Plan(model::transformer(spec), s), 0).gathered,
            2 * 32 * 5 * kSmallHidden * kSmallElement / 2);
}

TEST(TensorSchedules, RanksAgree) {
  for (const TensorParallelism kind :
       {TensorParallelism::two_d, TensorParallelism::stream, TensorParallelism::two_way_stream})
    for (const auto recompute : {model::Recompute::none, model::Recompute::selective, model::Recompute::full})
      for (const bool overlap : {false, true}) {
        Strategy s = tensor_strategy(kind, 4, 2, 2);
        s.recompute = recompute;
        s.zero_stage = overlap ? 3 : 1;
        s.overlap_mp = overlap && kind == TensorParallelism::two_d;
        const auto plan = tensor_plan(s);
        std::vector<std::unique_ptr<TrainingGenerator>> ranks;
        std::vector<chakra::NodeSource*> sources;
        for (std::uint32_t r = 0; r < plan->ranks(); ++r) {
          ranks.push_back(std::make_unique<TrainingGenerator>(plan, r));
          sources.push_back(ranks.back().get());
        }
        const auto groups = chakra::CommGroups::from_map(plan->groups(), plan->ranks());
        EXPECT_EQ(chakra::validate_job(sources, groups).size(), plan->ranks());
      }
}

/// Why it is refused.
std::string tensor_refusal(const Strategy& s, model::TransformerSpec spec = small_transformer()) {
  try {
    const Plan plan(model::transformer(spec), s);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "";
}

TEST(TensorSchedules, WhatMakesNoSenseIsRefused) {
  const auto kind = TensorParallelism::two_d;
  const auto expect = [](const Strategy& s, const std::string& part) {
    EXPECT_NE(tensor_refusal(s).find(part), std::string::npos) << tensor_refusal(s);
  };
  expect(tensor_strategy(kind, 1), "use a larger MP");
  expect(tensor_strategy(kind, 8), "use 4 or 9");
  Strategy s = tensor_strategy(kind, 4);
  s.sequence_parallel = true;
  expect(s, "leave sequence_parallel out");
  s = tensor_strategy(kind, 4);
  s.split_vocabulary = false;
  expect(s, "set split_vocabulary: true");
  s = tensor_strategy(kind, 4, 1, 2);
  s.schedule = Schedule::zero_bubble;
  expect(s, "another schedule than zero_bubble");
  s = tensor_strategy(kind, 4, 1, 2);
  s.stage_transfer = StageTransfer::multicast;
  expect(s, "stage_transfer must be peer");
  s = tensor_strategy(TensorParallelism::stream, 4);
  s.overlap_mp = true;
  expect(s, "leave overlap_mp out");
  expect(tensor_strategy(kind, 9), "the tokens (128) do not divide by the side of the grid of MP, 3");
  expect(tensor_strategy(TensorParallelism::stream, 3), "the tokens (128) do not divide by mp, 3");
  model::TransformerSpec spec = small_transformer();
  spec.experts = 4;
  spec.experts_per_token = 1;
  EXPECT_NE(tensor_refusal(tensor_strategy(kind, 4), spec).find("has experts; use 1d"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::training
