// SPDX-License-Identifier: Apache-2.0
// What the nodes of a rank are, and what they need as seen from there: kinds, groups by their role, lanes.
#include <gtest/gtest.h>

#include "tests/support/refusal.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/trace_model/families.h"
#include "workloads/trace_model/lanes.h"
#include "workloads/trace_model/sequences.h"

namespace wafertlm::trace_model {
namespace {

using NodeList = std::vector<chakra::Node>;
using Graphs = std::vector<statistics::TraceGraph>;

statistics::TraceGraph read_rank(NodeList nodes, const std::string& name = "rank") {
  chakra::VectorSource source(name, std::move(nodes));
  return statistics::read_graph(source);
}

chakra::Node in_group(std::uint64_t id, const char* group, const char* traffic = "") {
  chakra::Node node = test::all_reduce(id, 0);
  node.pg_name = group;
  node.comm_class = traffic;
  return node;
}

/// "kind: [after kind back]…" of each node, in order; "*" for all that are open.
std::string sequence_text(const Sequence& of) {
  std::string text;
  for (std::size_t at = 0; at < of.kinds.size(); ++at) {
    text += (text.empty() ? "" : ", ") + std::to_string(of.kinds[at]);
    for (const Reference& each : of.after[at])
      text += " <" + std::to_string(each.kind) + (each.back == Reference::kOpen ? "*" : "-") +
              (each.back == Reference::kOpen ? "" : std::to_string(each.back));
  }
  return text;
}

struct SequenceRow {
  const char* name;
  NodeList nodes;
  const char* text;
};

class TraceModelSequence : public testing::TestWithParam<SequenceRow> {};

TEST_P(TraceModelSequence, NamesParentsByTheirKind) {
  const Sequences found = sequences_of({read_rank(GetParam().nodes)}, chakra::CommGroups(1));
  EXPECT_EQ(sequence_text(found.ranks[0]), GetParam().text);
}

using test::all_reduce;
using test::compute;
using test::cpu;
using test::load;

INSTANTIATE_TEST_SUITE_P(
    Nodes, TraceModelSequence,
    testing::Values(
        SequenceRow{"AChain", {compute(1, 5), compute(2, 6, {1}), compute(3, 7, {2})}, "0, 0 <0-1, 0 <0-1"},
        SequenceRow{"FurtherBack", {compute(1, 5), compute(2, 6), compute(3, 7, {1})}, "0, 0, 0 <0-2"},
        SequenceRow{"Units",
                    {compute(1, 5), cpu(2, 6, {1}), compute(3, 7, {2}), cpu(4, 1, {1, 2})},
                    "0, 1 <0-1, 0 <1-1, 1 <0-2 <1-1"},
        SequenceRow{"AllThatAreOpen",
                    {all_reduce(1, 0), all_reduce(2, 0), compute(3, 7, {1, 2}), all_reduce(4, 0, {3}),
                     all_reduce(5, 0), compute(6, 7, {4, 5})},
                    "0, 0, 1 <0*, 0 <1-1, 0, 1 <0*"},
        SequenceRow{
            "OneOfTheOpenIsNotAll", {all_reduce(1, 0), all_reduce(2, 0), compute(3, 7, {2})}, "0, 0, 1 <0-1"},
        SequenceRow{"OneThatIsClosedIsNotOpen",
                    {all_reduce(1, 0), all_reduce(2, 0), compute(3, 7, {1, 2}), compute(4, 7, {1, 2})},
                    "0, 0, 1 <0-1 <0-2, 1 <0-1 <0-2"},
        SequenceRow{"Memory", {load(1, 0), compute(2, 7, {1}), load(3, 0, {2})}, "0, 1 <0-1, 0 <1-1"}),
    [](const auto& each) { return std::string(each.param.name); });

// Nothing waits for one of these alone: they may stand beside the steps.
TEST(TraceModelSequences, SideNodesAreCommunicationsThatNothingOrAnEndWaitsFor) {
  const auto sides = [](const NodeList& nodes) {
    return sequences_of({read_rank(nodes)}, chakra::CommGroups(1)).is_side;
  };
  EXPECT_EQ(sides({compute(1, 5), all_reduce(2, 0, {1})}), (std::vector<bool>{false, true}));
  EXPECT_EQ(sides({compute(1, 5), all_reduce(2, 0, {1}), compute(3, 5, {2})}),
            (std::vector<bool>{false, false}));
  EXPECT_EQ(sides({all_reduce(1, 0), all_reduce(2, 0), compute(3, 5, {1, 2})}),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(sides({load(1, 0), compute(2, 5)}), (std::vector<bool>{true, false}));
  EXPECT_EQ(sides({test::send(1, 0, 0, 0), test::receive(2, 0, 0)}), (std::vector<bool>{false, false}));
  chakra::Node of_pipeline = all_reduce(1, 0);
  of_pipeline.comm_class = "pp";
  EXPECT_EQ(sides({of_pipeline}), std::vector<bool>{false});
}

TEST(TraceModelSequences, KindsDifferInEachOfTheirFields) {
  NodeList nodes = {compute(0, 1)};
  const auto add = [&](const auto& change) {
    chakra::Node node = compute(nodes.size(), 1);
    change(node);
    nodes.push_back(node);
  };
  add([](chakra::Node& node) { node.unit = 1; });
  add([](chakra::Node& node) { node.is_cpu_op = true; });
  add([](chakra::Node& node) { node.name = "delay", node.is_cpu_op = true; });
  add([](chakra::Node& node) { node.type = chakra::NodeType::MemLoad; });
  add([](chakra::Node& node) { node.type = chakra::NodeType::MemStore; });
  for (const auto type : {chakra::CollectiveType::AllReduce, chakra::CollectiveType::AllGather})
    add([&](chakra::Node& node) { node.type = chakra::NodeType::CommColl, node.comm_type = type; });
  const auto add_sum = [&](const auto& change) {
    add([&](chakra::Node& node) {
      node.type = chakra::NodeType::CommColl;
      node.comm_type = chakra::CollectiveType::AllReduce;
      change(node);
    });
  };
  add_sum([](chakra::Node& node) { node.comm_class = "mp"; });
  add_sum([](chakra::Node& node) { node.comm_priority = 0; });
  add_sum([](chakra::Node& node) { node.comm_priority = 1; });
  add_sum([](chakra::Node& node) { node.involved_dim = {true, false}; });
  add_sum([](chakra::Node& node) { node.io_stream = true; });
  add([](chakra::Node& node) { node.duration_ps = 99, node.num_ops = 7, node.name = "other"; });  // as node 0
  const Sequences found = sequences_of({read_rank(nodes)}, chakra::CommGroups(1));
  std::vector<std::uint32_t> expected(nodes.size());
  for (std::uint32_t i = 0; i + 1 < nodes.size(); ++i) expected[i] = i;
  EXPECT_EQ(found.ranks[0].kinds, expected);
  EXPECT_EQ(found.kinds.size(), nodes.size() - 1);
}

TEST(TraceModelSequences, PeersAreAsFarAboveModuloAllRanks) {
  Graphs ranks;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    ranks.push_back(read_rank({test::send(1, (rank + 1) % 3, 5, 0), test::receive(2, (rank + 2) % 3, 5)}));
  const Sequences found = sequences_of(ranks, chakra::CommGroups(3));
  ASSERT_EQ(found.kinds.size(), 2U);  // all three do the same
  EXPECT_EQ(found.kinds[0].peer, 1U);
  EXPECT_EQ(found.kinds[1].peer, 2U);
}

struct FamilyRow {
  const char* name;
  std::vector<std::vector<const char*>> uses;  // groups of each rank's collectives
  std::vector<Family> families;
};

class TraceModelFamilies : public testing::TestWithParam<FamilyRow> {};

chakra::CommGroups pairs_of_four() {
  chakra::CommGroups groups(4);
  groups.add("low", {0, 1});
  groups.add("high", {2, 3});
  groups.add("even", {0, 2});
  groups.add("odd", {1, 3});
  return groups;
}

TEST_P(TraceModelFamilies, AreGroupsThatRanksUseAlike) {
  Graphs ranks;
  for (const auto& uses : GetParam().uses) {
    NodeList nodes;
    for (const char* group : uses) nodes.push_back(in_group(nodes.size(), group));
    ranks.push_back(read_rank(nodes));
  }
  EXPECT_EQ(families_of(ranks, pairs_of_four()).all, GetParam().families);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, TraceModelFamilies,
    testing::Values(
        FamilyRow{"None", {{}, {}, {}, {}}, {}},
        FamilyRow{"AllRanks", {{""}, {""}, {"0"}, {""}}, {{{0, 1, 2, 3}}}},
        FamilyRow{"OneRole", {{"low"}, {"low"}, {"high"}, {"high"}}, {{{0, 1}, {2, 3}}}},
        FamilyRow{"TwoRoles",
                  {{"low", "even"}, {"low", "odd"}, {"high", "even"}, {"high", "odd"}},
                  {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}}},
        // Rank 0 and 1 do one thing, 2 and 3 another one.
        FamilyRow{
            "OtherSequences", {{"low"}, {"low"}, {"high", "high"}, {"high", "high"}}, {{{0, 1}}, {{2, 3}}}},
        FamilyRow{"UsedAgainInAnotherOrder",
                  {{"low", "", "low"}, {"low", "", "low"}, {"high", "", "high"}, {"high", "", "high"}},
                  {{{0, 1, 2, 3}}, {{0, 1}, {2, 3}}}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TraceModelFamilies, PlaceCountsTheGroupsThatHoldTheRank) {
  chakra::CommGroups groups(3);
  groups.add("a", {0, 1});
  groups.add("b", {0, 2});
  groups.add("c", {1, 2});
  // Each rank uses its two groups in turn, so all three are of one family.
  const Families families = families_of(
      {read_rank({in_group(0, "a"), in_group(1, "b")}), read_rank({in_group(0, "c"), in_group(1, "a")}),
       read_rank({in_group(0, "b"), in_group(1, "c")})},
      groups);
  ASSERT_EQ(families.all.size(), 1U);
  const auto nth = [&](std::uint32_t rank, const char* group) {
    return families.place(rank, groups.number(group)).nth;
  };
  EXPECT_EQ(nth(0, "a"), 0U);
  EXPECT_EQ(nth(0, "b"), 1U);
  EXPECT_EQ(nth(1, "c"), 1U);
  EXPECT_EQ(nth(2, "b"), 0U);
  EXPECT_EQ(nth(2, "c"), 1U);
  EXPECT_EQ(families.place(0, groups.number("a")).family, 0);
  EXPECT_EQ(families.family_of[groups.number("")], -1);
}

TEST(TraceModelFamilies, GroupsThatDoNotHoldTheRankAreRefused) {
  const auto refusal = [](const char* group) {
    return test::refusal_of<chakra::TraceError>(
        [&] { families_of({read_rank({in_group(7, group)}, "job.0.et")}, pairs_of_four()); });
  };
  EXPECT_EQ(refusal("nobody"),
            "job.0.et: node 7 \"n7\" is in group \"nobody\", which is not known; see --comm-groups");
  EXPECT_EQ(refusal("high"),
            "job.0.et: node 7 \"n7\" is in group \"high\", which does not hold the rank; see --comm-groups");
  EXPECT_EQ(refusal("low"), "");
}

struct LaneMistake {
  const char* name;
  NodeList first, second;
  const char* message;
};

class TraceModelLaneMistake : public testing::TestWithParam<LaneMistake> {};

TEST_P(TraceModelLaneMistake, SaysWhoAndWhat) {
  EXPECT_EQ(test::refusal_of<chakra::TraceError>([] {
              lanes_of({read_rank(GetParam().first, "a"), read_rank(GetParam().second, "b")});
            }),
            GetParam().message);
}

using test::receive;
using test::send;

INSTANTIATE_TEST_SUITE_P(
    Messages, TraceModelLaneMistake,
    testing::Values(
        LaneMistake{"PeerBeyond",
                    {send(1, 2, 0, 0)},
                    {},
                    "a: node 1 \"n1\" has rank 2 for its peer, and there are 2 ranks"},
        LaneMistake{"NoReceive", {send(1, 1, 4, 0)}, {}, "a: 1 sends to rank 1 with tag 4, which receives 0"},
        LaneMistake{"OneMissing",
                    {send(1, 1, 4, 0), send(2, 1, 4, 0)},
                    {receive(1, 0, 4)},
                    "a: 2 sends to rank 1 with tag 4, which receives 1"},
        LaneMistake{"OneTooMany",
                    {send(1, 1, 4, 0)},
                    {receive(1, 0, 4), receive(2, 0, 4)},
                    "a: 1 sends to rank 1 with tag 4, which receives 2"},
        LaneMistake{"NoSend",
                    {},
                    {receive(1, 0, 4)},
                    "b: receives from rank 0 with tag 4 what that rank does not send"},
        LaneMistake{"OtherTag",
                    {send(1, 1, 3, 0)},
                    {receive(1, 0, 3), receive(2, 0, 4)},
                    "b: receives from rank 0 with tag 4 what that rank does not send"},
        LaneMistake{"None", {send(1, 1, 3, 0), send(2, 1, 3, 0)}, {receive(1, 0, 3), receive(2, 0, 3)}, ""}),
    [](const auto& each) { return std::string(each.param.name); });

// In a lane messages arrive in the order of sending, whatever their tags; no fewer lanes would do.
TEST(TraceModelLanes, KeepTheOrderOfRandomMessages) {
  std::uint64_t state = 17;
  const auto below = [&](std::uint64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % most;
  };
  for (int round = 0; round < 200; ++round) {
    const auto size = static_cast<std::uint32_t>(1 + below(9));
    std::vector<std::uint32_t> order(size);
    for (std::uint32_t i = 0; i < size; ++i) order[i] = i;
    for (std::uint32_t i = size; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    NodeList sends, receives;
    for (std::uint32_t i = 0; i < size; ++i) {
      sends.push_back(send(i, 1, i, 0));
      receives.push_back(receive(i, 0, order[i]));
    }
    const auto lanes = lanes_of({read_rank(sends), read_rank(receives)});
    std::uint32_t used = 0, longest = 0;
    std::vector<std::uint32_t> falling(size, 1);  // the longest run of messages that overtake each other
    for (std::uint32_t i = 0; i < size; ++i) {
      EXPECT_EQ(lanes[1][i], lanes[0][order[i]]);
      used = std::max(used, lanes[1][i] + 1);
      for (std::uint32_t k = 0; k < i; ++k) {
        if (order[k] > order[i]) falling[i] = std::max(falling[i], falling[k] + 1);
        if (lanes[1][k] == lanes[1][i]) {
          EXPECT_LT(order[k], order[i]) << round;
        }
      }
      longest = std::max(longest, falling[i]);
    }
    EXPECT_EQ(used, longest) << round;
  }
}

}  // namespace
}  // namespace wafertlm::trace_model
