// SPDX-License-Identifier: Apache-2.0
// Edits of a rank's trace: what becomes of each node, what stays in sum and in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"
#include "tests/support/same_node.h"
#include "tests/support/trace_nodes.h"
#include "workloads/edit/edit.h"
#include "workloads/edit/obfuscate.h"
#include "workloads/statistics/trace_graph.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm::edit {
namespace {

using test::all_reduce;
using test::compute;
using test::cpu;
using test::load;

/// "id[B bytes][ps duration] <parents", one after the other.
std::string edited_text(const Nodes& nodes) {
  std::string text;
  for (const chakra::Node& node : nodes) {
    text += (text.empty() ? "" : ", ") + std::to_string(node.id);
    if (node.comm_size) text += " " + std::to_string(*node.comm_size) + "B";
    if (node.duration_ps != 0) text += " " + std::to_string(node.duration_ps) + "ps";
    for (const auto* parents : {&node.ctrl_deps, &node.data_deps})
      for (const std::uint64_t id : *parents) text += " <" + std::to_string(id);
  }
  return text;
}

struct DurationRow {
  const char* of_class;
  double factor;
  std::uint64_t changed;
  std::vector<std::uint64_t> durations;
};

class EditDurations : public testing::TestWithParam<DurationRow> {};

TEST_P(EditDurations, AreScaledOfOneClass) {
  Nodes nodes = {compute(1, 10), cpu(2, 15), all_reduce(3, 7), compute(4, 0), load(5, 9)};
  EXPECT_EQ(scale_durations(nodes, GetParam().of_class, GetParam().factor), GetParam().changed);
  std::vector<std::uint64_t> durations;
  for (const chakra::Node& node : nodes) durations.push_back(node.duration_ps);
  EXPECT_EQ(durations, GetParam().durations);
}

INSTANTIATE_TEST_SUITE_P(Classes, EditDurations,
                         testing::Values(DurationRow{"kernel", 0.5, 2, {5, 15, 7, 0, 9}},
                                         DurationRow{"cpu", 0.5, 1, {10, 8, 7, 0, 9}},  // rounded
                                         DurationRow{"ALL_REDUCE", 0, 1, {10, 15, 0, 0, 9}},
                                         DurationRow{"memory", 1.1, 1, {10, 15, 7, 0, 10}},
                                         DurationRow{"REDUCE", 2, 0, {10, 15, 7, 0, 9}}));

TEST(EditDurationLimits, AreThoseOfSimulatedTime) {
  Nodes nodes = {compute(1, std::uint64_t{1} << 62)};
  EXPECT_EQ(test::refusal_of([&] { scale_durations(nodes, "kernel", 2); }),
            "node 1 \"n1\" takes longer than 106 days then");
  EXPECT_EQ(test::refusal_of([&] { scale_durations(nodes, "kernel", -1); }),
            "node 1 \"n1\" takes longer than 106 days then");
  EXPECT_EQ(scale_durations(nodes, "kernel", 1.5), 1U);
}

struct PrecisionRow {
  std::uint32_t from, to;
  std::uint64_t bytes, changed;
};

class EditPrecision : public testing::TestWithParam<PrecisionRow> {};

TEST_P(EditPrecision, ChangesBytesRoundedUp) {
  chakra::Node work = compute(2, 5);
  work.tensor_size = GetParam().bytes;
  work.num_ops = 600;
  Nodes nodes = {all_reduce(1, 7, {}, GetParam().bytes), work, compute(3, 5)};
  EXPECT_EQ(change_precision(nodes, GetParam().from, GetParam().to), 2U);
  EXPECT_EQ(nodes[0].comm_size, GetParam().changed);
  EXPECT_EQ(nodes[1].tensor_size, GetParam().changed);
  EXPECT_EQ(nodes[1].num_ops, 600U);
  EXPECT_EQ(nodes[0].duration_ps, 7U);
  EXPECT_FALSE(nodes[2].comm_size || nodes[2].tensor_size);
}

INSTANTIATE_TEST_SUITE_P(Bits, EditPrecision,
                         testing::Values(PrecisionRow{16, 8, 1000, 500}, PrecisionRow{16, 8, 1001, 501},
                                         PrecisionRow{8, 16, 1001, 2002}, PrecisionRow{32, 19, 100, 60},
                                         PrecisionRow{16, 16, 7, 7}, PrecisionRow{16, 8, 0, 0},
                                         PrecisionRow{16, 1, 1, 1},
                                         PrecisionRow{2, 1, ~std::uint64_t{0} - 1, ~std::uint64_t{0} / 2}));

TEST(EditPrecisionLimits, AreWholeNumbersWithASign) {
  Nodes nodes = {all_reduce(4, 0, {}, std::uint64_t{1} << 62)};
  EXPECT_EQ(test::refusal_of([&] { change_precision(nodes, 8, 16); }),
            "node 4 \"n4\" has too many bytes then");
}

struct SplitRow {
  const char* name;
  std::uint64_t most, split;
  const char* text;
};

class EditSplit : public testing::TestWithParam<SplitRow> {};

// A sum of 10 bytes and 7 ps between two computations, and one of 4 bytes beside it.
TEST_P(EditSplit, MakesPartsThatAllWaitAndAreWaitedFor) {
  chakra::Node last = compute(9, 1, {5, 7});
  last.ctrl_deps = {5};
  Nodes nodes = {compute(3, 2), all_reduce(5, 7, {3}, 10), all_reduce(7, 1, {}, 4), last};
  EXPECT_EQ(split_collectives(nodes, GetParam().most), GetParam().split);
  EXPECT_EQ(edited_text(nodes), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, EditSplit,
    testing::Values(
        SplitRow{"None", 10, 0, "3 2ps, 5 10B 7ps <3, 7 4B 1ps, 9 1ps <5 <5 <7"},
        SplitRow{"Two", 9, 1, "3 2ps, 5 5B 4ps <3, 10 5B 3ps <3, 7 4B 1ps, 9 1ps <5 <10 <5 <7 <10"},
        SplitRow{"Three", 4, 1,
                 "3 2ps, 5 4B 3ps <3, 10 3B 2ps <3, 11 3B 2ps <3, 7 4B 1ps, 9 1ps <5 <10 <11 <5 <7 <10 "
                 "<11"},
        SplitRow{"Both", 3, 2,
                 "3 2ps, 5 3B 2ps <3, 10 3B 2ps <3, 11 2B 2ps <3, 12 2B 1ps <3, 7 2B 1ps, 13 2B, 9 1ps "
                 "<5 <10 <11 <12 <5 <7 <10 <11 <12 <13"}),
    [](const auto& each) { return std::string(each.param.name); });

struct FuseRow {
  const char* name;
  Nodes nodes;
  std::uint64_t most, fused;
  const char* text;
};

class EditFuse : public testing::TestWithParam<FuseRow> {};

TEST_P(EditFuse, MakesOneOfThoseThatFollowEachOther) {
  Nodes nodes = GetParam().nodes;
  EXPECT_EQ(fuse_collectives(nodes, GetParam().most), GetParam().fused);
  EXPECT_EQ(edited_text(nodes), GetParam().text);
}

chakra::Node sum_in(std::uint64_t id, const char* group, const char* traffic = "") {
  chakra::Node node = all_reduce(id, 1, {}, 10);
  node.pg_name = group;
  node.comm_class = traffic;
  return node;
}
chakra::Node streamed(std::uint64_t id) {
  chakra::Node node = all_reduce(id, 1, {}, 10);
  node.io_stream = true;
  return node;
}
chakra::Node gathered(std::uint64_t id, test::Parents parents) {
  chakra::Node node = all_reduce(id, 1, std::move(parents), 10);
  node.comm_type = chakra::CollectiveType::AllGather;
  return node;
}

INSTANTIATE_TEST_SUITE_P(
    Traces, EditFuse,
    testing::Values(
        FuseRow{"Two",
                {compute(1, 5), all_reduce(2, 3, {1}, 10), all_reduce(3, 4, {}, 20), compute(4, 1, {2})},
                30,
                1,
                "1 5ps, 3 30B 7ps <1, 4 1ps <3"},
        FuseRow{
            "TooLarge", {all_reduce(2, 3, {}, 10), all_reduce(3, 4, {}, 20)}, 29, 0, "2 10B 3ps, 3 20B 4ps"},
        FuseRow{"AsManyAsFit",
                {all_reduce(1, 1, {}, 10), all_reduce(2, 1, {}, 10), all_reduce(3, 1, {}, 10)},
                20,
                1,
                "2 20B 2ps, 3 10B 1ps"},
        FuseRow{"Directly", {all_reduce(1, 1, {}, 10), all_reduce(2, 1, {1}, 10)}, 20, 1, "2 20B 2ps"},
        FuseRow{"ByWayOfAnother",
                {all_reduce(1, 1, {}, 10), compute(2, 5, {1}), all_reduce(3, 1, {2}, 10)},
                20,
                0,
                "1 10B 1ps, 2 5ps <1, 3 10B 1ps <2"},
        FuseRow{
            "OtherGroups", {sum_in(1, "a"), sum_in(2, "b"), sum_in(3, "a")}, 20, 1, "2 10B 1ps, 3 20B 2ps"},
        FuseRow{"OtherClasses", {sum_in(1, "", "mp"), sum_in(2, "", "dp")}, 20, 0, "1 10B 1ps, 2 10B 1ps"},
        FuseRow{"OtherTypes", {gathered(1, {}), all_reduce(2, 1, {}, 10)}, 20, 0, "1 10B 1ps, 2 10B 1ps"},
        FuseRow{"Streams", {streamed(1), streamed(2)}, 20, 0, "1 10B 1ps, 2 10B 1ps"},
        FuseRow{
            "NothingToSum", {all_reduce(1, 1, {}, 0), all_reduce(2, 1, {}, 0)}, 20, 0, "1 0B 1ps, 2 0B 1ps"},
        // Each pair alone may be one, both not: the sums would need the gathers and these the sums.
        FuseRow{"TwoPairsAcross",
                {all_reduce(1, 1, {}, 10), gathered(2, {}), all_reduce(3, 1, {2}, 10), gathered(4, {1})},
                20,
                1,
                "2 10B 1ps, 3 20B 2ps <2, 4 10B 1ps <3"}),
    [](const auto& each) { return std::string(each.param.name); });

/// For each node of computation: the computations that must be done before it, with those in between left
/// out.
std::map<std::uint64_t, std::set<std::uint64_t>> computations_before(const Nodes& nodes) {
  chakra::VectorSource source("edited", nodes);
  const statistics::TraceGraph graph = statistics::read_graph(source);
  std::vector<std::set<std::uint64_t>> before(nodes.size());
  std::map<std::uint64_t, std::set<std::uint64_t>> found;
  for (const std::uint32_t at : graph.order) {
    for (const auto& [child, parent] : graph.edges) {
      if (child != at) continue;
      before[at].insert(before[parent].begin(), before[parent].end());
      if (nodes[parent].type == chakra::NodeType::Comp) before[at].insert(nodes[parent].id);
    }
    if (nodes[at].type == chakra::NodeType::Comp) found[nodes[at].id] = before[at];
  }
  return found;
}

std::uint64_t bytes_in(const Nodes& nodes) {
  return std::accumulate(
      nodes.begin(), nodes.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& node) { return sum + node.comm_size.value_or(0); });
}

Nodes random_trace(std::mt19937& random) {
  Nodes nodes;
  const std::uint64_t count = 4 + random() % 20;
  for (std::uint64_t id = 1; id <= count; ++id) {
    std::set<std::uint64_t> parents;
    for (int k = 0; id > 1 && k < static_cast<int>(random() % 3); ++k)
      parents.insert(1 + random() % (id - 1));
    test::Parents list(parents.begin(), parents.end());
    if (random() % 3 == 0)
      nodes.push_back(compute(id, 1 + random() % 9, list));
    else if (random() % 2 == 0)
      nodes.push_back(gathered(id, list));
    else
      nodes.push_back(all_reduce(id, 1, list, 1 + random() % 30));
  }
  return nodes;
}

// What is fused can be run, moves as many bytes, and computations still wait for all that they waited for.
TEST(EditFuseRandom, KeepsBytesAndOrder) {
  std::mt19937 random(77);
  std::uint64_t fused = 0;
  for (int round = 0; round < test::random_cases(400, 40); ++round) {
    const Nodes before = random_trace(random);
    Nodes after = before;
    const std::uint64_t most = 10 + random() % 60;
    const std::uint64_t count = fuse_collectives(after, most);
    fused += count;
    ASSERT_EQ(after.size() + count, before.size()) << round;
    EXPECT_EQ(bytes_in(after), bytes_in(before)) << round;
    const auto earlier = computations_before(before),
               later = computations_before(after);  // throws at a circle
    for (const auto& [id, parents] : earlier)
      EXPECT_TRUE(std::includes(later.at(id).begin(), later.at(id).end(), parents.begin(), parents.end()))
          << round;
  }
  EXPECT_GT(fused, 100U);
}

TEST(EditSplitRandom, KeepsBytesDurationsAndOrder) {
  std::mt19937 random(78);
  for (int round = 0; round < test::random_cases(200, 20); ++round) {
    const Nodes before = random_trace(random);
    Nodes after = before;
    const std::uint64_t most = 1 + random() % 12;
    split_collectives(after, most);
    EXPECT_EQ(bytes_in(after), bytes_in(before)) << round;
    std::uint64_t duration_before = 0, duration_after = 0;
    for (const chakra::Node& node : before) duration_before += node.duration_ps;
    for (const chakra::Node& node : after) {
      duration_after += node.duration_ps;
      if (node.is_collective()) {
        EXPECT_LE(*node.comm_size, most);
      }
    }
    EXPECT_EQ(duration_after, duration_before) << round;
    EXPECT_EQ(computations_before(after), computations_before(before)) << round;
  }
}

// A slice keeps what its nodes wait for, whatever was in between.
TEST(EditSliceRandom, KeepsTheOrderOfWhatIsLeft) {
  std::mt19937 random(79);
  for (int round = 0; round < test::random_cases(200, 20); ++round) {
    const Nodes before = random_trace(random);
    const std::uint64_t from = random() % before.size(), to = from + 1 + random() % (before.size() - from);
    Nodes after = before;
    slice(after, from, to);
    ASSERT_EQ(after.size(), to - from);
    const auto all = computations_before(before), left = computations_before(after);
    for (const auto& [id, parents] : left) {
      std::set<std::uint64_t> expected;
      for (const std::uint64_t each : all.at(id))
        if (each > from && each <= to) expected.insert(each);  // ids are places, from 1
      EXPECT_EQ(parents, expected) << round;
    }
  }
}

TEST(EditSlice, ReplacesParentsThatAreLeftOut) {
  chakra::Node last = compute(40, 1, {30});
  last.ctrl_deps = {10};
  Nodes nodes = {compute(10, 1), compute(20, 1, {10}), compute(30, 1, {20}), last};
  Nodes sliced = nodes;
  slice(sliced, 0, 9);
  EXPECT_EQ(edited_text(sliced), "10 1ps, 20 1ps <10, 30 1ps <20, 40 1ps <10 <30");
  sliced = nodes;
  slice(sliced, 1, 3);
  EXPECT_EQ(edited_text(sliced), "20 1ps, 30 1ps <20");
  EXPECT_EQ(test::refusal_of([&] { slice(nodes, 4, 9); }), "no node is left of 4");
  EXPECT_EQ(test::refusal_of([&] { slice(nodes, 2, 2); }), "no node is left of 4");
}

TEST(EditRepeat, PutsCopiesBehindEachOther) {
  Nodes nodes = {compute(1, 5), compute(2, 6, {1}), all_reduce(3, 7, {1}, 8)};
  nodes[1].ctrl_deps = {1};
  Nodes once = nodes;
  repeat(once, 1);
  EXPECT_EQ(once, nodes);
  repeat(nodes, 3);
  EXPECT_EQ(
      edited_text(nodes),
      "1 5ps, 2 6ps <1 <1, 3 8B 7ps <1, 13 <2 <3, 5 5ps <13, 6 6ps <5 <5, 7 8B 7ps <5, 14 <6 <7, 9 5ps <14, "
      "10 6ps <9 <9, 11 8B 7ps <9");
  EXPECT_EQ(nodes[3].type, chakra::NodeType::Metadata);
  EXPECT_EQ(nodes[3].name, "iteration 1");
  Nodes large = {compute(std::uint64_t{1} << 62, 1)};
  EXPECT_EQ(test::refusal_of([&] { repeat(large, 3); }), "the ids of so many copies do not fit 64 bits");
}

TEST(EditPeers, GetTheirNewRanks) {
  Nodes nodes = {test::send(1, 2, 0, 0), test::receive(2, 0, 0), compute(3, 1)};
  rename_peers(nodes, {5, 6, 7});
  EXPECT_EQ(nodes[0].comm_dst, 7U);
  EXPECT_FALSE(nodes[0].comm_src);
  EXPECT_EQ(nodes[1].comm_src, 5U);
  EXPECT_EQ(test::refusal_of([&] {
              rename_peers(nodes, {5, 6, 7});
            }),
            "node 1 \"n1\": rank 7 gets no new number");
}

Nodes secrets() {
  chakra::Node work = compute(50, 100'000, {7});
  work.num_ops = 60'000;
  work.tensor_size = 50'000;
  work.products = {{1000, 2000, 3000, 4}};
  chakra::Node sum = all_reduce(60, 200'000, {50, 999}, 50'000);
  sum.ctrl_deps = {7};
  return {compute(7, 0), work, sum, all_reduce(70, 200'000, {}, 50'000)};
}

TEST(EditObfuscate, KeepsStructureAndWhatIsEqual) {
  const Nodes before = secrets();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Nodes after = before, other_rank = before;
    obfuscate(after, 3, {0.1, 1, seed});
    obfuscate(other_rank, 4, {0.1, 1, seed});
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].id, i + 1);
      EXPECT_EQ(after[i].name, statistics::class_of(before[i]));
      EXPECT_NEAR(static_cast<double>(after[i].duration_ps), static_cast<double>(before[i].duration_ps),
                  0.1 * static_cast<double>(before[i].duration_ps));
      EXPECT_EQ(after[i].comm_size, other_rank[i].comm_size);  // collectives agree
      EXPECT_EQ(after[i].num_ops, other_rank[i].num_ops);
    }
    EXPECT_EQ(after[0].duration_ps, 0U);
    EXPECT_EQ(after[1].data_deps, test::Parents{1});
    EXPECT_EQ(after[2].data_deps, (test::Parents{2, 999}));  // of what is not there
    EXPECT_EQ(after[2].ctrl_deps, test::Parents{1});
    EXPECT_NE(after[2].duration_ps, after[3].duration_ps);  // each by itself
    EXPECT_NE(after[2].duration_ps, other_rank[2].duration_ps);
    EXPECT_EQ(after[2].comm_size, after[3].comm_size);
    EXPECT_EQ(*after[1].tensor_size, *after[2].comm_size);  // equal sizes stay equal
    EXPECT_NEAR(static_cast<double>(*after[2].comm_size), 50'000, 5000);
    const MatrixProduct& product = after[1].products[0];
    EXPECT_NEAR(static_cast<double>(product.m * product.n * product.k), 6e9, 0.1 * 6e9 + 1e7);
    EXPECT_EQ(product.count, 4U);
    EXPECT_NE(product.m, 1000U);
  }
}

TEST(EditObfuscate, SmallValuesStayAbove0AndSeedsDiffer) {
  Nodes one = {all_reduce(1, 1, {}, 1)}, other = secrets(), another = secrets();
  obfuscate(one, 0, {0.49, 1, 1});
  EXPECT_EQ(one[0].comm_size, 1U);
  EXPECT_GT(one[0].duration_ps, 1U);  // never as it was
  obfuscate(other, 0, {0.1, 1, 1});
  obfuscate(another, 0, {0.1, 1, 2});
  EXPECT_NE(other[1].duration_ps, another[1].duration_ps);
  EXPECT_NE(other[1].num_ops, another[1].num_ops);
}

/// On a grid of 1 us nothing is as it was to who rounds.
TEST(EditObfuscate, IsCountedOnTheGridOfTheSource) {
  constexpr TimePs kGrid = 1'000'000;
  Nodes source;
  for (std::uint64_t i = 1; i <= 2000; ++i) source.push_back(compute(i, (1 + i % 30) * kGrid));
  Nodes near = source, hidden = source;
  for (chakra::Node& node : near) node.duration_ps += 50'000;
  EXPECT_EQ(longest_identical_run(source, near, kGrid), 2000U);
  EXPECT_EQ(longest_identical_run(source, near), 0U);
  obfuscate(hidden, 0, {0.05, kGrid, 1});
  EXPECT_EQ(longest_identical_run(source, hidden, kGrid), 0U);
}

TEST(EditAttack, CountsNamesThatAreGuessedRight) {
  const Nodes source = {compute(1, 1000), compute(2, 2000), compute(3, 4000), all_reduce(4, 500, {}, 64),
                        compute(5, 0)};
  Nodes changed = source;
  Reidentification found;
  attack(source, changed, found);
  EXPECT_EQ(found.nodes, 4U);  // the last one does nothing
  EXPECT_EQ(found.right, 4U);
  EXPECT_EQ(found.by_chance, 2U);  // one of the kernels, and the sum
  changed[0].duration_ps = 1900;   // now nearer to the second
  changed[2].duration_ps = 3900;
  attack(source, changed, found);
  EXPECT_EQ(found.nodes, 8U);
  EXPECT_EQ(found.right, 7U);
}

struct RunRow {
  const char* name;
  std::vector<std::uint64_t> changed;  // durations in place of 10, 20, 0, 30, 40
  std::uint64_t longest;
};

class EditIdenticalRun : public testing::TestWithParam<RunRow> {};

TEST_P(EditIdenticalRun, LeavesOutWhatDoesNothing) {
  const Nodes source = {compute(1, 10), compute(2, 20), compute(3, 0), compute(4, 30), compute(5, 40)};
  Nodes changed = source;
  for (std::size_t i = 0; i < changed.size(); ++i) changed[i].duration_ps = GetParam().changed[i];
  EXPECT_EQ(longest_identical_run(source, changed), GetParam().longest);
}

INSTANTIATE_TEST_SUITE_P(Traces, EditIdenticalRun,
                         testing::Values(RunRow{"All", {10, 20, 0, 30, 40}, 4},
                                         RunRow{"None", {1, 2, 0, 3, 4}, 0},
                                         RunRow{"AcrossNothing", {1, 20, 0, 30, 4}, 2},
                                         RunRow{"TheSecondIsLonger", {10, 2, 0, 30, 40}, 2},
                                         RunRow{"OnlyTheLast", {1, 2, 0, 3, 40}, 1}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(EditIdenticalRuns, LookAtEveryField) {
  chakra::Node work = compute(1, 10);
  work.num_ops = 3, work.tensor_size = 4, work.comm_size = 5;
  const auto run = [&](const auto& change) {
    chakra::Node other = work;
    change(other);
    return longest_identical_run({work}, {other});
  };
  EXPECT_EQ(run([](chakra::Node& node) { node.name = "other"; }), 1U);
  EXPECT_EQ(run([](chakra::Node& node) { node.num_ops = 4; }), 0U);
  EXPECT_EQ(run([](chakra::Node& node) { node.tensor_size = 5; }), 0U);
  EXPECT_EQ(run([](chakra::Node& node) { node.comm_size = 6; }), 0U);
  EXPECT_EQ(run([](chakra::Node& node) { node.type = chakra::NodeType::MemLoad; }), 0U);
}

}  // namespace
}  // namespace wafertlm::edit
