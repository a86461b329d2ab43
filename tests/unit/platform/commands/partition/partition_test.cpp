// SPDX-License-Identifier: Apache-2.0
// Golden numbers: computed independently (../shared/reference/tuning.md, section 3).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "platform/commands/partition/assignment.h"
#include "platform/commands/partition/generated.h"
#include "platform/commands/partition/shared.h"
#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"

namespace wafertlm::partition {
namespace {

Chain golden() { return {{"w", 4, 4, {5, -3, 1, 0, 1, 2, 4, -4, -2, 4, 1, 1, 0, 1, -5, 3}}}; }

Pruned pruned(const Chain& chain, const Partition& partition, const Prices& prices) {
  return prune(chain, partition, 2, prices).front();
}

std::vector<std::size_t> sizes_of(const Owners& owners, std::uint32_t workers) {
  std::vector<std::size_t> sizes(workers);
  for (const std::uint32_t owner : owners) ++sizes.at(owner);
  return sizes;
}

bool is_balanced(const Owners& owners, std::uint32_t workers) {
  const std::vector<std::size_t> sizes = sizes_of(owners, workers);
  return *std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()) <= 1;
}

/// Visits all owners that are balanced.
template <typename Visit>
void for_owners(std::size_t count, std::uint32_t workers, const Visit& visit, Owners owners = {}) {
  if (owners.size() == count) {
    if (is_balanced(owners, workers)) visit(owners);
    return;
  }
  owners.push_back(0);
  for (; owners.back() < workers; ++owners.back()) for_owners(count, workers, visit, owners);
}

/// Whole weights: costs are exact.
Layer random_layer(std::mt19937_64& random, std::size_t outputs, std::size_t inputs) {
  Layer layer{"layer", outputs, inputs, {}};
  for (std::size_t i = 0; i < outputs * inputs; ++i)
    layer.weights.push_back(static_cast<double>(random() % 11) - 5);
  return layer;
}

TEST(Partition, GoldenLayer) {
  const Chain chain = golden();
  const Prices prices{1, 8};
  const Owners inputs = in_blocks(4, 2);
  EXPECT_EQ(inputs, (Owners{0, 0, 1, 1}));
  EXPECT_EQ(output_costs(chain[0], inputs, 2, prices), (std::vector<double>{3, 19, 20, 7, 4, 15, 19, 3}));
  const Partition best = layer_by_layer(chain, 2, prices);
  EXPECT_EQ(best[1], (Owners{0, 1, 0, 1}));
  const Pruned ours = pruned(chain, best, prices);
  EXPECT_EQ(ours.cost, 17);
  EXPECT_EQ(ours.error, 9);
  EXPECT_EQ(ours.crossing, 0U);
  EXPECT_EQ(ours.kept, 8U);
  EXPECT_EQ(ours.kept_by, (std::vector<std::uint64_t>{4, 4}));
  const Pruned given = pruned(chain, given_order(chain, 2), prices);
  EXPECT_EQ(given.cost, 41);
  EXPECT_EQ(given.crossing, 3U);
  // Output 1 (at worker 0) needs both inputs of worker 1, output 2 (at worker 1) one of worker 0.
  EXPECT_EQ(given.sent, (std::vector<std::uint64_t>{0, 1, 2, 0}));
  for (const Partition& each : {best, given_order(chain, 2)}) EXPECT_EQ(pruned(chain, each, {1, 0}).cost, 14);
  int optima = 0;
  for_owners(4, 2, [&](const Owners& owners) {
    const double cost = prune(chain[0], inputs, owners, 2, prices).cost;
    EXPECT_GE(cost, 17);
    if (cost == 17) ++optima;
  });
  EXPECT_EQ(optima, 1);
}

TEST(Partition, AWeightIsDroppedAtItsPrice) {
  const Prices prices{4, 5};
  EXPECT_FALSE(prices.keeps(2, false));
  EXPECT_TRUE(prices.keeps(-2.01, false));
  EXPECT_FALSE(prices.keeps(3, true));
  EXPECT_TRUE(prices.keeps(3.01, true));
  EXPECT_EQ(prices.of(1, true), 1);
  EXPECT_EQ(prices.of(-7, true), 9);
  EXPECT_EQ(prices.of(-7, false), 4);
}

TEST(Partition, AssignmentIsBruteForce) {
  std::mt19937_64 random(1);
  for (int i = 0; i < test::random_cases(1000, 200); ++i) {
    const auto workers = static_cast<std::uint32_t>(1 + random() % 4);
    const std::size_t outputs = workers + random() % (workers == 2 ? 6 : 4), inputs = workers + random() % 5;
    const Layer layer = random_layer(random, outputs, inputs);
    const Prices prices{static_cast<double>(random() % 8), static_cast<double>(random() % 12)};
    Owners owners_of_inputs(inputs);
    for (std::uint32_t& owner : owners_of_inputs) owner = static_cast<std::uint32_t>(random() % workers);
    const std::vector<double> costs = output_costs(layer, owners_of_inputs, workers, prices);
    const Owners found = least_cost_owners(costs, workers);
    ASSERT_TRUE(is_balanced(found, workers)) << i;
    double least = std::numeric_limits<double>::infinity();
    for_owners(outputs, workers, [&](const Owners& owners) {
      double cost = 0;
      for (std::size_t output = 0; output < outputs; ++output)
        cost += costs[output * workers + owners[output]];
      ASSERT_EQ(prune(layer, owners_of_inputs, owners, workers, prices).cost, cost) << i;
      least = std::min(least, cost);
    });
    ASSERT_EQ(prune(layer, owners_of_inputs, found, workers, prices).cost, least) << i;
  }
}

TEST(Partition, AssignmentOfFractionsIsNearlyExact) {
  std::mt19937_64 random(2);
  for (int i = 0; i < test::random_cases(100, 20); ++i) {
    std::vector<double> costs(8 * 2);
    for (double& cost : costs) cost = std::ldexp(static_cast<double>(random() >> 11), -40);
    const auto sum_of = [&](const Owners& owners) {
      double sum = 0;
      for (std::size_t k = 0; k < owners.size(); ++k) sum += costs[k * 2 + owners[k]];
      return sum;
    };
    double least = std::numeric_limits<double>::infinity();
    for_owners(8, 2, [&](const Owners& owners) { least = std::min(least, sum_of(owners)); });
    ASSERT_NEAR(sum_of(least_cost_owners(costs, 2)), least, 1e-9 * least) << i;
  }
}

TEST(Partition, TheNextLayerKnowsWhoOwnsItsInputs) {
  Chain chain = golden();
  chain.push_back({"second", 2, 4, {9, 0, 9, 0, 0, 9, 0, 9}});
  const Partition best = layer_by_layer(chain, 2, {1, 8});
  EXPECT_EQ(best[1], (Owners{0, 1, 0, 1}));
  EXPECT_EQ(best[2], (Owners{0, 1}));
  EXPECT_EQ(prune(chain, best, 2, {1, 8})[1].crossing, 0U);
  EXPECT_EQ(prune(chain, given_order(chain, 2), 2, {1, 8})[1].crossing, 2U);
}

/// Every choice of values to send.
double shared_by_force(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                       const Prices& prices) {
  double cost = 0;
  for (std::size_t j = 0; j < layer.inputs; ++j)
    for (std::uint32_t p = 0; p < workers; ++p) {
      double with = inputs[j] == p ? 0 : prices.mu, without = inputs[j] == p ? 1e300 : 0;
      for (std::size_t i = 0; i < layer.outputs; ++i) {
        if (outputs[i] != p) continue;
        const double square = layer.weight(i, j) * layer.weight(i, j);
        with += std::min(square, prices.lambda);
        without += square;
      }
      cost += std::min(with, without);
    }
  return cost;
}

TEST(Partition, SharedValuesCostNoMoreThanTheAssignment) {
  std::mt19937_64 random(3);
  int better = 0, optimal = 0;
  const int cases = test::random_cases(200, 40);
  for (int i = 0; i < cases; ++i) {
    const Layer layer = random_layer(random, 6, 6);
    const Prices prices{2, static_cast<double>(random() % 40)};
    const Partition first = layer_by_layer({layer}, 2, prices), second = shared_values({layer}, 2, prices);
    const double before = prune_shared({layer}, first, 2, prices)[0].cost,
                 after = prune_shared({layer}, second, 2, prices)[0].cost;
    ASSERT_TRUE(is_balanced(second[1], 2));
    ASSERT_EQ(after, shared_by_force(layer, second[0], second[1], 2, prices)) << i;
    ASSERT_LE(after, before) << i;
    double least = std::numeric_limits<double>::infinity();
    for_owners(6, 2, [&](const Owners& owners) {
      least = std::min(least, shared_by_force(layer, first[0], owners, 2, prices));
    });
    ASSERT_GE(after, least) << i;
    if (after < before) ++better;
    if (after == least) ++optimal;
  }
  EXPECT_GT(better, cases / 20);
  EXPECT_GT(optimal, cases / 3);
}

TEST(Partition, HiddenGroupsAreFoundAgain) {
  const Chain chain = generated({{64, 96, 64}, 5, 4, 0.9});
  const Prices prices{0.1, 0.5};
  const auto crossing = [&](const Partition& partition) {
    std::uint64_t sum = 0;
    for (const Pruned& each : prune(chain, partition, 4, prices)) sum += each.crossing;
    return sum;
  };
  const std::uint64_t given = crossing(given_order(chain, 4));
  EXPECT_GT(given, 900U);
  EXPECT_LT(crossing(layer_by_layer(chain, 4, prices)), given / 100);
  EXPECT_LT(crossing(graph_partitioning(chain, 4, prices)), given / 100);
  EXPECT_GT(crossing(random_order(chain, 4, 1)), 900U);
}

TEST(Partition, EveryPartitionerIsBalanced) {
  std::mt19937_64 random(4);
  for (int i = 0; i < test::random_cases(40, 10); ++i) {
    const auto workers = static_cast<std::uint32_t>(1 + random() % 5);
    Chain chain{random_layer(random, 5 + random() % 8, 5 + random() % 8)};
    chain.push_back(random_layer(random, 5 + random() % 8, chain[0].outputs));
    const Prices prices{1, static_cast<double>(random() % 9)};
    for (const Partition& each :
         {given_order(chain, workers), random_order(chain, workers, random()),
          layer_by_layer(chain, workers, prices), shared_values(chain, workers, prices),
          graph_partitioning(chain, workers, prices)}) {
      ASSERT_EQ(each.size(), 3U);
      ASSERT_EQ(each[0], in_blocks(chain[0].inputs, workers)) << i;
      for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_EQ(each[k + 1].size(), chain[k].outputs) << i;
        ASSERT_TRUE(is_balanced(each[k + 1], workers)) << i;
      }
    }
  }
}

TEST(Partition, BlocksAreOfEqualSizeButForOne) {
  for (std::size_t neurons = 1; neurons < 40; ++neurons)
    for (std::uint32_t workers = 1; workers <= neurons; ++workers) {
      const Owners owners = in_blocks(neurons, workers);
      EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end()));
      EXPECT_TRUE(is_balanced(owners, workers)) << neurons << " " << workers;
    }
}

TEST(Partition, GeneratedWeightsAreNearlyNormalAndTheSameEverywhere) {
  const Chain chain = generated({{200, 100}, 7, 4, 0.5});
  ASSERT_EQ(chain.size(), 1U);
  ASSERT_EQ(chain[0].weights.size(), 20'000U);
  EXPECT_EQ(chain[0].weights, generated({{200, 100}, 7, 4, 0.5})[0].weights);
  EXPECT_NE(chain[0].weights, generated({{200, 100}, 8, 4, 0.5})[0].weights);
  double squares = 0;
  for (const double weight : chain[0].weights) squares += weight * weight;
  EXPECT_NEAR(squares / 20'000, 0.25 * 1 + 0.75 * 0.25, 0.02);  // a quarter of the weights is within a group
  EXPECT_THROW(generated({{4}, 1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(generated({{4, 3}, 1, 4, 0}), std::invalid_argument);
  EXPECT_THROW(generated({{4, 4}, 1, 1, 1.5}), std::invalid_argument);
}

TEST(Partition, RefusesWhatIsNoChain) {
  const auto refused = [](const Chain& chain, std::uint32_t workers) {
    return test::refusal_of([&] { require_valid(chain, workers); });
  };
  Chain chain = golden();
  EXPECT_EQ(refused(chain, 4), "");
  EXPECT_NE(refused(chain, 5).find("layer 'w' has 4 inputs, fewer than the 5 workers"), std::string::npos);
  EXPECT_NE(refused({}, 1), "");
  EXPECT_NE(refused(chain, 0), "");
  chain[0].weights[6] = std::nan("");
  EXPECT_NE(refused(chain, 2).find("output 1 and input 2"), std::string::npos);
  chain = golden();
  chain[0].weights.pop_back();
  EXPECT_NE(refused(chain, 2), "");
  chain = golden();
  chain.push_back({"next", 4, 3, std::vector<double>(12)});
  EXPECT_NE(refused(chain, 2).find("'next' has 3 inputs, and layer 'w' before it 4 outputs"),
            std::string::npos);
  EXPECT_THROW(least_cost_owners({1, 2, 3}, 2), std::invalid_argument);
  EXPECT_THROW(least_cost_owners({1, -2}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::partition
