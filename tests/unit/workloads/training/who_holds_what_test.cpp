// SPDX-License-Identifier: Apache-2.0
// What `workload show` says, what the nodes of a rank do and what the memory account holds: the same, and as
// much as an account from first principles says.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>

#include "tests/support/random_cases.h"
#include "tests/unit/workloads/training/independent_account.h"
#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"
#include "workloads/training/volumes.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using independent::Account;

struct RandomCase {
  model::TransformerSpec model;
  Strategy strategy;
};

/// Sizes are multiples of 96, which all degrees divide.
RandomCase random_case(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + random() % values.size());
  };
  const auto flip = [&] { return pick({0, 1}) == 1; };
  RandomCase c;
  Strategy& s = c.strategy;
  s = strategy(pick({1, 2, 4}), pick({1, 2, 3, 4, 6}), pick({1, 2, 4}));
  model::TransformerSpec& t = c.model;
  t.name = "random";
  t.layers = s.degrees.pp * pick({1, 2, 3});
  t.heads = pick({4, 8});
  t.hidden = t.heads * pick({24, 48});
  t.sequence = pick({48, 96});
  t.vocabulary = pick({96, 960});
  t.kv_heads = pick({0, 4});
  t.mlp_hidden = pick({0, 96, 288});
  t.gated_mlp = flip();
  t.biases = flip();
  t.norm = flip() ? model::Norm::rms : model::Norm::layer;
  t.learned_positions = flip();
  t.tied_embeddings = flip();
  t.dropout = flip();
  if (flip()) {
    t.experts = 12;
    t.experts_per_token = pick({1, 2, 3});
    t.moe_every = pick({1, 2});
    s.expert_parallel = s.degrees.dp / pick({1, s.degrees.dp % 2 == 0 ? 2U : 1U, s.degrees.dp});
  }
  s.microbatches = pick({1, 2, 4});
  s.minibatch = std::uint64_t{s.degrees.dp} * s.microbatches * pick({1, 3});
  s.zero_stage = pick({0, 1, 2, 3});
  s.sequence_parallel = flip();
  s.split_vocabulary = flip();
  s.schedule = flip() ? Schedule::gpipe : flip() ? Schedule::zero_bubble : Schedule::one_forward_one_backward;
  s.recompute = flip()   ? model::Recompute::none
                : flip() ? model::Recompute::full
                         : model::Recompute::selective;
  s.element_bytes = pick({1, 2, 4});
  s.optimizer_bytes_per_parameter = pick({12, 6});
  s.optimizer_operations_per_parameter = pick({4, 11});
  s.bucket_bytes = pick({1000, 100'000, 26'214'400});
  s.offload_portion_bytes = pick({300'000, 1U << 30});
  s.overlap_mp = flip();
  s.overlap_dp = flip();
  s.overlap_pp = flip();
  s.offload = {flip(), flip(), flip()};
  if (pick({0, 1, 2, 3}) == 0)
    s.dp_collective = flip()   ? DpCollective::all_reduce
                      : flip() ? DpCollective::none
                               : DpCollective::reduce_scatter_all_gather;
  if (s.zero_stage == 3 && flip()) s.gather = Gather::microbatch;
  if (s.overlap_dp && (s.zero_stage == 3 || s.offload.weights)) s.prefetch = pick({1, 2, 3});
  return c;
}

std::string text(const RandomCase& c) {
  const Strategy& s = c.strategy;
  std::ostringstream out;
  out << to_string(s.degrees) << " EP " << s.expert_parallel << " of " << c.model.experts << " ZeRO "
      << s.zero_stage << " offload " << s.offload.weights << s.offload.gradients << s.offload.optimizer
      << " microbatches " << s.microbatches << " schedule " << static_cast<int>(s.schedule) << " gather "
      << static_cast<int>(s.gather) << " tied " << c.model.tied_embeddings << " sp " << s.sequence_parallel
      << " vocabulary " << s.split_vocabulary << " recompute " << static_cast<int>(s.recompute)
      << " collective " << (s.dp_collective ? static_cast<int>(*s.dp_collective) : -1) << " element "
      << s.element_bytes;
  return out.str();
}

/// Sums of a rank's nodes, each as the literature counts it.
struct Trace {
  Account sums;
  std::uint64_t largest_portion = 0;
};

Trace read_trace(TrainingGenerator& nodes, std::uint32_t rank, const chakra::CommGroups& groups) {
  Trace trace;
  Account& a = trace.sums;
  Node node;
  for (nodes.rewind(); nodes.next(node);) {
    a.operations += node.num_ops.value_or(0);
    if (node.type == NodeType::MemLoad) a.loaded += *node.tensor_size;
    if (node.type == NodeType::MemStore) a.stored += *node.tensor_size;
    if (node.tensor_size && node.name.find("optimizer portion") != std::string::npos)
      trace.largest_portion = std::max(trace.largest_portion, *node.tensor_size);
    if (node.type == NodeType::CommSend) a.pp += *node.comm_size;
    if (!node.is_collective()) continue;
    const std::uint64_t n = groups.ranks(node.pg_name).size(), bytes = *node.comm_size;
    EXPECT_TRUE(groups.holds(node.pg_name, rank));
    EXPECT_GT(n, 1U) << node.name;
    std::uint64_t& sum = node.comm_class == "mp"   ? a.mp
                         : node.comm_class == "ep" ? a.ep
                         : node.comm_class == "pp" ? a.pp
                                                   : a.dp;
    if (node.comm_type == CollectiveType::AllGather)
      sum += bytes * (n - 1);
    else
      sum += independent::exact(bytes, n) * (n - 1) * (node.comm_type == CollectiveType::AllReduce ? 2 : 1);
  }
  return trace;
}

std::uint64_t sent(const Volumes& volumes, const char* traffic_class) {
  const auto found = volumes.classes.find(traffic_class);
  return found == volumes.classes.end() ? 0 : found->second.sent_bytes;
}

TEST(WhoHoldsWhat, RandomModelsAgreeInBytesOperationsAndMemory) {
  std::mt19937 random(2311);
  std::uint64_t experts = 0, offloaded = 0, tied = 0, ranks = 0;
  const int cases = test::random_cases(2000, 40);
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    const RandomCase c = random_case(random);
    SCOPED_TRACE(text(c));
    const auto plan = std::make_shared<const Plan>(model::transformer(c.model), c.strategy);
    const auto groups = chakra::CommGroups::from_map(plan->groups(), plan->ranks());
    const Parallelism& degrees = c.strategy.degrees;
    experts += c.strategy.expert_parallel > 1;
    offloaded += c.strategy.offload.any();
    tied += c.model.tied_embeddings && degrees.pp > 1;
    for (std::uint32_t stage = 0; stage < degrees.pp; ++stage, ++ranks) {
      const std::uint32_t rank =
          degrees.worker(stage % degrees.mp, stage, (static_cast<std::uint32_t>(k) + stage) % degrees.dp);
      const Account expected = independent::Rank(c.model, c.strategy, stage).account();
      const MemoryNeed need = memory_need(*plan, rank);
      EXPECT_EQ(need.parameters, expected.parameters);
      EXPECT_EQ(need.gradients, expected.gradients);
      EXPECT_EQ(need.optimizer, expected.optimizer);
      EXPECT_EQ(need.gathered, expected.gathered);
      EXPECT_EQ(need.activations, expected.activations);
      EXPECT_EQ(need.offloaded, expected.offloaded);
      EXPECT_EQ(need.streaming, 0U);

      TrainingGenerator nodes(plan, rank);
      const Volumes shown = volumes_of(nodes, rank, groups);
      const Trace trace = read_trace(nodes, rank, groups);
      const Account& moved = trace.sums;
      EXPECT_EQ(moved.loaded, expected.loaded);
      EXPECT_EQ(moved.stored, expected.stored);
      EXPECT_EQ(moved.operations, expected.operations);
      EXPECT_EQ(moved.mp, expected.mp);
      EXPECT_EQ(moved.dp, expected.dp);
      EXPECT_EQ(moved.pp, expected.pp);
      EXPECT_EQ(moved.ep, expected.ep);
      EXPECT_LE(trace.largest_portion, c.strategy.offload_portion_bytes);
      EXPECT_EQ(shown.loads.bytes, expected.loaded);
      EXPECT_EQ(shown.stores.bytes, expected.stored);
      EXPECT_EQ(shown.operations, expected.operations);
      EXPECT_EQ(sent(shown, "mp"), expected.mp);
      EXPECT_EQ(sent(shown, "dp"), expected.dp);
      EXPECT_EQ(sent(shown, "pp"), expected.pp);
      EXPECT_EQ(sent(shown, "ep"), expected.ep);
    }
  }
  const auto all = static_cast<std::uint64_t>(cases);
  EXPECT_GT(experts, all / 6);
  EXPECT_GT(offloaded, all * 7 / 10);
  EXPECT_GT(tied, all / 6);
  std::printf(
      "%d jobs, %llu ranks, %llu jobs with divided experts, %llu with offload, %llu with copied "
      "embeddings: all equal\n",
      cases, static_cast<unsigned long long>(ranks), static_cast<unsigned long long>(experts),
      static_cast<unsigned long long>(offloaded), static_cast<unsigned long long>(tied));
}

// Shares that do not divide are padded: together they hold all, and less than one parameter too much each.
TEST(WhoHoldsWhat, SharesHoldEverythingOnce) {
  model::TransformerSpec spec = small_transformer();
  spec.hidden = 8 * 37;
  spec.vocabulary = 1009;
  spec.experts = 6;
  spec.experts_per_token = 2;
  for (std::uint32_t zero = 0; zero <= 3; ++zero) {
    Strategy s = strategy(1, 6, 1);
    s.expert_parallel = 2;
    s.zero_stage = zero;
    const Plan plan(model::transformer(spec), s);
    for (const Piece& piece : plan.pieces(0, 0))
      for (const Kind kind : kKinds)
        for (const auto& [part, from] : {std::pair{Part::updated, 1U}, std::pair{Part::gradients, 2U},
                                         std::pair{Part::parameters, 3U}}) {
          const std::uint64_t n = zero < from ? 1 : kind == Kind::experts ? 3 : 6;
          const std::uint64_t all = plan.parameters(piece, kind), held = plan.held(piece, part, kind);
          EXPECT_GE(held * n, all);
          EXPECT_LT(held * n, all + n);
        }
  }
}

// Mixtral 8x7B on MP(2)-DP(8), an expert on each: 12 bytes for each of 46.7e9 parameters, once; the norms and
// the router on both ranks of MP.
TEST(WhoHoldsWhat, MixtralMovesItsOptimizerOnce) {
  model::TransformerSpec spec;
  spec.name = "Mixtral 8x7B";
  spec.layers = 32;
  spec.hidden = 4096;
  spec.heads = 32;
  spec.kv_heads = 8;
  spec.sequence = 4096;
  spec.vocabulary = 32'000;
  spec.mlp_hidden = 14'336;
  spec.gated_mlp = true;
  spec.biases = spec.learned_positions = spec.tied_embeddings = spec.dropout = false;
  spec.norm = model::Norm::rms;
  spec.experts = 8;
  spec.experts_per_token = 2;
  Strategy s = strategy(2, 8, 1);
  s.expert_parallel = 8;
  s.zero_stage = 1;
  s.minibatch = 16;
  s.microbatches = 2;
  s.offload.optimizer = true;
  const auto plan = std::make_shared<const Plan>(model::transformer(spec), s);
  const auto groups = chakra::CommGroups::from_map(plan->groups(), plan->ranks());
  std::uint64_t loaded = 0;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
    TrainingGenerator nodes(plan, rank);
    loaded += volumes_of(nodes, rank, groups).loads.bytes;
  }
  const std::uint64_t experts = 3 * std::uint64_t{4096} * 14'336 * 8;
  const std::uint64_t attention = 4096 * (2 * 4096 + 2 * 1024), on_both = 2 * 4096 + 8 * 4096;
  const std::uint64_t vocabulary = 2 * (2 * std::uint64_t{32'000} * 4096 + 4096);  // not split: on both
  EXPECT_EQ(loaded, 12 * (32 * (experts + attention + 2 * on_both) + vocabulary));
  EXPECT_NEAR(static_cast<double>(loaded), 563e9, 1e9);
}

}  // namespace
}  // namespace wafertlm::training
