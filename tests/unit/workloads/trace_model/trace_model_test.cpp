// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/same_node.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/trace_model/fold.h"
#include "workloads/trace_model/generate.h"
#include "workloads/trace_model/lanes.h"
#include "workloads/trace_model/learn.h"
#include "workloads/trace_model/likeness.h"
#include "workloads/trace_model/model_file.h"
#include "workloads/trace_model/perturb.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;
using Tokens = std::vector<std::uint32_t>;

/// The tokens again, by the leaves of steps and what their first occurrence was.
void unfold(const std::vector<Step>& steps, Tokens& slots) {
  for (const Step& step : steps)
    for (std::uint32_t i = 0; i < step.times; ++i) {
      if (step.body.empty()) slots.push_back(step.slot);
      unfold(step.body, slots);
    }
}

TEST(TraceModelFold, FindsLoopsOfLoops) {
  // 1 (2 3 4)x5 9, three times, and the first token once more.
  Tokens tokens;
  for (int outer = 0; outer < 3; ++outer) {
    tokens.push_back(1);
    for (int inner = 0; inner < 5; ++inner) tokens.insert(tokens.end(), {2, 3, 4});
    tokens.push_back(9);
  }
  tokens.push_back(1);
  const std::vector<Step> steps = fold(tokens);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].times, 3U);
  ASSERT_EQ(steps[0].body.size(), 3U);
  EXPECT_EQ(steps[0].body[1].times, 5U);
  EXPECT_EQ(steps[0].body[1].body.size(), 3U);
  EXPECT_EQ(length(steps), tokens.size());
  EXPECT_TRUE(fold({}).empty());
}

TEST(TraceModelFold, TwoOfAKindStayUntilTheyAreLong) {
  EXPECT_EQ(fold({1, 1}).size(), 2U);
  EXPECT_EQ(fold({1, 1, 1}).size(), 1U);
  EXPECT_EQ(fold({1, 2, 3, 4, 1, 2, 3, 4}).size(), 1U);
  EXPECT_EQ(fold({1, 2, 3, 1, 2, 3}).size(), 6U);
}

TEST(TraceModelFold, LosesNothingOfRandomSequences) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Tokens tokens;
    const std::size_t size = 1 + random() % 60;
    while (tokens.size() < size)
      if (tokens.size() > 2 && random() % 4 == 0) {
        const std::size_t period = 1 + random() % (tokens.size() - 1);
        for (std::size_t i = 0; i < period * (1 + random() % 3); ++i)
          tokens.push_back(tokens[tokens.size() - period]);
      } else {
        tokens.push_back(static_cast<std::uint32_t>(random() % 3));
      }
    const std::vector<Step> steps = fold(tokens);
    Tokens slots, of_slot;
    unfold(steps, slots);
    ASSERT_EQ(slots.size(), tokens.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == of_slot.size()) of_slot.push_back(tokens[i]);
      ASSERT_LT(slots[i], of_slot.size());
      ASSERT_EQ(of_slot[slots[i]], tokens[i]) << round;
    }
  }
}

TEST(TraceModelPerturb, FactorsAreWithinTheBoundAndKeepTheSum) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights(2 + random() % 20);
    for (double& weight : weights) weight = 1 + static_cast<double>(random() % 1000);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double largest = *std::max_element(weights.begin(), weights.end());
    const std::vector<double> factors = balanced_factors(weights, 0.1, random());
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_LE(std::abs(factors[i] - 1), 0.1 + 1e-12);
      EXPECT_GE(std::abs(factors[i] - 1), 0.025 - 1e-12);
      sum += factors[i] * weights[i];
    }
    EXPECT_LE(std::abs(sum - all), 0.025 * largest + 1e-9);
  }
  EXPECT_LE(std::abs(balanced_factors({5}, 0.1, 1)[0] - 1), 0.025 + 1e-12);
}

TEST(TraceModelPerturb, ValuesChangeWithinTheBound) {
  EXPECT_EQ(changed(1000, 1.03, 0.05), 1030U);
  EXPECT_EQ(changed(1000, 1.2, 0.05), 1050U);
  EXPECT_EQ(changed(1000, 0.8, 0.05), 950U);
  EXPECT_EQ(changed(1000, 1.0001, 0.05), 1001U);  // another one, if there is one
  EXPECT_EQ(changed(1000, 0.9999, 0.05), 999U);
  EXPECT_EQ(changed(20, 0.99, 0.05), 19U);
  EXPECT_EQ(changed(10, 1.04, 0.05), 10U);  // none within 5 %
  EXPECT_EQ(changed(0, 1.04, 0.05), 0U);
  EXPECT_EQ(changed(1000, 1.03, 0.0), 1000U);
  EXPECT_EQ(changed(1000, 1.03, 0.05, 4), 1032U);
  EXPECT_DOUBLE_EQ((1 + half_of(0.05)) * (1 + half_of(0.05)), 1.05);
}

Node comp(std::uint64_t id, std::uint64_t duration, std::vector<std::uint64_t> parents = {}) {
  Node node;
  node.id = id;
  node.name = "secret " + std::to_string(id);
  node.type = NodeType::Comp;
  node.duration_ps = duration;
  node.data_deps = std::move(parents);
  return node;
}

Node message(std::uint64_t id, bool sends, std::uint32_t rank, std::uint32_t peer, std::uint32_t tag) {
  Node node = comp(id, 0);
  node.type = sends ? NodeType::CommSend : NodeType::CommRecv;
  node.comm_src = sends ? rank : peer;
  node.comm_dst = sends ? peer : rank;
  node.comm_tag = tag;
  node.comm_size = 1000 + tag;
  return node;
}

statistics::TraceGraph graph_of(std::vector<Node> nodes) {
  chakra::VectorSource source("test", std::move(nodes));
  return statistics::read_graph(source);
}

TEST(TraceModelLanes, AreAsManyAsMessagesOvertakeEachOther) {
  const auto lanes = [](const std::vector<std::uint32_t>& received) {
    std::vector<Node> sends, receives;
    for (std::uint32_t i = 0; i < received.size(); ++i) {
      sends.push_back(message(i, true, 0, 1, i));
      receives.push_back(message(i, false, 1, 0, received[i]));
    }
    return lanes_of({graph_of(sends), graph_of(receives)})[0];
  };
  EXPECT_EQ(lanes({0, 1, 2}), (Tokens{0, 0, 0}));
  EXPECT_EQ(lanes({1, 0, 2}), (Tokens{0, 1, 0}));
  EXPECT_EQ(lanes({2, 1, 0}), (Tokens{0, 1, 2}));
  EXPECT_THROW(lanes_of({graph_of({message(0, true, 0, 1, 0)}), graph_of({comp(0, 1)})}), chakra::TraceError);
  EXPECT_THROW(lanes_of({graph_of({message(0, false, 0, 1, 0)}), graph_of({comp(0, 1)})}),
               chakra::TraceError);
  EXPECT_THROW(lanes_of({graph_of({message(0, true, 0, 9, 0)})}), chakra::TraceError);
}

/// Four ranks that compute, sum within pairs and over all, and send around, with random dependencies.
struct RandomJob {
  chakra::CommGroups groups{4};
  std::vector<std::vector<Node>> ranks{4};

  explicit RandomJob(std::uint32_t seed) {
    groups.add("a", {0, 1});
    groups.add("b", {2, 3});
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    const std::uint32_t size = 5 + below(50);
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t what = below(6), value = 1 + below(3);
      std::vector<std::uint64_t> parents;
      for (std::uint32_t k = 0; i > 0 && k < below(4); ++k) parents.push_back(10 * std::uint64_t{below(i)});
      std::sort(parents.begin(), parents.end());
      parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
      for (std::uint32_t rank = 0; rank < 4; ++rank) {
        Node node = comp(10 * std::uint64_t{i}, 1000 * value + below(2) * rank, parents);
        if (what == 2 || what == 3) {
          node.type = NodeType::CommColl;
          node.comm_type = value == 1 ? chakra::CollectiveType::AllGather : chakra::CollectiveType::AllReduce;
          node.comm_size = 100 * value;
          if (what == 3) node.pg_name = rank < 2 ? "a" : "b";
          if (what == 3) node.comm_class = "mp";
        } else if (what == 4) {
          node = message(node.id, rank % 2 == 0, rank, rank ^ 1U, 1);
          node.data_deps = parents;
        } else if (what == 5) {
          node.is_cpu_op = true;
          node.unit = value;
        }
        ranks[rank].push_back(node);
      }
    }
  }

  Ranks graphs() const {
    Ranks all;
    for (const auto& nodes : ranks) all.push_back(graph_of(nodes));
    return all;
  }
};

TEST(TraceModel, WithoutABoundNothingIsLost) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const RandomJob job(seed);
    const Model model = learn({job.graphs()}, job.groups, {0, 1});
    EXPECT_EQ(to_json(from_json(to_json(model), "model")), to_json(model));
    const Generated made = generate(from_json(to_json(model), "model"));
    ASSERT_EQ(made.ranks.size(), 4U);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      ASSERT_EQ(made.ranks[rank].size(), job.ranks[rank].size());
      for (std::size_t i = 0; i < made.ranks[rank].size(); ++i) {
        Node expected = job.ranks[rank][i], found = made.ranks[rank][i];
        // A chain of the same nodes has been put in the order in which they can be done: that of the file.
        EXPECT_EQ(made.source[rank][i], i);
        for (std::uint64_t& parent : expected.data_deps) parent = parent / 10 + 1;
        EXPECT_EQ(found.data_deps, expected.data_deps)
            << "seed " << seed << " rank " << rank << " node " << i;
        EXPECT_NE(found.name, expected.name);
        EXPECT_EQ(found.is_collective() && found.pg_name.empty(),
                  expected.is_collective() && expected.pg_name.empty());
        if (!expected.pg_name.empty()) {
          EXPECT_EQ(made.groups.at(found.pg_name), job.groups.ranks(expected.pg_name));
        }
        found.id = expected.id;
        found.name = expected.name;
        found.data_deps = expected.data_deps;
        found.pg_name = expected.pg_name;
        found.comm_tag = expected.comm_tag;
        found.duration_ps = expected.duration_ps;  // ranks differ by some: below
        EXPECT_EQ(found, expected) << "seed " << seed << " rank " << rank << " node " << i;
        const auto off = std::abs(static_cast<double>(made.ranks[rank][i].duration_ps) -
                                  static_cast<double>(job.ranks[rank][i].duration_ps));
        EXPECT_LE(off, 0.004 * static_cast<double>(job.ranks[rank][i].duration_ps)) << seed;
      }
    }
  }
}

TEST(TraceModel, SizesAndTimesStayWithinTheBoundAndChange) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const RandomJob job(seed);
    const Ranks source = job.graphs();
    const Generated made = generate(learn({source}, job.groups, {0.1, seed}), {seed, {}, {}, 1, 1});
    Ranks graphs;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      graphs.push_back(graph_of(made.ranks[rank]));
      for (std::size_t i = 0; i < made.ranks[rank].size(); ++i) {
        const Node &now = made.ranks[rank][i], &then = job.ranks[rank][i];
        if (then.comm_size) {
          EXPECT_NE(*now.comm_size, *then.comm_size);
          EXPECT_LE(std::abs(static_cast<double>(*now.comm_size) / static_cast<double>(*then.comm_size) - 1),
                    0.1 + 1e-9);
        }
        if (then.duration_ps != 0) {
          EXPECT_LE(
              std::abs(static_cast<double>(now.duration_ps) / static_cast<double>(then.duration_ps) - 1),
              0.1 + 0.004);
        }
      }
    }
    EXPECT_EQ(most_identical_nodes(source, graphs), 0U) << seed;
    EXPECT_EQ(most_identical_nodes(source, source),
              [&] {  // the largest connected part
                std::size_t most = 0;
                for (const auto& graph : source) {
                  std::vector<std::size_t> part(graph.nodes.size());
                  std::iota(part.begin(), part.end(), 0);
                  for (std::size_t round = 0; round < part.size(); ++round)
                    for (const auto& [child, parent] : graph.edges)
                      part[child] = part[parent] = std::min(part[child], part[parent]);
                  for (const std::size_t each : part)
                    most = std::max<std::size_t>(
                        most, static_cast<std::size_t>(std::count(part.begin(), part.end(), each)));
                }
                return most;
              }())
        << seed;
  }
}

TEST(TraceModel, FindsThePartThatIsAsInTheSource) {
  const Ranks source = {graph_of({comp(1, 10), comp(2, 20, {1}), comp(3, 30, {2}), comp(4, 40, {3})})};
  const auto common = [&](std::vector<Node> nodes) {
    return most_identical_nodes(source, {graph_of(std::move(nodes))});
  };
  EXPECT_EQ(common({comp(1, 11), comp(2, 21, {1})}), 0U);
  EXPECT_EQ(common({comp(1, 11), comp(2, 20, {1})}), 1U);
  EXPECT_EQ(common({comp(1, 20), comp(2, 30, {1}), comp(3, 41, {2})}), 2U);
  EXPECT_EQ(common({comp(1, 20), comp(2, 30), comp(3, 40, {1})}), 1U);  // equal nodes, other edges
  EXPECT_EQ(common({comp(1, 10), comp(2, 20, {1}), comp(3, 30, {2})}), 3U);
}

TEST(TraceModel, ScalesRanksAsDataParallelism) {
  std::vector<std::vector<Node>> ranks(4);
  chakra::CommGroups groups(4);
  groups.add("a", {0, 1});
  groups.add("b", {2, 3});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (const char* traffic : {"mp", "dp"}) {
      Node node = comp(ranks[rank].size(), 0);
      node.type = NodeType::CommColl;
      node.comm_type = chakra::CollectiveType::AllGather;
      node.comm_size = 1000;
      node.comm_class = traffic;
      if (std::string(traffic) == "mp") node.pg_name = rank < 2 ? "a" : "b";
      ranks[rank].push_back(node);
    }
  Ranks graphs;
  for (const auto& nodes : ranks) graphs.push_back(graph_of(nodes));
  const Model model = learn({graphs}, groups, {0, 1});
  GenerateOptions options;
  options.ranks = 8;
  const Generated twice = generate(model, options);
  EXPECT_EQ(twice.groups.at(twice.ranks[6][0].pg_name), (Tokens{6, 7}));
  EXPECT_EQ(twice.ranks[6][0].comm_size, 1000U);
  EXPECT_EQ(twice.ranks[6][1].pg_name, "");
  EXPECT_EQ(twice.ranks[6][1].comm_size, 500U);  // half of what each had
  options.ranks = 2;
  const Generated half = generate(model, options);
  EXPECT_EQ(half.ranks[1][0].pg_name, "");  // both ranks are all that there are
  EXPECT_EQ(half.ranks[1][1].comm_size, 2000U);
  for (const std::uint32_t wrong : {0U, 1U, 3U, 6U}) {
    options.ranks = wrong;
    EXPECT_THROW(generate(model, options), std::invalid_argument) << wrong;
  }
  GenerateOptions wider;
  wider.hidden = 2;
  wider.batch = 3;
  const Generated wide = generate(model, wider);
  EXPECT_EQ(wide.ranks[0][0].comm_size, 6000U);  // activations: 2 × 3
  EXPECT_EQ(wide.ranks[0][1].comm_size, 4000U);  // parameters: 2 × 2
}

TEST(TraceModel, AddsLayersToLoopsOnly) {
  std::vector<Node> nodes = {comp(1, 500)};
  for (std::uint64_t i = 0; i < 10; ++i)
    for (const std::uint64_t duration : {100U, 200U, 400U})
      nodes.push_back(comp(nodes.size() + 1, duration, {nodes.size()}));
  nodes.push_back(comp(nodes.size() + 1, 5000, {nodes.size()}));
  const Model model = learn({{graph_of(nodes)}}, chakra::CommGroups(1), {0, 1});
  EXPECT_EQ(model.layers, 10U);
  EXPECT_EQ(model.layer_nodes, 3U);
  GenerateOptions options;
  options.layers = 25;
  const Generated made = generate(model, options);
  std::uint64_t sum = 0;
  for (const Node& node : made.ranks[0]) sum += node.duration_ps;
  EXPECT_EQ(made.ranks[0].size(), 2 + 3 * 25U);
  EXPECT_EQ(sum, 5500U + 25 * 700U);
  EXPECT_THROW(generate(learn({{graph_of({comp(1, 5)})}}, chakra::CommGroups(1), {0, 1}), options),
               std::invalid_argument);
}

TEST(TraceModel, SeveralRunsMakeTheMean) {
  const auto run = [](std::uint64_t a, std::uint64_t b) {
    return Ranks{graph_of({comp(1, a), comp(2, b, {1})})};
  };
  const Model model = learn({run(1000, 5000), run(3000, 6000)}, chakra::CommGroups(1), {0, 1});
  ASSERT_EQ(model.behaviours.size(), 1U);
  EXPECT_EQ(model.behaviours[0].slots[0].durations.stretches_ps, std::vector<std::uint64_t>{2000});
  EXPECT_EQ(model.behaviours[0].slots[1].durations.stretches_ps, std::vector<std::uint64_t>{5500});
  EXPECT_THROW(learn({run(1, 2), {graph_of({comp(1, 1), comp(2, 2)})}}, chakra::CommGroups(1)),
               chakra::TraceError);
  EXPECT_THROW(learn({run(1, 2), {graph_of({comp(1, 1)}), graph_of({comp(1, 1)})}}, chakra::CommGroups(1)),
               chakra::TraceError);
}

TEST(TraceModel, RanksWithTheirOwnPaceKeepIt) {
  Ranks source;
  for (const std::uint64_t pace : {90U, 100U, 110U})
    source.push_back(graph_of({comp(1, 10 * pace), comp(2, 50 * pace, {1}), comp(3, 20 * pace, {2})}));
  const Generated made = generate(learn({source}, chakra::CommGroups(3), {0, 1}));
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(made.ranks[rank][i].duration_ps, source[rank].nodes[i].duration_ps);
}

}  // namespace
}  // namespace wafertlm::trace_model
