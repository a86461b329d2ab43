// SPDX-License-Identifier: Apache-2.0
// Flows that share ports and take turns, against searches of all their sets without a common port.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/fred/routing/evaluate.h"
#include "tests/unit/models/fred/routing/carried.h"

namespace wafertlm {
namespace {

using test::random_flows;

FredRouteOptions in_turns(FredRouteMode mode = FredRouteMode::backtracking) {
  FredRouteOptions options;
  options.mode = mode;
  options.take_turns = true;
  return options;
}

/// Whether FRED_m(ports) carries the flows in turns, by trying every middle switch for every flow at every
/// level: two that share a µswitch and no port need different ones.
bool carries_in_turns(const std::vector<FredFlow>& flows, std::uint32_t m, std::uint32_t ports) {
  if (ports == 2 || flows.size() <= 1) return true;
  if (ports == 3) {
    const FredNetwork network(m, 3);
    const FredRouter router(network);
    for (std::uint32_t set = 0; set < 1U << flows.size(); ++set) {
      std::vector<FredFlow> some;
      bool disjoint = true;
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if ((set >> i & 1U) == 0) continue;
        for (const FredFlow& other : some) disjoint = disjoint && !share_a_port(flows[i], other);
        some.push_back(flows[i]);
      }
      if (disjoint && !some.empty() && !router.route(some).routed()) return false;
    }
    return true;
  }
  std::size_t choices = 1;
  for (std::size_t i = 0; i < flows.size(); ++i) choices *= m;
  const auto halved = [](const std::vector<std::uint32_t>& list) {
    std::vector<std::uint32_t> half;
    for (const std::uint32_t port : list)
      if (half.empty() || half.back() != port / 2) half.push_back(port / 2);
    return half;
  };
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<std::vector<FredFlow>> inside(m);
    std::vector<std::vector<std::size_t>> ids(m);
    bool fits = true;
    for (std::size_t i = 0, rest = choice; i < flows.size(); ++i, rest /= m) {
      const std::size_t c = rest % m;
      const FredFlow half{halved(flows[i].inputs), halved(flows[i].outputs)};
      for (std::size_t k = 0; k < inside[c].size(); ++k)
        fits = fits && (share_a_port(flows[i], flows[ids[c][k]]) || !share_a_port(half, inside[c][k]));
      inside[c].push_back(half);
      ids[c].push_back(i);
    }
    for (std::uint32_t c = 0; fits && c < m; ++c) fits = carries_in_turns(inside[c], m, (ports + 1) / 2);
    if (fits) return true;
  }
  return false;
}

std::vector<FredFlow> some_flows(std::uint32_t ports, std::size_t count, std::mt19937_64& random) {
  std::vector<FredFlow> flows;
  while (flows.size() < count) {
    FredFlow flow;
    for (std::uint32_t port = 0; port < ports; ++port) {
      if (random() % 3 == 0) flow.inputs.push_back(port);
      if (random() % 3 == 0) flow.outputs.push_back(port);
    }
    if (!flow.inputs.empty() && !flow.outputs.empty()) flows.push_back(flow);
  }
  return flows;
}

TEST(FredTurns, AreExact) {
  std::mt19937_64 random(3);
  std::map<std::pair<std::uint32_t, bool>, int> counts;
  for (int round = 0; round < 300; ++round)
    for (const std::uint32_t m : {1U, 2U}) {
      const auto ports = static_cast<std::uint32_t>(3 + random() % 6);
      const std::vector<FredFlow> flows = some_flows(ports, 2 + random() % 4, random);
      const FredNetwork network(m, ports);
      const bool routed = FredRouter(network).route(flows, in_turns()).routed();
      EXPECT_EQ(routed, carries_in_turns(flows, m, ports));
      ++counts[{m, routed}];
    }
  // Both answers occur.
  EXPECT_GT((counts[{1, false}]), 20);
  EXPECT_GT((counts[{1, true}]), 20);
  EXPECT_GT((counts[{2, true}]), 20);
}

TEST(FredTurns, WithoutCommonPortsNothingChanges) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const auto ports = static_cast<std::uint32_t>(2 + random() % 14);
    const std::vector<FredFlow> flows = random_flows(ports, random);
    for (const std::uint32_t m : {2U, 3U})
      for (const FredRouteMode mode : {FredRouteMode::first_colouring, FredRouteMode::backtracking}) {
        const FredNetwork network(m, ports);
        const FredRouter router(network);
        EXPECT_EQ(router.route(flows, in_turns(mode)).status, router.route(flows, {mode}).status);
      }
  }
}

// What BF16 results rely on: a flow adds in the same order beside others as alone.
TEST(FredTurns, TheOrderOfAdditionsDoesNotDependOnOtherFlows) {
  std::mt19937_64 random(5);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    const auto ports = static_cast<std::uint32_t>(3 + random() % 14);
    const FredNetwork network(3, ports);
    const FredRouter router(network);
    const std::vector<FredFlow> flows = random_flows(ports, random);
    const FredRouting together = router.route(flows, {FredRouteMode::backtracking});
    if (!together.routed()) continue;
    const FredValues values = evaluate(network.netlist(), together.configuration);
    for (const FredFlow& flow : flows) {
      const FredRouting alone = router.route({flow});
      ASSERT_TRUE(alone.routed());
      const std::uint32_t output = flow.outputs.front();
      EXPECT_EQ(values.expression(output),
                evaluate(network.netlist(), alone.configuration).expression(output));
      compared += flow.inputs.size() > 2 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace wafertlm
