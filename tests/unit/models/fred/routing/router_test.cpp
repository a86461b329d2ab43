// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/router.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/unit/models/fred/routing/carried.h"

namespace wafertlm {
namespace {

using test::carries;
using test::permutation;
using test::random_flows;

constexpr FredRouteOptions kBacktracking{FredRouteMode::backtracking};

// Rearrangeably non-blocking: whatever colouring comes first, all levels route.
TEST(FredRouter, AllUnicastPermutationsUpToEightPorts) {
  for (std::uint32_t ports = 2; ports <= 8; ++ports) {
    const FredNetwork network(2, ports);
    const FredRouter router(network);
    std::vector<std::uint32_t> output_of(ports);
    std::iota(output_of.begin(), output_of.end(), 0U);
    std::size_t count = 0;
    do {
      const std::vector<FredFlow> flows = permutation(output_of);
      const FredRouting routing = router.route(flows);
      ASSERT_TRUE(routing.routed()) << routing.reason;
      ASSERT_TRUE(carries(network, flows, routing.configuration));
      ++count;
    } while (std::next_permutation(output_of.begin(), output_of.end()));
    fmt::print("P = {}: {} permutations route with m = 2\n", ports, count);
  }
}

TEST(FredRouter, RandomUnicastPermutationsAbove) {
  std::mt19937_64 random(1);
  std::size_t count = 0;
  for (std::uint32_t ports = 9; ports <= 33; ++ports) {
    const FredNetwork network(2, ports);
    const FredRouter router(network);
    std::vector<std::uint32_t> output_of(ports);
    std::iota(output_of.begin(), output_of.end(), 0U);
    for (int round = 0; round < 100; ++round, ++count) {
      for (std::size_t i = ports; i > 1; --i) std::swap(output_of[i - 1], output_of[random() % i]);
      const std::vector<FredFlow> flows = permutation(output_of);
      const FredRouting routing = router.route(flows);
      ASSERT_TRUE(routing.routed()) << ports << ": " << routing.reason;
      ASSERT_TRUE(carries(network, flows, routing.configuration));
    }
  }
  fmt::print("{} random permutations of 9 to 33 ports route with m = 2\n", count);
}

// The first three of the four flows share a µswitch two by two: 0 with 1 that of ports 0 and 1, 0 with 2 that
// of ports 2 and 3, 1 with 2 that of ports 4 and 5.
const std::vector<FredFlow> kOddCycle = {
    {{0, 2}, {0, 2}}, {{1, 4}, {1, 4}}, {{3, 5}, {3, 5}}, {{6, 7}, {6, 7}}};

TEST(FredRouter, FourFlowsWithAnOddCycleNeedThreeMiddleSwitches) {
  for (const FredRouteMode mode : {FredRouteMode::first_colouring, FredRouteMode::backtracking}) {
    const FredNetwork two(2, 8), three(3, 8);
    const FredRouting refused = FredRouter(two).route(kOddCycle, {mode});
    EXPECT_EQ(refused.status, FredRouteStatus::impossible);
    EXPECT_EQ(refused.reason,
              "flows 0, 1, 2 share µswitches and need more than 2 middle switches in the switch of 8 ports");
    const FredRouting routed = FredRouter(three).route(kOddCycle, {mode});
    ASSERT_TRUE(routed.routed()) << routed.reason;
    EXPECT_TRUE(carries(three, kOddCycle, routed.configuration));
  }
}

// Longer odd cycles, through inputs only, through outputs only, and through both.
TEST(FredRouter, FiveFlowsInACycle) {
  std::vector<FredFlow> both, inputs, outputs;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::vector<std::uint32_t> ports = {2 * i, (2 * i + 3) % 10};
    both.push_back({ports, ports});
    inputs.push_back({ports, {i}});
    outputs.push_back({{i}, ports});
  }
  const FredNetwork two(2, 10), three(3, 10);
  for (const auto& flows : {both, inputs, outputs}) {
    EXPECT_EQ(FredRouter(two).route(flows, kBacktracking).status, FredRouteStatus::impossible);
    const FredRouting routing = FredRouter(three).route(flows, kBacktracking);
    ASSERT_TRUE(routing.routed()) << routing.reason;
    EXPECT_TRUE(carries(three, flows, routing.configuration));
  }
}

// m = 1 is a single path at every level: halves of the switch at most.
TEST(FredRouter, OneMiddleSwitchCarriesFlowsThatShareNothing) {
  const FredNetwork network(1, 8);
  const FredRouter router(network);
  const std::vector<FredFlow> apart = {{{0, 1, 2}, {4, 5, 7}}, {{4, 7}, {0, 3}}};
  const FredRouting routing = router.route(apart);
  ASSERT_TRUE(routing.routed()) << routing.reason;
  EXPECT_TRUE(carries(network, apart, routing.configuration));
  EXPECT_EQ(router.route({{{0}, {0}}, {{1}, {2}}}).status, FredRouteStatus::impossible);
}

// The last port of an odd switch has no partner; its demux and mux choose the middle switch.
TEST(FredRouter, TheOddPortTakesPartInReductionsAndMulticasts) {
  for (const std::uint32_t ports : {5U, 7U, 9U, 11U, 33U})
    for (const std::uint32_t m : {1U, 2U, 3U}) {
      const FredNetwork network(m, ports);
      const FredRouter router(network);
      const std::uint32_t last = ports - 1;
      std::vector<std::uint32_t> all(ports);
      std::iota(all.begin(), all.end(), 0U);
      for (const std::vector<FredFlow>& flows :
           {std::vector<FredFlow>{{all, all}}, {{all, {last}}}, {{{last}, all}}, {{{last}, {last}}}}) {
        const FredRouting routing = router.route(flows);
        ASSERT_TRUE(routing.routed()) << routing.reason;
        EXPECT_TRUE(carries(network, flows, routing.configuration));
      }
    }
}

// Which two are added first: neighbours on a µswitch, then neighbours in the middle switch.
TEST(FredRouter, TheOrderOfAdditionsFollowsTheTree) {
  const FredNetwork network(2, 8);
  const std::vector<FredFlow> flows = {{{0, 1, 2, 3, 4, 7}, {0, 5}}};
  const FredRouting routing = FredRouter(network).route(flows);
  const FredValues values = evaluate(network.netlist(), routing.configuration);
  EXPECT_EQ(values.expression(0), "(((0+1)+(2+3))+(4+7))");
  EXPECT_EQ(values.output[0], values.output[5]);
  EXPECT_EQ(values.sums.size(), 5U);
}

TEST(FredRouter, ThreePortsCannotCarryEverySetOfFlows) {
  const FredNetwork network(3, 3);
  EXPECT_EQ(FredRouter(network).route({{{0, 2}, {1}}, {{1}, {0, 2}}}).status, FredRouteStatus::impossible);
}

TEST(FredRouter, RandomSetsOfFlowsCarryTheRightValuesAndBacktrackingNeverRoutesFewer) {
  std::mt19937_64 random(3);
  for (const std::uint32_t m : {1U, 2U, 3U, 4U}) {
    std::size_t sets = 0, first = 0, all = 0, proven = 0;
    for (std::uint32_t ports = 2; ports <= 24; ++ports) {
      const FredNetwork network(m, ports);
      const FredRouter router(network);
      for (int round = 0; round < 60; ++round, ++sets) {
        const std::vector<FredFlow> flows = random_flows(ports, random);
        const FredRouting one = router.route(flows);
        const FredRouting best = router.route(flows, {FredRouteMode::backtracking, 100'000, 3'000});
        if (one.routed()) {
          ASSERT_TRUE(carries(network, flows, one.configuration));
        }
        if (best.routed()) {
          ASSERT_TRUE(carries(network, flows, best.configuration));
        }
        ASSERT_TRUE(best.routed() || !one.routed());
        ASSERT_FALSE(best.routed() && one.status == FredRouteStatus::impossible);
        first += one.routed();
        all += best.routed();
        proven += best.status == FredRouteStatus::impossible;
      }
    }
    fmt::print(
        "m = {}: {} sets, {} route with the first colouring, {} with backtracking, {} proven impossible, "
        "{} given up\n",
        m, sets, first, all, proven, sets - all - proven);
    EXPECT_GT(first, 50U);
    EXPECT_GE(all, first);
  }
}

// In the middle switch mid0 the two flows would be {0,2->1, 1->0,2}, which three ports do not carry.
// Backtracking puts the first flow into mid0, tries the second one there, and then in mid1: three
// assignments.
TEST(FredRouter, AConflictInAMiddleSwitchIsNamedAndOvercomeByBacktracking) {
  const std::vector<FredFlow> flows = {{{2}, {0, 4}}, {{0, 4}, {2}}};
  const std::string reason =
      "flows 7, 9 do not fit together through the three µswitches in its middle switch mid0 of 3 "
      "ports";
  const FredNetwork one(1, 6), two(2, 6);
  for (const FredNetwork* network : {&one, &two}) {
    const FredRouting first = FredRouter(*network).route(flows, {}, {9, 7});
    EXPECT_EQ(first.status, FredRouteStatus::not_found);
    EXPECT_EQ(first.reason, reason);
    EXPECT_EQ(first.steps, 0U);
    EXPECT_EQ(first.configuration.takes, network->netlist().idle().takes);
  }
  const FredRouting proven = FredRouter(one).route(flows, kBacktracking, {9, 7});
  EXPECT_EQ(proven.status, FredRouteStatus::impossible);
  EXPECT_EQ(proven.reason,
            "no colouring routes at all levels (2 assignments of a flow to a middle switch); the first "
            "colouring: " +
                reason);
  const FredRouting routed = FredRouter(two).route(flows, {FredRouteMode::backtracking, 100'000, 3}, {9, 7});
  ASSERT_TRUE(routed.routed());
  EXPECT_EQ(routed.steps, 3U);
  EXPECT_EQ(routed.reason, "");
  EXPECT_TRUE(carries(two, flows, routed.configuration));
  const FredRouting given_up =
      FredRouter(two).route(flows, {FredRouteMode::backtracking, 100'000, 2}, {9, 7});
  EXPECT_EQ(given_up.status, FredRouteStatus::not_found);
  EXPECT_EQ(given_up.reason,
            "gave up after (2 assignments of a flow to a middle switch); the first colouring: " + reason);
}

// A cycle of thirteen; with their positions as names.
TEST(FredRouter, ReasonsNameTwelveFlowsAtMost) {
  for (const std::uint32_t length : {11U, 13U}) {
    std::vector<FredFlow> flows;
    for (std::uint32_t i = 0; i < length; ++i) flows.push_back({{2 * i, (2 * i + 3) % (2 * length)}, {i}});
    const FredNetwork network(2, 2 * length);
    EXPECT_EQ(
        FredRouter(network).route(flows).reason,
        fmt::format(
            "flows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10{} share µswitches and need more than 2 middle switches "
            "in the switch of {} ports",
            length == 13 ? ", 11, … (13 in all)" : "", 2 * length));
  }
}

// With as many assignments as a search took it ends the same; with one less it does not.
TEST(FredRouter, TheBudgetOfTheSearchIsOfAssignments) {
  std::mt19937_64 random(11);
  int searches = 0;
  for (int round = 0; round < 400; ++round) {
    const auto ports = static_cast<std::uint32_t>(6 + random() % 9);
    const FredNetwork network(2, ports);
    const FredRouter router(network);
    const std::vector<FredFlow> flows = random_flows(ports, random);
    const FredRouting all = router.route(flows, kBacktracking);
    if (all.steps == 0) continue;
    ++searches;
    const FredRouting enough = router.route(flows, {FredRouteMode::backtracking, 100'000, all.steps});
    EXPECT_EQ(enough.status, all.status);
    EXPECT_EQ(enough.steps, all.steps);
    const FredRouting less = router.route(flows, {FredRouteMode::backtracking, 100'000, all.steps - 1});
    EXPECT_EQ(less.status, FredRouteStatus::not_found);
    EXPECT_EQ(less.steps, all.steps - 1);
  }
  EXPECT_GT(searches, 10);
}

TEST(FredRouter, GivesUpBeyondItsBudgetAndSaysSo) {
  std::mt19937_64 random(3);
  const FredNetwork network(2, 16);
  const FredRouter router(network);
  bool gave_up = false;
  for (int round = 0; round < 2000 && !gave_up; ++round) {
    const FredRouting routing =
        router.route(random_flows(16, random), {FredRouteMode::backtracking, 100'000, 1});
    gave_up = routing.status == FredRouteStatus::not_found &&
              routing.reason.find("gave up after (1 assignments") != std::string::npos;
  }
  EXPECT_TRUE(gave_up);
}

TEST(FredRouter, NoFlowsNoConfiguration) {
  const FredNetwork network(2, 5);
  const FredRouting routing = FredRouter(network).route({});
  EXPECT_TRUE(routing.routed());
  EXPECT_EQ(describe(network.netlist(), routing.configuration), "");
}

TEST(FredRouter, RefusesSetsOfFlowsThatShareAPort) {
  const FredNetwork network(2, 4);
  const FredRouter router(network);
  const auto expect_error = [&](const std::vector<FredFlow>& flows, const std::string& message) {
    try {
      router.route(flows);
      ADD_FAILURE() << message;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()), message);
    }
  };
  expect_error(
      {{{0}, {1}}, {{1, 0}, {2}}},
      "flow 1: input port 0 belongs to flow 0 already; flows that share a port must follow each other");
  expect_error(
      {{{0}, {1}}, {{1}, {2, 1}}},
      "flow 1: output port 1 belongs to flow 0 already; flows that share a port must follow each other");
  expect_error({{{0}, {4}}}, "flow 0: no output port 4; the switch has 0 to 3");
  expect_error({{{}, {1}}}, "flow 0 has no input port");
  expect_error({{{1}, {}}}, "flow 0 has no output port");
  expect_error({{{1, 1}, {2}}}, "flow 0 lists input port 1 twice");
}

}  // namespace
}  // namespace wafertlm
