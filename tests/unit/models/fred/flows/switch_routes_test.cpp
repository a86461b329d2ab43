// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/switch_routes.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

FlowBranch branch(const std::vector<std::uint32_t>& inputs, const std::vector<std::uint32_t>& outputs) {
  FlowBranch made;
  for (const std::uint32_t port : inputs) made.inputs.push_back(static_cast<PortId>(port));
  for (const std::uint32_t port : outputs) made.outputs.push_back(static_cast<PortId>(port));
  return made;
}

FlowBranch pair(std::uint32_t a, std::uint32_t b) { return branch({a, b}, {a, b}); }

/// One switch of eight ports.
std::unique_ptr<SwitchRoutes> one_switch(std::uint32_t m) {
  auto routes = std::make_unique<SwitchRoutes>(
      m, FredRouteMode::first_colouring,
      [](std::size_t, PortId) -> std::optional<FlowTree::Attachment> { return {}; });
  std::vector<SwitchRoutes::Port> ports(8);
  for (std::uint32_t p = 0; p < 8; ++p) ports[p].first = p;
  routes->add_switch(8, ports);
  return routes;
}

// The odd cycle of the FRED paper's example, as all-reduces of pairs.
TEST(SwitchRoutes, NamesTheFlowsOfAConflictAndNoOthers) {
  const auto routes = one_switch(2);
  EXPECT_FALSE(routes->take({1, 0}, 0, {{0, pair(0, 2)}}));
  EXPECT_FALSE(routes->take({2, 0}, 0, {{0, pair(6, 7)}}));
  EXPECT_FALSE(routes->take({3, 0}, 0, {{0, pair(1, 4)}}));
  const auto conflict = routes->take({4, 0}, 0, {{0, pair(3, 5)}});
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->at, 0U);
  ASSERT_EQ(conflict->beside.size(), 2U);
  EXPECT_EQ(conflict->beside[0].operation, 1U);
  EXPECT_EQ(conflict->beside[1].operation, 3U);
  EXPECT_EQ(conflict->reason, "FRED_2(8), proven impossible");
  EXPECT_FALSE(routes->take({4, 0}, 1, {{0, pair(3, 5)}}));  // in another phase
  routes->release({4, 0});
  routes->release({1, 0});
  EXPECT_FALSE(routes->take({4, 0}, 0, {{0, pair(3, 5)}}));

  const auto more = one_switch(3);
  for (const auto& [a, b] : {std::pair(0U, 2U), {6U, 7U}, {1U, 4U}, {3U, 5U}})
    EXPECT_FALSE(more->take({a, b}, 0, {{0, pair(a, b)}}));
}

// With one middle switch at each level only flows that share no µswitch at any level fit together. 1 and 2
// have ports of all others, with whom they take turns.
TEST(SwitchRoutes, FlowsThatShareAPortTakeTurns) {
  const auto routes = one_switch(1);
  EXPECT_FALSE(routes->take({1, 0}, 0, {{0, branch({0, 1, 2, 3, 4, 5, 6, 7}, {0})}}));
  EXPECT_FALSE(routes->take({2, 0}, 0, {{0, branch({0, 1, 2, 3, 4, 5, 6, 7}, {1})}}));
  EXPECT_FALSE(routes->take({3, 0}, 0, {{0, pair(0, 1)}}));
  EXPECT_FALSE(routes->take({4, 0}, 0, {{0, pair(4, 5)}}));
  const auto conflict = routes->take({5, 0}, 0, {{0, branch({2}, {3})}});
  ASSERT_TRUE(conflict);
  ASSERT_EQ(conflict->beside.size(), 1U);
  EXPECT_EQ(conflict->beside[0].operation, 3U);
}

// Two flows from port 4 take turns, and count both: the third one shares a µswitch with the output of one of
// them.
TEST(SwitchRoutes, FlowsWithTheSameInputsAreSeveral) {
  for (const std::uint32_t last : {0U, 6U}) {
    const auto routes = one_switch(1);
    EXPECT_FALSE(routes->take({1, 0}, 0, {{0, branch({4}, {0})}}));
    EXPECT_FALSE(routes->take({2, 0}, 0, {{0, branch({4}, {6})}}));
    const auto conflict = routes->take({3, 0}, 0, {{0, branch({2}, {last + 1})}});
    ASSERT_TRUE(conflict);
    ASSERT_EQ(conflict->beside.size(), 1U);
    EXPECT_EQ(conflict->beside[0].operation, last == 0 ? 1U : 2U);
    EXPECT_FALSE(routes->take({4, 0}, 0, {{0, branch({4}, {0})}}));  // a second one of the same kind
  }
}

TEST(SwitchRoutes, ASetIsSearchedOnce) {
  const auto routes = one_switch(2);
  EXPECT_FALSE(routes->take({1, 0}, 0, {{0, pair(0, 2)}}));
  EXPECT_FALSE(routes->take({2, 0}, 0, {{0, pair(1, 4)}}));
  const std::uint64_t searches = routes->searches();
  for (std::uint64_t round = 0; round < 100; ++round) {
    EXPECT_TRUE(routes->take({3, round}, 0, {{0, pair(3, 5)}}));
    EXPECT_LE(routes->searches(), searches + 3);
  }
}

// Two switches of four endpoints, joined by a link of `lanes` ports (port 4 of each).
std::unique_ptr<SwitchRoutes> joined(std::uint32_t m, std::uint32_t lanes) {
  auto routes = std::make_unique<SwitchRoutes>(
      m, FredRouteMode::backtracking, [](std::size_t at, PortId port) -> std::optional<FlowTree::Attachment> {
        if (index_of(port) != 4) return {};
        return FlowTree::Attachment{1 - at, port};
      });
  for (int s = 0; s < 2; ++s) {
    std::vector<SwitchRoutes::Port> ports(5);
    for (std::uint32_t p = 0; p < 5; ++p) ports[p].first = p;
    ports[4].lanes = lanes;
    routes->add_switch(4 + lanes, ports);
  }
  return routes;
}

TEST(SwitchRoutes, AFastLinkHasALaneForEachOfSeveralFlows) {
  const auto over = [](std::uint32_t npu) {
    return std::vector<FlowTree::SwitchBranch>{{0, branch({npu}, {4})}, {1, branch({4}, {npu})}};
  };
  const auto wide = joined(2, 4);
  for (std::uint32_t npu = 0; npu < 4; ++npu) EXPECT_FALSE(wide->take({npu, 0}, 0, over(npu)));
  // More flows than lanes take turns.
  EXPECT_FALSE(wide->take({4, 0}, 0, over(0)));
  // On two lanes they are there at the same time, for which one middle switch is too few; on one lane they
  // take turns.
  for (const std::uint32_t lanes : {1U, 2U}) {
    const auto single = joined(1, lanes);
    EXPECT_FALSE(single->take({0, 0}, 0, over(0)));
    EXPECT_EQ(single->take({1, 0}, 0, over(1)).has_value(), lanes == 2);
  }
  const auto narrow = joined(2, 1);
  for (std::uint32_t npu = 0; npu < 4; ++npu) EXPECT_FALSE(narrow->take({npu, 0}, 0, over(npu)));
}

}  // namespace
}  // namespace wafertlm
