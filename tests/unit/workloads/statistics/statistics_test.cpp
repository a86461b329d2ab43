// SPDX-License-Identifier: Apache-2.0
// Distributions and their distances, graphs of traces, schedules and what a trace is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/refusal.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm::statistics {
namespace {

using Reals = std::vector<double>;
using NodeRow = std::vector<chakra::Node>;
using test::all_reduce;
using test::compute;
using test::cpu;
using test::load;

struct QuantileRow {
  Reals values;
  double part, quantile;
};

class StatisticsQuantile : public testing::TestWithParam<QuantileRow> {};

TEST_P(StatisticsQuantile, IsTheSmallestValueThatThePartDoesNotExceed) {
  EXPECT_EQ(Distribution(GetParam().values).quantile(GetParam().part), GetParam().quantile);
}

INSTANTIATE_TEST_SUITE_P(
    Values, StatisticsQuantile,
    testing::Values(QuantileRow{{}, 0.5, 0}, QuantileRow{{7}, 0, 7}, QuantileRow{{7}, 1, 7},
                    QuantileRow{{4, 1, 3, 2}, 0, 1}, QuantileRow{{4, 1, 3, 2}, 0.25, 1},
                    QuantileRow{{4, 1, 3, 2}, 0.26, 2}, QuantileRow{{4, 1, 3, 2}, 0.5, 2},
                    QuantileRow{{4, 1, 3, 2}, 0.75, 3}, QuantileRow{{4, 1, 3, 2}, 0.76, 4},
                    QuantileRow{{4, 1, 3, 2}, 1, 4}, QuantileRow{{1, 1, 1, 9}, 0.75, 1}));

TEST(StatisticsDistribution, IsSortedWithSumAndMean) {
  const Distribution of({3, 1, 2, 6});
  EXPECT_EQ(of.values(), (Reals{1, 2, 3, 6}));
  EXPECT_EQ(of.sum(), 12);
  EXPECT_EQ(of.mean(), 3);
  EXPECT_EQ(of.count(), 4U);
  EXPECT_EQ(Distribution().mean(), 0);
}

struct DistanceRow {
  const char* name;
  Reals a, b;
  double ks, earth_mover;
};

class StatisticsDistance : public testing::TestWithParam<DistanceRow> {};

TEST_P(StatisticsDistance, IsThatOfBothCumulativeDistributions) {
  const Distribution a(GetParam().a), b(GetParam().b);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov(a, b), GetParam().ks);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov(b, a), GetParam().ks);
  EXPECT_DOUBLE_EQ(earth_movers(a, b), GetParam().earth_mover);
  EXPECT_DOUBLE_EQ(earth_movers(b, a), GetParam().earth_mover);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, StatisticsDistance,
    testing::Values(DistanceRow{"Nothing", {}, {}, 0, 0}, DistanceRow{"OneOfNothing", {1}, {}, 1, 0},
                    DistanceRow{"Equal", {1, 2, 2}, {2, 1, 2}, 0, 0},
                    DistanceRow{"Moved", {1, 2}, {4, 5}, 1, 3},
                    DistanceRow{"OtherCounts", {1, 2}, {1, 1, 2, 2}, 0, 0},
                    DistanceRow{"HalfMoved", {1, 1}, {1, 5}, 0.5, 2},
                    DistanceRow{"Crossed", {0, 10}, {5, 5}, 0.5, 5},
                    DistanceRow{"Thirds", {0, 0, 3}, {0, 3}, 2 / 3.0 - 0.5, (2 / 3.0 - 0.5) * 3}),
    [](const auto& each) { return std::string(each.param.name); });

// With equally many values the least work moves the i-th smallest to the i-th smallest.
TEST(StatisticsDistances, AgreeWithSortedPairsAndACountOfAllSteps) {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 12;
    Reals a, b;
    for (std::size_t i = 0; i < count; ++i)
      for (Reals* each : {&a, &b}) each->push_back(static_cast<double>(random() % 20));
    Reals x = a, y = b;
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    double work = 0, most = 0;
    for (std::size_t i = 0; i < count; ++i) work += std::abs(x[i] - y[i]) / static_cast<double>(count);
    for (int at = 0; at < 20; ++at) {
      const auto part = [&](const Reals& values) {
        return static_cast<double>(
                   std::count_if(values.begin(), values.end(), [&](double v) { return v <= at; })) /
               static_cast<double>(count);
      };
      most = std::max(most, std::abs(part(a) - part(b)));
    }
    EXPECT_NEAR(earth_movers(Distribution(a), Distribution(b)), work, 1e-9) << round;
    EXPECT_NEAR(kolmogorov_smirnov(Distribution(a), Distribution(b)), most, 1e-12) << round;
  }
}

TraceGraph read_all(NodeRow nodes, chakra::Dependencies dependencies = chakra::Dependencies::all) {
  chakra::VectorSource source("a.0.et", std::move(nodes));
  return read_graph(source, dependencies);
}

struct GraphRow {
  const char* name;
  NodeRow nodes;
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> starts;
  std::uint64_t total;
};

class StatisticsGraph : public testing::TestWithParam<GraphRow> {};

TEST_P(StatisticsGraph, HasAnOrderAndASchedule) {
  const TraceGraph graph = read_all(GetParam().nodes);
  EXPECT_EQ(graph.order, GetParam().order);
  const Schedule found = schedule(graph);
  EXPECT_EQ(found.start_ps, GetParam().starts);
  EXPECT_EQ(found.total_ps, GetParam().total);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    EXPECT_EQ(found.end_ps[i], found.start_ps[i] + graph.nodes[i].duration_ps);
}

chakra::Node on_unit(chakra::Node node, std::uint32_t unit) {
  node.unit = unit;
  return node;
}

chakra::Node launch_of(std::uint64_t id, std::uint64_t duration) {
  chakra::Node node = all_reduce(id, duration);
  node.comm_type.reset();
  node.is_cpu_op = true;
  return node;
}

INSTANTIATE_TEST_SUITE_P(
    Traces, StatisticsGraph,
    testing::Values(
        GraphRow{"Nothing", {}, {}, {}, 0},
        GraphRow{"OneUnitOneAtATime", {compute(1, 10), compute(2, 20)}, {0, 1}, {0, 10}, 30},
        GraphRow{"CpuBeside", {compute(1, 10), cpu(2, 20)}, {0, 1}, {0, 0}, 20},
        GraphRow{"UnitsBeside", {compute(1, 10), on_unit(compute(2, 20), 1)}, {0, 1}, {0, 0}, 20},
        GraphRow{
            "CpuUnitsAreOthers", {on_unit(compute(1, 10), 1), on_unit(cpu(2, 20), 1)}, {0, 1}, {0, 0}, 20},
        GraphRow{"LaunchesOnTheCpu", {launch_of(1, 10), cpu(2, 20)}, {0, 1}, {0, 10}, 30},
        GraphRow{"CommunicationBeside",
                 {compute(1, 10), all_reduce(2, 50), all_reduce(3, 40)},
                 {0, 1, 2},
                 {0, 0, 0},
                 50},
        GraphRow{"AfterTheLatestParent",
                 {compute(1, 10), all_reduce(2, 50), compute(3, 5, {1, 2})},
                 {0, 1, 2},
                 {0, 0, 50},
                 55},
        GraphRow{"ParentsFirst",
                 {compute(1, 10, {3}), compute(2, 20), compute(3, 30)},
                 {1, 2, 0},
                 {50, 0, 20},
                 60},
        // The file's first node that may go, not the one that could start first.
        GraphRow{"InTheOrderOfTheFile",
                 {all_reduce(1, 100), compute(2, 1, {1}), compute(3, 1)},
                 {0, 1, 2},
                 {0, 100, 101},
                 102}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(StatisticsGraphs, CountDependenciesAsTold) {
  chakra::Node node = compute(2, 5, {1, 1, 77});
  node.ctrl_deps = {1, 3, 88};
  const NodeRow nodes = {compute(1, 1), node, compute(3, 1)};
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(read_all(nodes, chakra::Dependencies::existing).edges, (Edges{{1, 0}, {1, 2}}));
  EXPECT_EQ(read_all(nodes, chakra::Dependencies::data).edges, (Edges{{1, 0}}));
  EXPECT_TRUE(read_all(nodes, chakra::Dependencies::data).nodes[1].ctrl_deps.empty());
  const TraceGraph graph = read_all(nodes, chakra::Dependencies::existing);
  EXPECT_EQ(graph.name, "a.0.et");
  EXPECT_EQ(graph.parents(0), (std::pair<std::size_t, std::size_t>(0, 0)));
  EXPECT_EQ(graph.parents(1), (std::pair<std::size_t, std::size_t>(0, 2)));
  EXPECT_EQ(graph.parents(2), (std::pair<std::size_t, std::size_t>(2, 2)));
}

TEST(StatisticsGraphs, AreRefusedByNode) {
  const auto refusal = [](const NodeRow& nodes) {
    return test::refusal_of<chakra::TraceError>([&] { read_all(nodes); });
  };
  EXPECT_EQ(refusal({compute(1, 1), compute(1, 2)}), "a.0.et: two nodes with the id of node 1 \"n1\"");
  EXPECT_EQ(refusal({compute(1, 1, {9})}),
            "a.0.et: node 1 \"n1\" depends on node 9, which is not there; see --dependencies");
  EXPECT_EQ(refusal({compute(1, 1, {2}), compute(2, 1, {1})}),
            "a.0.et: nodes depend on each other in a circle; see trace check");
  EXPECT_EQ(refusal({compute(1, 1, {1})}), "a.0.et: nodes depend on each other in a circle; see trace check");
}

TEST(StatisticsClasses, HaveNames) {
  EXPECT_EQ(class_of(compute(1, 1)), "kernel");
  EXPECT_EQ(class_of(cpu(1, 1)), "cpu");
  chakra::Node delay = cpu(1, 1), kernel = compute(1, 1);
  delay.name = kernel.name = "delay";
  EXPECT_EQ(class_of(delay), "delay");
  EXPECT_EQ(class_of(kernel), "kernel");
  EXPECT_EQ(class_of(launch_of(1, 1)), "cpu");
  EXPECT_EQ(class_of(all_reduce(1, 1)), "ALL_REDUCE");
  EXPECT_EQ(class_of(test::send(1, 0, 0, 0)), "send");
  EXPECT_EQ(class_of(test::receive(1, 0, 0)), "receive");
  EXPECT_EQ(class_of(load(1, 1)), "memory");
  EXPECT_EQ(class_of(test::store(1, 1)), "memory");
  EXPECT_EQ(class_of(test::make_node(1, chakra::NodeType::Metadata, 0, {})), "metadata");
}

TEST(StatisticsOfTraces, AreSumsOfAllRanksAndTheWorstOfOne) {
  chakra::Node work = compute(1, 10), other = compute(2, 30, {1});
  work.num_ops = 600, work.tensor_size = 100;
  other.num_ops = 100;  // no bytes: no intensity
  const TraceStatistics of =
      statistics_of({read_all({work, other, all_reduce(3, 5, {1}, 1000), load(4, 7, {2, 3})}),
                     read_all({cpu(1, 100), all_reduce(2, 1, {}, 1000)})});
  EXPECT_EQ(of.ranks, 2U);
  EXPECT_EQ(of.nodes, 6U);
  EXPECT_EQ(of.edges, 4U);
  EXPECT_EQ(of.depth, 3U);
  EXPECT_EQ(of.critical_path_ps, 100U);
  EXPECT_EQ(of.scheduled_ps, 100U);
  EXPECT_EQ(of.work_ps, 140U);
  EXPECT_EQ(of.durations_ps.at("ALL_REDUCE").values(), (Reals{1, 5}));
  EXPECT_EQ(of.durations_ps.at("kernel").values(), (Reals{10, 30}));
  EXPECT_EQ(of.bytes.at("ALL_REDUCE").values(), (Reals{1000, 1000}));
  EXPECT_EQ(of.bytes.at("memory").values(), Reals{64});
  EXPECT_EQ(of.bytes.count("kernel"), 0U);
  EXPECT_EQ(of.parents.values(), (Reals{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(of.children.values(), (Reals{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(of.intensity.values(), Reals{6});
  EXPECT_EQ(of.collectives.at({"ALL_REDUCE", 1000, ""}), 2U);
}

struct SizeRow {
  std::uint64_t bytes;
  unsigned size_class;
};

class StatisticsSize : public testing::TestWithParam<SizeRow> {};

TEST_P(StatisticsSize, IsInAClassOfPowersOfTwo) {
  chakra::Node sent = test::send(2, 0, 0, 0), received = test::receive(3, 0, 0);
  sent.comm_size = GetParam().bytes;
  received.comm_size = 1 << 20;
  const TraceStatistics of =
      statistics_of({read_all({all_reduce(1, 0, {}, GetParam().bytes), sent, received})});
  ASSERT_EQ(of.sizes.size(), 2U);
  for (const char* name : {"dp", "pp"}) {  // by default; what is received was sent
    ASSERT_EQ(of.sizes.at(name).size(), 1U);
    EXPECT_EQ(of.sizes.at(name).begin()->first, GetParam().size_class);
    EXPECT_EQ(of.sizes.at(name).begin()->second.messages, 1U);
    EXPECT_EQ(of.sizes.at(name).begin()->second.bytes, GetParam().bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, StatisticsSize,
                         testing::Values(SizeRow{0, 0}, SizeRow{1, 0}, SizeRow{2, 1}, SizeRow{3, 1},
                                         SizeRow{4, 2}, SizeRow{1023, 9}, SizeRow{1024, 10},
                                         SizeRow{~std::uint64_t{0}, 63}));

TEST(StatisticsComparison, HasWhatEitherTraceHas) {
  const TraceStatistics a = statistics_of({read_all({compute(1, 10), compute(2, 20)})}),
                        b = statistics_of({read_all({compute(1, 10), all_reduce(2, 5, {1}, 64)})});
  std::vector<std::string> texts;
  for (const Difference& each : compare(a, b))
    texts.push_back(each.what + " " + std::to_string(each.count_a) + " " + std::to_string(each.count_b));
  EXPECT_EQ(texts, (std::vector<std::string>{"duration of ALL_REDUCE 0 1", "duration of kernel 2 1",
                                             "size of ALL_REDUCE 0 1", "parents of a node 2 2",
                                             "children of a node 2 2", "operations per byte 0 0"}));
  const Difference kernel = compare(a, b)[1];
  EXPECT_EQ(kernel.ks, 0.5);
  EXPECT_EQ(kernel.earth_mover, 5);
  EXPECT_EQ(kernel.mean_a, 15);
  EXPECT_EQ(kernel.mean_b, 10);
  EXPECT_EQ(compare(a, b)[0].ks, 1);
}

}  // namespace
}  // namespace wafertlm::statistics
