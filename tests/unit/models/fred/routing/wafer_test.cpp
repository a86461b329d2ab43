// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "models/fred/routing/evaluate.h"
#include "models/fred/routing/wafer_router.h"
#include "tests/support/refusal.h"
#include "tests/unit/models/fred/routing/carried.h"

namespace wafertlm {
namespace {

const FredWaferShape kPhysical;
const FredWaferShape kLogical = FredWaferShape::logical();
constexpr WaferRouteOptions kAllChoices{{FredRouteMode::backtracking}, 1000};

Group npus(const std::vector<std::uint32_t>& numbers) {
  Group group;
  for (const std::uint32_t number : numbers) group.push_back(static_cast<NpuId>(number));
  return group;
}

/// What arrives at every NPU of a routed step, by following values from switch to switch: out of the NPUs,
/// up, through L2, down. Knows the wiring of the shape and the configurations, nothing of paths and wishes.
std::map<std::uint32_t, std::multiset<std::uint32_t>> arriving(const WaferRouting& routing,
                                                               const FredWaferRouter& router) {
  const FredWaferShape& shape = router.shape();
  using Values = std::multiset<std::uint32_t>;
  std::map<std::pair<std::string, std::uint32_t>, FredValues> of;  // by switch
  for (const RoutedSwitch& each : routing.switches)
    of.emplace(std::make_pair(each.flows.name, 0U),
               evaluate(router.network(each.flows.ports).netlist(), each.routing.configuration));
  const auto l1_name = [](std::uint32_t l1) { return fmt::format("L1[{}]", l1); };
  std::function<Values(const std::string&, bool, std::uint32_t, std::uint32_t)> out;
  // Value at an input port.
  const auto in = [&](bool top, std::uint32_t index, std::uint32_t port) -> Values {
    const std::uint32_t per = shape.uplinks_per_l2();
    if (top) return out(l1_name(port / per), false, port / per, shape.uplink_port(index * per + port % per));
    if (port < shape.npus_per_l1) return {index * shape.npus_per_l1 + port};
    const std::uint32_t uplink = port - shape.npus_per_l1, l2 = uplink / per;
    return out(fmt::format("L2[{}]", l2), true, l2, index * per + uplink % per);
  };
  out = [&](const std::string& name, bool top, std::uint32_t index, std::uint32_t port) -> Values {
    Values values;
    const auto found = of.find({name, 0U});
    if (found == of.end()) return values;
    for (const std::uint32_t input : test::inputs_of(found->second, port)) {
      const Values more = in(top, index, input);
      values.insert(more.begin(), more.end());
    }
    return values;
  };
  std::map<std::uint32_t, Values> all;
  for (std::uint32_t l1 = 0; l1 < shape.l1_switches; ++l1)
    for (std::uint32_t port = 0; port < shape.npus_per_l1; ++port) {
      const Values values = out(l1_name(l1), false, l1, port);
      if (!values.empty()) all[l1 * shape.npus_per_l1 + port] = values;
    }
  return all;
}

std::map<std::uint32_t, std::multiset<std::uint32_t>> wanted(const WaferStep& step) {
  std::map<std::uint32_t, std::multiset<std::uint32_t>> all;
  for (const WaferFlow& flow : step)
    for (const NpuId to : flow.to)
      for (const NpuId from : flow.from)
        all[static_cast<std::uint32_t>(to)].insert(static_cast<std::uint32_t>(from));
  return all;
}

TEST(FredWafer, PortsOfTheChips) {
  EXPECT_EQ(kPhysical.npus(), 20U);
  EXPECT_EQ(kPhysical.l1_ports(0), 12U);
  EXPECT_EQ(kPhysical.l1_ports(4), 11U);
  EXPECT_EQ(kPhysical.l2_ports(), 10U);
  EXPECT_EQ(kLogical.l2_ports(), 20U);
  // 35 chips: 15 FRED(12), 10 FRED(11), 10 FRED(10).
  EXPECT_EQ(kPhysical.planes * kPhysical.l1_switches, 15U + 10U);
  EXPECT_EQ(kPhysical.planes * kPhysical.l2_switches, 10U);
  EXPECT_EQ(kPhysical.l1_of(NpuId{7}), 1U);
  EXPECT_EQ(kPhysical.l1_port_of(NpuId{7}), 3U);
}

TEST(FredWafer, RefusesShapesThatDoNotFit) {
  const auto refusal = [](const std::function<void(FredWaferShape&)>& change) {
    FredWaferShape shape;
    change(shape);
    return test::refusal_of([&] { shape.check(); });
  };
  EXPECT_EQ(refusal([](auto& shape) { shape.l1_switches = 1; }),
            "FRED wafer: two L1 switches or more, not 1");
  EXPECT_EQ(refusal([](auto& shape) { shape.npus_per_l1 = 0; }),
            "FRED wafer: an L1 switch has an NPU or more");
  EXPECT_EQ(refusal([](auto& shape) { shape.npus_per_l1 = 13'108; }), "FRED wafer: at most 65536 NPUs");
  EXPECT_EQ(refusal([](auto& shape) { shape.npus_per_l1 = 13'107; }), "");
  EXPECT_EQ(refusal([](auto& shape) { shape.npus_per_l1 = 1; }), "");
  const std::string one = "FRED wafer: one uplink, L2 switch and plane or more";
  EXPECT_EQ(refusal([](auto& shape) { shape.l2_switches = 0; }), one);
  EXPECT_EQ(refusal([](auto& shape) { shape.uplinks = 0; }), one);
  EXPECT_EQ(refusal([](auto& shape) { shape.planes = 0; }), one);
  EXPECT_EQ(refusal([](auto& shape) { shape.planes = shape.uplinks = shape.l2_switches = 1; }), "");
  EXPECT_EQ(refusal([](auto& shape) { shape.uplinks = 5; }),
            "FRED wafer: 5 uplinks cannot be shared equally by 2 L2 switches");
  EXPECT_EQ(refusal([](auto& shape) { shape.uplinks = 4098; }), "FRED wafer: at most 4096 uplinks");
  EXPECT_EQ(refusal([](auto& shape) { shape.uplinks = 4096; }), "");
  EXPECT_EQ(
      refusal([](auto& shape) {
        shape.io_per_l1 = {4, 4};
      }),
      "FRED wafer: I/O controllers are given for 2 L1 switches and there are 5; list one number for each");
  EXPECT_EQ(refusal([](auto& shape) { shape.io_per_l1 = {}; }), "");
  FredWaferShape two;
  two.l1_switches = 2;
  two.io_per_l1 = {};
  EXPECT_EQ(test::refusal_of([&] { FredWaferRouter(two, 2); }), "");
  two.l1_switches = 1;
  EXPECT_EQ(test::refusal_of([&] { FredWaferRouter(two, 2); }), "FRED wafer: two L1 switches or more, not 1");
}

std::string listed(const std::vector<NpuId>& npus) {
  std::string text;
  for (const NpuId npu : npus) text += (text.empty() ? "" : ",") + std::to_string(index_of(npu));
  return text;
}

TEST(FredWafer, CollectivesAsSeriesOfFlows) {
  using Steps = std::vector<std::string>;
  const std::vector<Group> groups = {npus({0, 1, 2}), npus({5, 6})};
  const auto steps_of = [&](CollectiveType type) {
    Steps steps;
    for (const WaferStep& step : fred_steps(type, groups, 1)) {
      std::string text;
      for (const WaferFlow& flow : step)
        text += (text.empty() ? "" : "  ") + listed(flow.from) + "->" + listed(flow.to);
      steps.push_back(text);
    }
    return steps;
  };
  EXPECT_EQ(steps_of(CollectiveType::all_reduce), (Steps{"0,1,2->0,1,2  5,6->5,6"}));
  EXPECT_EQ(steps_of(CollectiveType::barrier), (Steps{"0,1,2->0,1,2  5,6->5,6"}));
  EXPECT_EQ(steps_of(CollectiveType::reduce), (Steps{"0,1,2->1  5,6->6"}));
  EXPECT_EQ(steps_of(CollectiveType::broadcast), (Steps{"1->0,2  6->5"}));
  EXPECT_EQ(steps_of(CollectiveType::reduce_scatter),
            (Steps{"0,1,2->0  5,6->5", "0,1,2->1  5,6->6", "0,1,2->2"}));
  EXPECT_EQ(steps_of(CollectiveType::all_gather), (Steps{"0->1,2  5->6", "1->0,2  6->5", "2->0,1"}));
  EXPECT_EQ(steps_of(CollectiveType::all_to_all),
            (Steps{"0->1  1->2  2->0  5->6  6->5", "0->2  1->0  2->1"}));
  EXPECT_EQ(steps_of(CollectiveType::gather), (Steps{"0->1  5->6", "2->1"}));
  EXPECT_EQ(steps_of(CollectiveType::scatter), (Steps{"1->0  6->5", "1->2"}));
  EXPECT_EQ(test::refusal_of([&] { fred_steps(CollectiveType::reduce, groups, 2); }),
            "root 2 of a group of 2");
  EXPECT_EQ(test::refusal_of([] { fred_steps(CollectiveType::all_reduce, {npus({3})}); }),
            "a group of 1 has nothing to communicate");
}

/// "L1[0] of 12: 0->5 #0, 5->0 #0" for each switch; # is the flow of the step.
std::vector<std::string> lines_of(const std::vector<SwitchFlows>& switches) {
  std::vector<std::string> lines;
  for (const SwitchFlows& each : switches) {
    std::string line = fmt::format("{} of {}:", each.name, each.ports);
    for (std::size_t i = 0; i < each.flows.size(); ++i)
      line += fmt::format("{} {} #{}", i == 0 ? "" : ",", to_string(each.flows[i]), each.wafer_flow[i]);
    lines.push_back(line);
    EXPECT_EQ(each.level, each.name[1] == '1' ? 1U : 2U);
  }
  return lines;
}

// Uplinks are the ports 4 to 7 of an L1 switch, the first two of them to L2[0], where L1[n] has 2 n and 2 n
// + 1. A flow takes what it wishes, or the next one to the same L2 switch.
TEST(FredWafer, FlowsTakeTheUplinksThatTheyWishOrTheNext) {
  using Lines = std::vector<std::string>;
  const auto flow = [](const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to) {
    return WaferFlow{npus(from), npus(to)};
  };
  EXPECT_EQ(
      lines_of(switch_flows(
          {flow({0, 4}, {0, 4}), flow({1}, {5}), flow({2, 6}, {2, 6}), flow({7}, {3, 7}), flow({8, 11}, {9})},
          {1, 0, 3, 3, 0}, kPhysical)),
      (Lines{"L1[0] of 12: 0->5 #0, 5->0 #0, 1->4 #1, 2->7 #2, 7->2 #2, 6->3 #3",
             "L1[1] of 12: 0->5 #0, 5->0 #0, 4->1 #1, 2->7 #2, 7->2 #2, 3->3,6 #3", "L1[2] of 12: 0,3->1 #4",
             "L2[0] of 10: 1,3->1,3 #0, 0->2 #1", "L2[1] of 10: 1,3->1,3 #2, 2->0 #3"}));
  // None is free in both directions for the third one.
  WaferStep crossed{flow({0}, {4}), flow({5}, {1}), flow({2, 6}, {2, 6})};
  EXPECT_EQ(lines_of(switch_flows(crossed, {0, 1, 0}, kPhysical)),
            (Lines{"L1[0] of 12: 0->4 #0, 5->1 #1, 2->5 #2, 4->2 #2",
                   "L1[1] of 12: 4->0 #0, 1->5 #1, 2->4 #2, 5->2 #2",
                   "L2[0] of 10: 0->2 #0, 3->1 #1, 1,2->0,3 #2"}));
  crossed.push_back(flow({3}, {7}));
  EXPECT_EQ(test::refusal_of([&] {
              switch_flows(crossed, {0, 1, 0, 1}, kPhysical);
            }),
            "the 2 uplinks from L1[0] to L2[0] do not suffice for the flows");
  EXPECT_EQ(test::refusal_of([&] { switch_flows(crossed, {0, 1, 0, 2}, kPhysical); }), "");
}

// With one middle switch the ports 0 and 1 of a switch cannot send at the same time.
TEST(FredWafer, AConflictIsNamedWithItsSwitchAndFlows) {
  const auto flow = [](std::uint32_t from, std::uint32_t to) { return WaferFlow{npus({from}), npus({to})}; };
  const FredWaferRouter router(kPhysical, 1);
  const WaferRouting inside = router.route({flow(0, 1), flow(4, 6), flow(5, 7)}, kAllChoices);
  EXPECT_EQ(inside.status, FredRouteStatus::impossible);
  EXPECT_EQ(inside.conflict, WaferRouting::Conflict::l1);
  EXPECT_EQ(
      inside.reason,
      "L1[1]: flows 1, 2 share µswitches and need more than 1 middle switches in the switch of 12 ports");
  EXPECT_EQ(inside.choices, 1U);
  EXPECT_EQ(inside.switches.size(), 2U);
  // Upwards the first flow has the first bundle, the other one either: two choices.
  const WaferStep up{flow(0, 4), flow(1, 6)};
  const std::string reason =
      "L1[0]: flows 0, 1 share µswitches and need more than 1 middle switches in the switch of 12 ports";
  for (const std::uint64_t most : {1U, 2U, 3U}) {
    const WaferRouting routing = router.route(up, {{}, most});
    EXPECT_EQ(routing.status, most > 2 ? FredRouteStatus::impossible : FredRouteStatus::not_found);
    EXPECT_EQ(routing.choices, std::min<std::uint64_t>(most, 2));
    EXPECT_EQ(routing.reason,
              reason + (most > 1 ? " (the first of 2 choices of uplinks, none of which routes)" : ""));
    EXPECT_EQ(routing.wish, (std::vector<std::uint32_t>{0, 0}));  // of the first
  }
  // Eight uplinks make two bundles for each L2 switch, and flows of a bundle are kept together: no proof.
  FredWaferShape wide = kPhysical;
  wide.uplinks = 8;
  EXPECT_EQ(FredWaferRouter(wide, 1).route(up, kAllChoices).status, FredRouteStatus::not_found);
}

// NPUs 0 to 3 hang on L1[0], 4 to 7 on L1[1], 8 on L1[2].
TEST(FredWafer, FlowsTurnAsLowAsTheyCan) {
  const auto path = [](const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to) {
    return path_of({npus(from), npus(to)}, kPhysical);
  };
  using L1 = std::vector<std::uint32_t>;
  EXPECT_TRUE(path({0, 1}, {0, 3}).stays());
  EXPECT_EQ(path({0, 4}, {0, 4}).up, (L1{0, 1}));  // an all-reduce sums above
  EXPECT_EQ(path({0, 4}, {0, 4}).down, (L1{0, 1}));
  EXPECT_EQ(path({0}, {1, 4, 8}).up, (L1{0}));  // L1[0] serves NPU 1 itself
  EXPECT_EQ(path({0}, {1, 4, 8}).down, (L1{1, 2}));
  EXPECT_EQ(path({0, 4, 5}, {5}).up, (L1{0}));  // L1[1] adds its own to what comes down
  EXPECT_EQ(path({0, 4, 5}, {5}).down, (L1{1}));
  EXPECT_EQ(test::refusal_of([&] { path({20}, {0}); }), "no NPU 20; the FRED wafer has 0 to 19");
  EXPECT_EQ(test::refusal_of([&] { path({}, {0}); }), "a flow has no source");
  EXPECT_EQ(test::refusal_of([&] { path({0}, {}); }), "a flow has no destination");
}

// The DP groups of MP(2)-DP(5)-PP(2): four all-reduces along the rows, one uplink each, two in each L2
// switch.
TEST(FredWafer, FourRowsShareTheUplinks) {
  const auto steps = fred_steps(
      CollectiveType::all_reduce,
      {npus({0, 4, 8, 12, 16}), npus({1, 5, 9, 13, 17}), npus({2, 6, 10, 14, 18}), npus({3, 7, 11, 15, 19})});
  const FredWaferRouter router(kPhysical, 2);
  const WaferRouting routing = router.route(steps[0]);
  ASSERT_TRUE(routing.routed()) << routing.reason;
  ASSERT_EQ(routing.switches.size(), 7U);
  EXPECT_EQ(routing.wish, (std::vector<std::uint32_t>{0, 0, 2, 2}));
  EXPECT_EQ(to_string(routing.switches[0].flows.flows[0]), "0->4");
  EXPECT_EQ(to_string(routing.switches[0].flows.flows[1]), "4->0");
  EXPECT_EQ(to_string(routing.switches[5].flows.flows[1]), "1,3,5,7,9->1,3,5,7,9");
  EXPECT_EQ(arriving(routing, router), wanted(steps[0]));
}

// Five groups of four, each missing another L1 switch: 20 uplinks in use, and 10 of each L2 switch cannot be
// made of fours.
TEST(FredWafer, SomeGroupsCannotBeSpreadOverTwoL2Chips) {
  const std::vector<Group> groups = {npus({0, 4, 8, 12}), npus({1, 5, 9, 16}), npus({2, 6, 13, 17}),
                                     npus({3, 10, 14, 18}), npus({7, 11, 15, 19})};
  const auto steps = fred_steps(CollectiveType::all_reduce, groups);
  const WaferRouting physical = FredWaferRouter(kPhysical, 3).route(steps[0], kAllChoices);
  EXPECT_EQ(physical.status, FredRouteStatus::impossible);
  EXPECT_EQ(physical.conflict, WaferRouting::Conflict::uplinks);
  EXPECT_EQ(physical.choices, 0U);
  EXPECT_EQ(physical.reason,
            "however the flows are spread over the L2 switches, the uplinks to one of them do not suffice");
  const FredWaferRouter router(kLogical, 3);
  const WaferRouting logical = router.route(steps[0]);
  ASSERT_TRUE(logical.routed()) << logical.reason;
  EXPECT_EQ(arriving(logical, router), wanted(steps[0]));
}

// Seven flows from one L1 switch with six uplinks, and before them ten that can go anywhere: more ways to try
// than are tried, and the answer is open.
TEST(FredWafer, GivesUpWhenThereAreTooManyWaysToSpread) {
  WaferStep step;
  for (std::uint32_t pair = 1; pair <= 10; ++pair) step.push_back({npus({14 * pair}), npus({14 * pair + 7})});
  for (std::uint32_t flow = 0; flow < 7; ++flow) step.push_back({npus({flow}), npus({7 + flow})});
  const FredWaferRouter router({22, 7, {}, 6, 6, 1}, 1);
  const WaferRouting open = router.route(step);
  EXPECT_EQ(open.status, FredRouteStatus::not_found);
  EXPECT_EQ(open.conflict, WaferRouting::Conflict::uplinks);
  EXPECT_EQ(open.reason, "no way was found to spread the flows over the L2 switches");
  EXPECT_EQ(open.choices, 0U);
  const WaferRouting proven = router.route({step.begin() + 7, step.end()});
  EXPECT_EQ(proven.status, FredRouteStatus::impossible);
  step.pop_back();
  EXPECT_NE(router.route(step).choices, 0U);
}

// Pairs around a ring of five L1 switches, two for each neighbour: an odd cycle in L2.
TEST(FredWafer, ARingOfPairsNeedsThreeMiddleSwitches) {
  std::vector<Group> pairs;
  for (std::uint32_t l1 = 0; l1 < 5; ++l1)
    for (std::uint32_t i = 0; i < 2; ++i) pairs.push_back(npus({4 * l1 + i, (l1 + 1) % 5 * 4 + i + 2}));
  const auto steps = fred_steps(CollectiveType::all_reduce, pairs);
  const WaferRouting two = FredWaferRouter(kPhysical, 2).route(steps[0], kAllChoices);
  EXPECT_EQ(two.status, FredRouteStatus::impossible);
  EXPECT_EQ(two.conflict, WaferRouting::Conflict::l2) << two.reason;
  const FredWaferRouter router(kPhysical, 3);
  const WaferRouting three = router.route(steps[0]);
  ASSERT_TRUE(three.routed()) << three.reason;
  EXPECT_EQ(arriving(three, router), wanted(steps[0]));
}

/// Groups of random sizes over shuffled NPUs; some NPUs stay without one.
std::vector<Group> random_groups(std::uint32_t count, std::mt19937_64& random) {
  std::vector<std::uint32_t> shuffled(count);
  for (std::uint32_t i = 0; i < count; ++i) shuffled[i] = i;
  for (std::size_t i = count; i > 1; --i) std::swap(shuffled[i - 1], shuffled[random() % i]);
  std::vector<Group> groups;
  const std::size_t most = 2 + random() % 9;
  for (std::size_t at = 0; at + 2 <= count;) {
    const std::size_t size = std::min<std::size_t>(2 + random() % most, count - at);
    groups.push_back(npus({shuffled.begin() + static_cast<std::ptrdiff_t>(at),
                           shuffled.begin() + static_cast<std::ptrdiff_t>(at + size)}));
    at += size;
  }
  return groups;
}

TEST(FredWafer, WhatRoutesArrivesInBothViewsForAllCollectives) {
  std::mt19937_64 random(17);
  const FredWaferShape shapes[] = {
      kPhysical, kLogical, {3, 3, {}, 3, 1, 1}, {6, 5, {}, 6, 3, 1}, {2, 1, {}, 2, 1, 1}};
  std::size_t routed = 0, all = 0, more = 0;
  for (const FredWaferShape& shape : shapes)
    for (const std::uint32_t m : {2U, 3U}) {
      const FredWaferRouter router(shape, m);
      for (const CollectiveType type :
           {CollectiveType::all_reduce, CollectiveType::reduce, CollectiveType::broadcast,
            CollectiveType::reduce_scatter, CollectiveType::all_gather, CollectiveType::all_to_all})
        for (int round = 0; round < 6; ++round)
          for (const WaferStep& step : fred_steps(type, random_groups(shape.npus(), random))) {
            const WaferRouting first = router.route(step);
            const WaferRouting best = router.route(step, {{FredRouteMode::backtracking}, 100});
            if (first.routed()) {
              ASSERT_EQ(arriving(first, router), wanted(step));
            }
            if (best.routed()) {
              ASSERT_EQ(arriving(best, router), wanted(step));
            }
            ASSERT_TRUE(best.routed() || !first.routed());
            ++all;
            routed += best.routed();
            more += best.routed() && !first.routed();
          }
    }
  fmt::print("{} of {} steps route, {} of them not at the first try\n", routed, all, more);
  EXPECT_GT(routed, all / 2);
  EXPECT_GT(more, 0U);
}

// Unicasts with an input and an output each: no level has a conflict, and uplinks can always be shared
// equally.
TEST(FredWafer, AllToAllAlwaysRoutes) {
  std::mt19937_64 random(2);
  const FredWaferRouter router(kPhysical, 2);
  for (int round = 0; round < 50; ++round)
    for (const WaferStep& step : fred_steps(CollectiveType::all_to_all, random_groups(20, random))) {
      const WaferRouting routing = router.route(step);
      ASSERT_TRUE(routing.routed()) << routing.reason;
    }
}

TEST(FredWafer, RefusesFlowsThatShareAnNpu) {
  const FredWaferRouter router(kPhysical, 2);
  EXPECT_THROW(router.route({{npus({0}), npus({4})}, {npus({0}), npus({8})}}), std::invalid_argument);
  EXPECT_THROW(router.route({{npus({0}), npus({1})}, {npus({2}), npus({1})}}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
