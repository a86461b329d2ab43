// SPDX-License-Identifier: Apache-2.0
// Weights streamed in and gradients out, as nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;

// Of small_transformer().
constexpr std::uint64_t kLayers = 8, kHidden = 256, kVocabulary = 1024, kSequence = 128;
/// Two bytes each: norms, biases and matrices of a block; embedding with positions; the last norm and, on the
/// last of several stages, its copy of the embedding.
constexpr std::uint64_t kBlock = 2 * (12 * kHidden * kHidden + 13 * kHidden);
constexpr std::uint64_t kFirst = 2 * (kVocabulary + kSequence) * kHidden;
constexpr std::uint64_t kLast = 2 * (2 + kVocabulary) * kHidden;
constexpr std::uint64_t kModel = kLayers * kBlock + kFirst + kLast;

Strategy streamed(std::uint32_t mp, std::uint32_t dp, std::uint32_t pp, std::uint32_t chunks) {
  Strategy s = training::strategy(mp, dp, pp);
  s.minibatch = std::uint64_t{4} * dp;
  s.schedule = Schedule::resident_loop;
  s.chunks_per_stage = chunks;
  s.weights = Weights::streamed;
  return s;
}

std::shared_ptr<const Plan> streamed_plan(const Strategy& strategy) {
  return std::make_shared<const Plan>(model::transformer(small_transformer()), strategy);
}

std::vector<Node> streamed_nodes(const std::shared_ptr<const Plan>& plan, std::uint32_t rank) {
  TrainingGenerator generator(plan, rank);
  std::vector<Node> nodes;
  for (Node node; generator.next(node);) nodes.push_back(node);
  return nodes;
}

std::uint64_t streamed_bytes(const std::vector<Node>& nodes, CollectiveType type) {
  std::uint64_t bytes = 0;
  for (const Node& node : nodes)
    if (node.io_stream && node.comm_type == type) bytes += *node.comm_size;
  return bytes;
}

void expect_valid_streams(const std::shared_ptr<const Plan>& plan) {
  std::vector<std::unique_ptr<TrainingGenerator>> ranks;
  std::vector<chakra::NodeSource*> sources;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
    ranks.push_back(std::make_unique<TrainingGenerator>(plan, rank));
    sources.push_back(ranks.back().get());
  }
  EXPECT_NO_THROW(chakra::validate_job(sources, chakra::CommGroups::from_map(plan->groups(), plan->ranks())));
}

// Chunks and rounds are alike, apart from the model's first and last layers, which are in every part.
TEST(Streams, APartOfTheIteration) {
  Strategy s = streamed(2, 3, 2, 4);
  s.weight_loads_per_pass = 2;
  const auto whole = streamed_plan(s);
  s.simulated_chunks = 2;
  s.simulated_rounds = 1;
  const auto part = streamed_plan(s);
  expect_valid_streams(part);
  EXPECT_EQ(part->strategy().minibatch, whole->strategy().minibatch / 2);
  EXPECT_EQ(part->strategy().samples_per_microbatch(), whole->strategy().samples_per_microbatch());
  for (const std::uint32_t rank : {0U, 3U})
    EXPECT_EQ(streamed_bytes(streamed_nodes(part, rank), CollectiveType::Broadcast),
              2 * (4 * kBlock + kFirst + kLast));
  s.simulated_chunks = 4;
  s.simulated_rounds = 7;  // at most
  EXPECT_EQ(streamed_nodes(streamed_plan(s), 1).size(), streamed_nodes(whole, 1).size());
  s.simulated_chunks = 0;
  EXPECT_THROW(streamed_plan(s), PlanError);
  Strategy pipeline = training::strategy(1, 1, 2);
  pipeline.schedule = Schedule::interleaved;
  pipeline.chunks_per_stage = 2;
  pipeline.simulated_chunks = 1;
  EXPECT_THROW(streamed_plan(pipeline), PlanError);
}

TEST(Streams, EveryNpuGetsTheModelForEveryLoadOfAPass) {
  for (const std::uint32_t loads : {1U, 2U, 4U})
    for (const GradientStore store : {GradientStore::every_load, GradientStore::last_load}) {
      Strategy s = streamed(2, 3, 2, 4);
      s.weight_loads_per_pass = loads;
      s.gradient_store = store;
      const auto plan = streamed_plan(s);
      expect_valid_streams(plan);
      for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
        const auto nodes = streamed_nodes(plan, rank);
        EXPECT_EQ(streamed_bytes(nodes, CollectiveType::Broadcast), 2 * loads * kModel);
        EXPECT_EQ(streamed_bytes(nodes, CollectiveType::Reduce),
                  (store == GradientStore::every_load ? loads : 1) * kModel);
        EXPECT_EQ(std::count_if(
                      nodes.begin(), nodes.end(),
                      [](const Node& node) { return node.comm_class == "dp" || node.name == "optimizer"; }),
                  0);
      }
    }
}

// A stage of two holds four of eight blocks; MP divides the matrices, with their biases, and not what belongs
// to all of a token: norms and the biases of what is summed (6 h of a block), the embedding.
TEST(Streams, WhatIsNeededIsTheShareOfMpAndPp) {
  Strategy s = streamed(2, 3, 2, 4);
  s.weight_delivery = WeightDelivery::needed;
  const auto plan = streamed_plan(s);
  expect_valid_streams(plan);
  const std::uint64_t shared = 2 * 6 * kHidden, block = (kBlock - shared) / 2 + shared;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
    const std::uint64_t ends = plan->coordinates(rank).pp == 0 ? kFirst : kLast;
    EXPECT_EQ(streamed_bytes(streamed_nodes(plan, rank), CollectiveType::Broadcast), 2 * (4 * block + ends));
    EXPECT_EQ(streamed_bytes(streamed_nodes(plan, rank), CollectiveType::Reduce), 4 * block + ends);
  }
}

/// The visits of a rank: what its first computation waits for, and its last one.
struct Visit {
  std::vector<std::uint64_t> waits;
  std::uint64_t first = 0, last = 0;
};

std::vector<Visit> visits_of(const std::vector<Node>& nodes) {
  std::vector<Visit> visits;
  std::string chunk;
  for (const Node& node : nodes) {
    if (node.type != chakra::NodeType::Comp) continue;
    const std::string here = node.name.substr(node.name.rfind('.')) +
                             (node.name.rfind("forward", 0) == 0 ? "forward" : "backward");
    if (here != chunk) visits.push_back({node.data_deps, node.id, node.id});
    chunk = here;
    visits.back().last = node.id;
  }
  return visits;
}

/// A visit's weights come in when there is room, and its computation waits for them and for gradients that
/// left.
TEST(Streams, ChunksWaitForBuffersAndComputationForChunks) {
  for (const std::uint32_t buffers : {1U, 2U, 3U}) {
    Strategy s = streamed(1, 2, 1, 4);
    s.microbatches = 1;
    s.minibatch = 2;
    s.overlap_weights = buffers > 1;
    s.weight_buffers = buffers;
    const auto nodes = streamed_nodes(streamed_plan(s), 0);
    const auto visits = visits_of(nodes);
    ASSERT_EQ(visits.size(), 8U);
    std::vector<const Node*> loads, stores;
    for (const Node& node : nodes)
      if (node.io_stream) (node.comm_type == CollectiveType::Broadcast ? loads : stores).push_back(&node);
    ASSERT_EQ(loads.size(), 8U);
    ASSERT_EQ(stores.size(), 4U);
    const auto waits_for = [](const Visit& visit, const Node* node) {
      return std::count(visit.waits.begin(), visit.waits.end(), node->id) == 1;
    };
    using Ids = std::vector<std::uint64_t>;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_TRUE(waits_for(visits[k], loads[k])) << k;
      // The one before has come in, and a buffer is free.
      Ids room = k < buffers ? Ids{} : Ids{visits[k - buffers].last};
      if (k > 0) room.push_back(loads[k - 1]->id);
      EXPECT_EQ(loads[k]->data_deps, room) << k;
      if (k < 4) continue;
      Ids made{visits[k].last};
      if (k > 4) made.push_back(stores[k - 5]->id);
      EXPECT_EQ(stores[k - 4]->data_deps, made);
      if (k + buffers < 8) {
        EXPECT_TRUE(waits_for(visits[k + buffers], stores[k - 4])) << k;
      }
    }
  }
}

// All microbatches of a round go forward and back before the next round.
TEST(Streams, RoundsFollowEachOther) {
  const auto passes = pipeline_order(Schedule::resident_loop, 1, 0, 2, 4, 2);
  const std::vector<Pass> expected = {{true, 0, 0},  {true, 0, 1},  {true, 1, 0},  {true, 1, 1},
                                      {false, 1, 0}, {false, 1, 1}, {false, 0, 0}, {false, 0, 1},
                                      {true, 0, 2},  {true, 0, 3},  {true, 1, 2},  {true, 1, 3},
                                      {false, 1, 2}, {false, 1, 3}, {false, 0, 2}, {false, 0, 3}};
  EXPECT_EQ(passes, expected);
}

TEST(Streams, TheFirstStageGetsTheSamplesOfItsReplica) {
  Strategy s;
  s.degrees = {2, 2, 2};
  s.minibatch = 16;
  s.microbatches = 4;
  s.effective_rate = 1'000'000'000'000;
  for (const bool overlap : {false, true}) {
    s.input = Input::streamed;
    s.overlap_input = overlap;
    const auto plan = streamed_plan(s);
    expect_valid_streams(plan);
    for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
      std::vector<const Node*> inputs;
      const auto nodes = streamed_nodes(plan, rank);
      for (const Node& node : nodes)
        if (node.comm_class == "input") inputs.push_back(&node);
      if (plan->coordinates(rank).pp == 1) {
        EXPECT_TRUE(inputs.empty());
        continue;
      }
      ASSERT_EQ(inputs.size(), 4U);
      for (const Node* node : inputs) {
        EXPECT_TRUE(node->io_stream);
        EXPECT_EQ(node->comm_size, 2U * 4 * kSequence);  // two samples, 4 B a token
        EXPECT_EQ(node->pg_name, plan->mp_group(rank));
      }
      // With overlap the second one comes in from the start, as nothing came before the first computation.
      EXPECT_EQ(inputs[1]->data_deps.empty(), overlap);
    }
  }
}

TEST(Streams, NeedBuffersInPlaceOfParametersAndOptimizer) {
  Strategy s = streamed(2, 3, 2, 2);  // two blocks in a chunk
  const std::uint64_t shared = 2 * 6 * kHidden, block = (kBlock - shared) / 2 + shared;
  const auto need = [&](std::uint32_t rank) { return memory_need(*streamed_plan(s), rank); };
  EXPECT_EQ(need(0).parameters + need(0).optimizer + need(0).gradients, 0U);
  // Two buffers of all of the largest chunk, the one with the embedding, and of its share of gradients.
  EXPECT_EQ(need(0).streaming, 2 * (2 * kBlock + kFirst) + 2 * (2 * block + kFirst));
  s.weight_delivery = WeightDelivery::needed;
  EXPECT_EQ(need(0).streaming, 4 * (2 * block + kFirst));
  s.overlap_weights = false;
  EXPECT_EQ(need(2).streaming, 2 * (2 * block + kLast));  // of the second stage
  s.weight_loads_per_pass = 2;
  s.gradient_store = GradientStore::last_load;
  EXPECT_EQ(need(2).gradients, 4 * block + kLast);
  EXPECT_EQ(need(2).streaming, 2 * block + kLast);
}

TEST(Streams, RefuseWhatDoesNotGoTogether) {
  const auto error = [](const Strategy& s) -> std::string {
    try {
      streamed_plan(s);
    } catch (const PlanError& e) {
      return e.what();
    }
    return "";
  };
  const auto changed = [&](const auto& change) {
    Strategy s = streamed(2, 3, 2, 4);
    change(s);
    return error(s);
  };
  EXPECT_EQ(changed([](Strategy&) {}), "");
  EXPECT_NE(changed([](Strategy& s) { s.zero_stage = 1; }).find("use zero_stage: 0"), std::string::npos);
  EXPECT_NE(changed([](Strategy& s) { s.schedule = Schedule::gpipe; }).find("schedule: resident_loop"),
            std::string::npos);
  EXPECT_NE(changed([](Strategy& s) { s.weight_loads_per_pass = 3; }).find("values that do: 2 or 4"),
            std::string::npos);
  EXPECT_NE(changed([](Strategy& s) { s.weight_buffers = 1; }).find("2 or more"), std::string::npos);
  EXPECT_NE(changed([](Strategy& s) {
              s.overlap_weights = false;
              s.weight_buffers = 2;
            }).find("only 1 is used"),
            std::string::npos);
  EXPECT_NE(changed([](Strategy& s) { s.dp_collective = DpCollective::all_reduce; }).find("leave it out"),
            std::string::npos);
  EXPECT_NE(changed([](Strategy& s) {
              s.weights = Weights::stationary, s.weight_loads_per_pass = 2;
            }).find("use weights: streamed"),
            std::string::npos);
  EXPECT_NE(changed([](Strategy& s) {
              s.weights = Weights::stationary, s.overlap_stores = false;
            }).find("for streams"),
            std::string::npos);
  Strategy dp = streamed(1, 6, 1, 4);
  dp.weight_delivery = WeightDelivery::needed;
  EXPECT_NE(error(dp).find("use broadcast, or MP or PP above 1"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::training
