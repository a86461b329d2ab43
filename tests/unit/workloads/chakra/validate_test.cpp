// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <algorithm>
#include <random>

#include "tests/unit/workloads/chakra/trace_files.h"

namespace wafertlm::chakra::test {
namespace {

TraceSummary check(std::vector<Node> nodes, const ValidateOptions& options = {},
                   const CommGroups& groups = CommGroups(4), std::uint32_t rank = 0) {
  VectorSource source("the trace", std::move(nodes));
  return validate(source, rank, groups, options);
}

void expect_invalid(const std::vector<Node>& nodes, std::initializer_list<std::string> parts,
                    const CommGroups& groups = CommGroups(4)) {
  expect_error([&] { check(nodes, {}, groups); }, parts);
  expect_error([&] { check(nodes, {}, groups); }, {"the trace"});
}

TEST(Validate, CountsWhatIsThere) {
  std::vector<Node> nodes{comp(3, {1}), comp(1),
                          collective(2, CollectiveType::Barrier, 0)};  // parent after child
  Node launch;
  launch.id = 9;
  launch.type = NodeType::CommColl;
  launch.is_cpu_op = true;
  nodes.push_back(launch);
  const TraceSummary summary = check(nodes);
  EXPECT_EQ(summary.nodes, 4U);
  EXPECT_EQ(summary.by_type[4], 2U);
  EXPECT_EQ(summary.by_type[7], 2U);
  EXPECT_EQ(summary.collectives, 1U);
  EXPECT_EQ(summary.launches, 1U);
  EXPECT_EQ(summary.cpu_ops, 1U);
  EXPECT_EQ(summary.comp_duration_ps, 2000U);
}

TEST(Validate, LeavesTheSourceAtItsStart) {
  VectorSource source("s", {comp(1), comp(2)});
  Node node;
  source.next(node);
  validate(source, 0, CommGroups(1));
  EXPECT_EQ(read_all(source).size(), 2U);
}

TEST(Validate, DuplicateIdsNameBothNodes) {
  auto twin = comp(5);
  twin.name = "the twin";
  expect_invalid({comp(5), comp(6), twin}, {"the id 5", "\"compute 5\"", "\"the twin\""});
}

TEST(Validate, MissingDependenciesAreCountedNamedAndAcceptedOnRequest) {
  std::vector<Node> nodes{comp(1)};
  for (std::uint64_t id = 2; id < 9; ++id) nodes.push_back(comp(id, {id + 100}));
  nodes[3].ctrl_deps = {200};
  expect_invalid(nodes, {"8 dependencies", "node 2 \"compute 2\" needs 102", "needs 200", "…"});
  ValidateOptions accept;
  accept.dependencies = Dependencies::existing;
  const TraceSummary summary = check(nodes, accept);
  EXPECT_EQ(summary.missing_ctrl_deps, 1U);
  EXPECT_EQ(summary.missing_data_deps, 7U);
  EXPECT_EQ(std::set<std::uint64_t>(summary.missing.begin(), summary.missing.end()),
            (std::set<std::uint64_t>{102, 103, 104, 105, 106, 107, 108, 200}));
}

TEST(Validate, CyclesAreNamedInOrder) {
  auto a = comp(1, {3});
  auto b = comp(2, {1});
  auto c = comp(3);
  c.ctrl_deps = {2};
  expect_invalid({comp(0), a, b, c, comp(4, {3})},
                 {"cycle of 3 nodes",
                  "node 1 \"compute 1\" needs node 3 \"compute 3\" needs node 2 \"compute 2\" needs node 1"});
  expect_invalid({comp(0), comp(7, {0, 7})}, {"needs itself: node 7 \"compute 7\" needs node 7"});
}

// Random graphs against Warshall's closure: there is a cycle exactly if a node reaches itself.
TEST(Validate, CyclesOfRandomGraphs) {
  constexpr std::size_t kNodes = 12;
  std::mt19937 random(7);
  int cyclic = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Node> nodes;
    std::vector<std::vector<bool>> reach(kNodes, std::vector<bool>(kNodes, false));
    for (std::size_t id = 0; id < kNodes; ++id) {
      nodes.push_back(comp(id));
      for (std::size_t edge = 0; edge < random() % 3; ++edge) {
        const std::size_t parent = random() % kNodes;
        (edge == 0 ? nodes.back().data_deps : nodes.back().ctrl_deps).push_back(parent);
        reach[id][parent] = true;
      }
    }
    for (std::size_t k = 0; k < kNodes; ++k)
      for (std::size_t i = 0; i < kNodes; ++i)
        for (std::size_t j = 0; j < kNodes; ++j)
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
    bool expected = false;
    for (std::size_t id = 0; id < kNodes; ++id) expected = expected || reach[id][id];
    std::shuffle(nodes.begin(), nodes.end(), random);
    bool found = false;
    try {
      check(nodes);
    } catch (const TraceError&) {
      found = true;
    }
    EXPECT_EQ(found, expected) << "round " << round;
    cyclic += expected ? 1 : 0;
  }
  EXPECT_GT(cyclic, 50);
  EXPECT_LT(cyclic, 450);
}

TEST(Validate, ATraceInWhichNothingRunsIsRefused) {
  Node metadata;
  metadata.type = NodeType::Metadata;
  auto idle = comp(1);
  idle.duration_ps = 0;
  expect_invalid({}, {"nothing runs", "no nodes"});
  expect_invalid({metadata, idle}, {"nothing runs: none of 2 nodes", "node 0", "METADATA"});
  expect_invalid({idle, metadata}, {"node 1 \"compute 1\"", "COMP without duration, operations or bytes"});
  auto roofline = idle;
  roofline.num_ops = 1;
  EXPECT_EQ(check({roofline}).nodes, 1U);
}

TEST(Validate, WhatTakesNoTimeByItselfIsNoWork) {
  auto on_cpu = comp(1);
  on_cpu.duration_ps = 0;
  on_cpu.is_cpu_op = true;
  on_cpu.num_ops = 1000;
  expect_invalid({on_cpu}, {"node 1", "a CPU operation without a duration"});
  auto launch = collective(2, CollectiveType::AllReduce, 8);
  launch.comm_type.reset();
  launch.is_cpu_op = true;
  expect_invalid({launch}, {"node 2", "the CPU side of a collective"});
  Node load;
  load.id = 3;
  load.type = NodeType::MemLoad;
  load.tensor_size = 0;
  expect_invalid({load}, {"node 3", "MEM_LOAD of 0 B"});
  expect_invalid({collective(4, CollectiveType::AllReduce, 0)}, {"node 4", "ALL_REDUCE of 0 B", "4 ranks"});
  const CommGroups alone(1);
  expect_invalid({collective(5, CollectiveType::AllReduce, 64)}, {"node 5", "64 B in a group of 1 rank"},
                 alone);
  expect_invalid({collective(6, CollectiveType::Barrier, 0)}, {"node 6", "BARRIER"}, alone);
  // Beside other work all of them may stand, and a barrier or an empty message takes time.
  EXPECT_EQ(check({on_cpu, launch, load, collective(4, CollectiveType::AllReduce, 0), comp(9)}).nodes, 5U);
  EXPECT_EQ(check({collective(6, CollectiveType::Barrier, 0)}).nodes, 1U);
  EXPECT_EQ(check({send(7, 1, 0, 0)}).nodes, 1U);
}

TEST(Validate, CountsTheBytesOfMessages) {
  EXPECT_EQ(check({send(1, 1, 0, 1000), send(2, 2, 0, 24), comp(3)}).message_bytes, 1024U);
}

TEST(Validate, SizesAndTimesBeyondAllMeasureNameTheNode) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  expect_invalid({collective(1, CollectiveType::AllReduce, kHuge)}, {"node 1", "4611686018427387904 B"});
  expect_invalid({send(2, 1, 0, kHuge)}, {"node 2", "more than any machine holds"});
  Node load;
  load.id = 3;
  load.type = NodeType::MemLoad;
  load.tensor_size = kHuge;
  expect_invalid({load}, {"node 3", "4611686018427387904 B"});
  auto day = comp(4);
  day.duration_ps = std::uint64_t{1} << 62;
  auto other = day;
  other.id = 5;
  EXPECT_EQ(check({day}).nodes, 1U);
  expect_invalid({day, other}, {"node 5", "106 days"});
  day.is_cpu_op = true;
  EXPECT_EQ(check({day, other}).nodes, 2U) << "they overlap";

  ValidateOptions platform;
  platform.max_bytes = 1000;
  platform.max_bytes_of = "the memory";
  const auto gather = collective(1, CollectiveType::AllGather, 251);
  expect_error([&] { check({gather}, platform); },
               {"node 1", "251 B from each of 4", "does not fit the memory"});
  EXPECT_EQ(check({collective(1, CollectiveType::AllGather, 250)}, platform).nodes, 1U);
  load.tensor_size = 1000;
  const Node others[] = {collective(1, CollectiveType::AllReduce, 1000), send(2, 1, 0, 1000), load};
  for (Node other_kind : others) {
    EXPECT_EQ(check({other_kind}, platform).nodes, 1U);
    (other_kind.tensor_size ? other_kind.tensor_size : other_kind.comm_size) = 1001;
    expect_error([&] { check({other_kind}, platform); }, {"1001 B does not fit the memory (1000 B)"});
  }
  platform.longest_ps = [](const Node&) { return 0x1p62; };
  expect_error([&] { check({comp(1), comp(2), comp(3)}, platform); }, {"node 2", "106 days"});
}

TEST(Validate, AClassThatThePlatformDoesNotHaveNamesTheNode) {
  ValidateOptions options;
  options.classes = {"mp", "ep"};
  auto node = collective(7, CollectiveType::AllReduce, 8);
  node.comm_class = "ep";
  EXPECT_EQ(check({node}, options).nodes, 1U);
  node.comm_class = "best";
  expect_error([&] { check({node}, options); },
               {"the trace: node 7 \"collective 7\"", "no traffic class \"best\"", "mp, ep"});
  node.comm_class.clear();
  expect_error([&] { check({node}, options); }, {"node 7", "\"dp\", as which a node counts that names none"});
}

TEST(Validate, ControlCharactersOfANameAreEscaped) {
  auto node = comp(1, {1});
  node.name = "a\n\x1b[31m\tb\x7f";
  expect_invalid({node}, {R"(node 1 "a\n\x1b[31m\tb\x7f")"});
}

TEST(Validate, OnlyWhatWouldHelpIsRecommended) {
  auto missing = comp(1, {9});
  expect_invalid({missing}, {"`dependencies: existing` counts them"});
  // With the missing one satisfied a cycle of control dependencies remains.
  missing = comp(1);
  missing.ctrl_deps = {9, 1};
  try {
    check({missing});
    FAIL();
  } catch (const TraceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("`dependencies: data`"), std::string::npos) << text;
    EXPECT_EQ(text.find("existing"), std::string::npos) << text;
  }
  missing.ctrl_deps = {1};
  expect_invalid({missing}, {"needs itself", "`dependencies: data` leaves them out"});
}

TEST(Validate, ExceptionsAreWhereTheFilesOrderIsNotThatOfTheDependencies) {
  const auto after = [](Node node, std::uint64_t parent) {
    node.data_deps = {parent};
    return node;
  };
  const auto reduce = [](std::uint64_t id) { return collective(id, CollectiveType::AllReduce, 8); };
  EXPECT_TRUE(check({reduce(1), comp(2), after(reduce(3), 2), reduce(4)}).numbers.empty());
  EXPECT_EQ(check({after(reduce(1), 4), reduce(2), reduce(3), comp(4)}).numbers,
            (NumberExceptions{{1, 2}, {2, 0}, {3, 1}}));
  // Numbers go on in the next iteration.
  CommunicationNumbers numbers({{1, 2}, {2, 0}, {3, 1}});
  const CommunicationChannel channel;
  for (const std::uint64_t before : {0U, 3U}) {
    EXPECT_EQ(numbers.next(channel, 1), before + 2);
    EXPECT_EQ(numbers.next(channel, 2), before + 0);
    EXPECT_EQ(numbers.next(channel, 3), before + 1);
    numbers.next_iteration();
  }
}

TEST(Validate, InvalidTypeIsRefused) {
  auto invalid = comp(1);
  invalid.type = NodeType::Invalid;
  expect_invalid({invalid}, {"node 1", "INVALID"});
}

TEST(Validate, GroupsMustExistAndHoldTheRank) {
  const auto groups = CommGroups::from_text(R"({"5": [1, 2]})", 4, "groups.json");
  expect_invalid({collective(8, CollectiveType::AllReduce, 1, "5")},
                 {"node 8", "group \"5\" does not hold rank 0"}, groups);
  expect_invalid({collective(8, CollectiveType::AllReduce, 1, "6")},
                 {"node 8", "\"6\" is not defined", "\"5\""}, groups);
  EXPECT_EQ(check({collective(8, CollectiveType::AllReduce, 1, "5")}, {}, groups, 2).collectives, 1U);
}

TEST(Validate, PeersMustBeInTheJob) {
  expect_invalid({send(1, 4, 0, 8)}, {"node 1", "rank 4 is not in this job of 4 ranks"});
  auto foreign = receive(2, 1, 0, 8);
  foreign.comm_dst = 3;
  expect_invalid({foreign}, {"node 2", "receives at rank 3", "trace of rank 0"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
