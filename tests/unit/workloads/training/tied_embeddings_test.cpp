// SPDX-License-Identifier: Apache-2.0
// Embedding and head that share a matrix, on two stages of a pipeline: a copy on each, whose gradients are
// summed (Megatron-LM: core/distributed/finalize_model_grads.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

std::map<std::uint64_t, Node> nodes_of(const Plan& plan, std::uint32_t rank) {
  TrainingGenerator generator(std::shared_ptr<const Plan>(&plan, [](const Plan*) {}), rank);
  std::map<std::uint64_t, Node> nodes;
  Node node;
  while (generator.next(node)) nodes[node.id] = node;
  return nodes;
}

// GPT-3's layers and vocabulary: 51200 · 12288 parameters of 16 bytes, which the last of four stages holds
// as the first does, and as it would if they were not tied.
TEST(TiedEmbeddings, TheLastStageHoldsACopy) {
  model::TransformerSpec spec = small_transformer();
  spec.layers = 4;
  spec.hidden = 12'288;
  spec.heads = 96;
  spec.sequence = 1024;
  spec.vocabulary = 51'200;
  const Plan tied(model::transformer(spec), strategy(1, 1, 4));
  spec.tied_embeddings = false;
  const Plan untied(model::transformer(spec), strategy(1, 1, 4));
  const std::uint64_t matrix = std::uint64_t{16} * 51'200 * 12'288;
  EXPECT_NEAR(static_cast<double>(matrix), 10.07e9, 5e6);
  const MemoryNeed inside = memory_need(tied, 2), last = memory_need(tied, 3);
  const auto states = [](const MemoryNeed& need) {
    return need.parameters + need.gradients + need.optimizer;
  };
  EXPECT_EQ(states(last), states(inside) + matrix + 16 * 2 * 12'288);  // and the last norm
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(memory_need(tied, rank).total(), memory_need(untied, rank).total()) << rank;
  EXPECT_EQ(untied.groups().count("embedding.0.0"), 0U);
}

TEST(TiedEmbeddings, AreHeldOnceWithoutAPipeline) {
  model::TransformerSpec spec = small_transformer();
  const Plan tied(model::transformer(spec), strategy(2, 2, 1));
  spec.tied_embeddings = false;
  const Plan untied(model::transformer(spec), strategy(2, 2, 1));
  EXPECT_EQ(memory_need(untied, 0).parameters - memory_need(tied, 0).parameters, 2U * 1024 * 256);
  for (const auto& [id, node] : nodes_of(tied, 0)) EXPECT_NE(node.comm_class, "pp") << node.name;
}

// Behind all reductions over DP and the last computation, before the optimizer, once in an iteration; with
// ZeRO a rank's share.
TEST(TiedEmbeddings, FirstAndLastStageSumTheirGradients) {
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
    Strategy s = strategy(2, 2, 3);
    s.zero_stage = zero;
    s.split_vocabulary = true;
    model::TransformerSpec spec = small_transformer();
    spec.layers = 3;
    const Plan plan(model::transformer(spec), s);
    const auto groups = plan.groups();
    EXPECT_EQ(groups.at("embedding.1.1"),
              (std::vector<std::uint32_t>{s.degrees.worker(1, 0, 1), s.degrees.worker(1, 2, 1)}));
    for (const std::uint32_t stage : {0U, 1U, 2U}) {
      std::uint64_t sums = 0;
      bool optimizes = false;
      const auto nodes = nodes_of(plan, s.degrees.worker(1, stage, 1));
      for (const auto& [id, node] : nodes) {
        const auto waits_for = [&, &node = node](std::uint64_t other) {
          return std::count(node.data_deps.begin(), node.data_deps.end(), other) == 1;
        };
        const bool is_sum = node.comm_class == "pp" && node.is_collective();
        if (node.name == "optimizer") {
          optimizes = true;
          EXPECT_TRUE(stage == 1 || std::any_of(nodes.begin(), nodes.end(), [&](const auto& other) {
                        return other.second.name == "all_reduce tied embeddings" && waits_for(other.first);
                      }));
        }
        if (!is_sum) continue;
        ++sums;
        EXPECT_FALSE(optimizes);
        EXPECT_EQ(node.pg_name, "embedding.1.1");
        EXPECT_EQ(node.comm_type, CollectiveType::AllReduce);
        EXPECT_EQ(node.comm_size, 2U * 1024 * 256 / 2 / (zero == 0 ? 1 : 2));
        for (const auto& [other, before] : nodes) {
          const bool reduces = before.comm_class == "dp" && before.comm_type != CollectiveType::AllGather;
          EXPECT_TRUE(!reduces || waits_for(other)) << before.name;
        }
      }
      EXPECT_EQ(sums, stage == 1 ? 0U : 1U);
      EXPECT_TRUE(optimizes);
    }
  }
}

// The head's weights come in for its stage as the embedding's do for theirs, and its gradients leave.
TEST(TiedEmbeddings, BothCopiesAreStreamed) {
  model::TransformerSpec spec = small_transformer();
  Strategy s = strategy(1, 1, 2);
  s.weights = Weights::streamed;
  s.schedule = Schedule::resident_loop;
  s.chunks_per_stage = 4;
  const Plan tied(model::transformer(spec), s);
  spec.tied_embeddings = false;
  const Plan untied(model::transformer(spec), s);
  for (const std::uint32_t stage : {0U, 1U})
    for (const std::uint32_t chunk : {0U, 3U}) {
      EXPECT_EQ(tied.held_bytes(stage, chunk), untied.held_bytes(stage, chunk));
      EXPECT_EQ(tied.whole_bytes(stage, chunk), untied.whole_bytes(stage, chunk));
    }
  EXPECT_EQ(tied.groups().count("embedding.0.0"), 0U);
}

}  // namespace
}  // namespace wafertlm::training
