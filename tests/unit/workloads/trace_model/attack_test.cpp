// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "workloads/statistics/duration_grid.h"
#include "workloads/trace_model/learn.h"
#include "workloads/trace_model/likeness.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;

/// A chain of computations with these durations, named by their place.
statistics::TraceGraph chain(const std::vector<std::uint64_t>& durations) {
  std::vector<Node> nodes;
  for (const std::uint64_t duration : durations) {
    Node node;
    node.id = nodes.size();
    node.name = "layer " + std::to_string(nodes.size());
    node.type = NodeType::Comp;
    node.duration_ps = duration;
    if (!nodes.empty()) node.data_deps = {nodes.size() - 1};
    nodes.push_back(node);
  }
  chakra::VectorSource source("chain", std::move(nodes));
  return statistics::read_graph(source);
}

LayersFound attacked(const std::vector<std::uint64_t>& durations, double bound) {
  const Ranks source = {chain(durations)};
  const Model model = learn({source}, chakra::CommGroups(1), {bound, 1});
  const Generated made = generate(model);
  chakra::VectorSource nodes("made", made.ranks[0]);
  return attack_layers(source, model, made, {statistics::read_graph(nodes)});
}

TEST(TraceModelAttack, FindsWhatIsUniqueAndGuessesAmongEqualOnes) {
  const LayersFound unique = attacked({1000, 3000, 9000, 27000, 81000}, 0.05);
  EXPECT_EQ(unique.nodes, 5U);
  EXPECT_EQ(unique.layers, 5U);
  EXPECT_DOUBLE_EQ(unique.layers_by_chance, 1);  // 5 times 1/5
  EXPECT_EQ(unique.operators, 5U);               // they differ by numbers only
  EXPECT_DOUBLE_EQ(unique.operators_by_chance, 5);

  std::vector<std::uint64_t> equal(40, 1000);
  const LayersFound among = attacked(equal, 0.05);
  EXPECT_EQ(among.nodes, 40U);
  EXPECT_LE(among.layers, 4U);  // the ends have one neighbour
  EXPECT_GE(among.layers, 2U);
}

/// A source that counts whole microseconds, some of which differ from layer to layer by one: of what is made
/// of its model rounding gives back few at their places, and all of it takes as long.
TEST(TraceModelAttack, RoundingGivesLittleBack) {
  constexpr TimePs kGrid = 1'000'000;
  std::vector<std::uint64_t> durations;
  for (std::uint64_t i = 0; i < 2800; ++i)
    durations.push_back((2 + 3 * (i % 7) + (i * i / 7) % 5 / 4) * kGrid);
  const Ranks source = {chain(durations)};
  const Model model = learn({source}, chakra::CommGroups(1), {0.05, 1});
  EXPECT_EQ(model.grid_ps, kGrid);
  const std::vector<chakra::Node> made = generate(model).ranks[0];
  statistics::RoundedBack rounded, by_chance;
  double before = 0, after = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    rounded.add(durations[i], made[i].duration_ps, kGrid);
    by_chance.add(durations[(i + 7 * 101) % durations.size()], made[i].duration_ps, kGrid);
    before += static_cast<double>(durations[i]);
    after += static_cast<double>(made[i].duration_ps);
  }
  EXPECT_EQ(rounded.durations, 2800U);
  // Another layer's duration is found as often.
  EXPECT_LT(rounded.right, 2800U / 8);
  EXPECT_LT(static_cast<double>(rounded.right), 1.15 * static_cast<double>(by_chance.right));
  EXPECT_NEAR(after / before, 1, 0.05);
}

TEST(TraceModelAttack, SeesLittleWhereTheBoundIsWiderThanTheDifferences) {
  std::vector<std::uint64_t> near;
  for (std::uint64_t i = 0; i < 60; ++i) near.push_back(100'000 + 500 * i * (i % 7));
  const LayersFound narrow = attacked(near, 0.0001), wide = attacked(near, 0.45);
  EXPECT_GT(narrow.layers, 50U);
  EXPECT_LT(wide.layers, 15U);
}

Node collective(chakra::CollectiveType type, std::uint64_t bytes, const char* traffic) {
  Node node;
  node.type = NodeType::CommColl;
  node.comm_type = type;
  node.comm_size = bytes;
  node.comm_class = traffic;
  return node;
}

statistics::TraceStatistics statistics_of(std::vector<Node> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].id = i;
  chakra::VectorSource source("test", std::move(nodes));
  return statistics::statistics_of({statistics::read_graph(source)});
}

TEST(TraceModelAttack, FamiliesAreToldApartByTheirMixWhateverTheSize) {
  using chakra::CollectiveType;
  const auto features = [](CollectiveType type, const char* traffic, std::uint64_t bytes) {
    return family_features(statistics_of({collective(type, bytes, traffic), collective(type, bytes, traffic),
                                          collective(CollectiveType::AllReduce, bytes / 10, "dp")}));
  };
  const std::vector<std::vector<double>> known = {features(CollectiveType::AllReduce, "mp", 1000),
                                                  features(CollectiveType::AllToAll, "ep", 1000),
                                                  features(CollectiveType::AllGather, "dp", 1000)};
  for (const std::vector<double>& each : known)
    for (const double value : each) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
  EXPECT_EQ(nearest_family(features(CollectiveType::AllReduce, "mp", 5'000'000), known), 0U);
  EXPECT_EQ(nearest_family(features(CollectiveType::AllToAll, "ep", 5'000'000), known), 1U);
  EXPECT_EQ(nearest_family(features(CollectiveType::AllGather, "dp", 5'000'000), known), 2U);
  EXPECT_THROW(nearest_family(known[0], {}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::trace_model
