// SPDX-License-Identifier: Apache-2.0
// What a model keeps of durations and sizes, and how it changes them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/refusal.h"
#include "tests/support/trace_nodes.h"
#include "tlm/kernel/splitmix64.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/trace_model/learn.h"
#include "workloads/trace_model/likeness.h"
#include "workloads/trace_model/perturb.h"

namespace wafertlm::trace_model {
namespace {

using Picoseconds = std::vector<std::uint64_t>;

statistics::TraceGraph rank_of(std::vector<chakra::Node> nodes, const std::string& name = "rank") {
  chakra::VectorSource source(name, std::move(nodes));
  return statistics::read_graph(source);
}

std::vector<chakra::Node> chain_of(const Picoseconds& durations) {
  std::vector<chakra::Node> nodes;
  for (const std::uint64_t each : durations) {
    nodes.push_back(test::compute(nodes.size(), each));
    if (nodes.size() > 1) nodes.back().data_deps = {nodes.size() - 2};
  }
  return nodes;
}

/// Learned without a change.
Model learned(const Ranks& ranks) {
  return learn({ranks}, chakra::CommGroups(static_cast<std::uint32_t>(ranks.size())), {0, 1});
}

// SplitMix64's published sequence from the state 1234567
// (rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64).
TEST(TraceModelMixed, IsSplitMix64) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                       4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(splitmix64::mixed(state), expected);
    state += splitmix64::kStep;
  }
  EXPECT_NE(mixed(1, 2), mixed(2, 1));
}

TEST(TraceModelMixed, UniformNumbersFillTheUnitInterval) {
  std::array<int, 10> tenths{};
  double sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const double value = uniform(i);
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    ++tenths.at(static_cast<std::size_t>(10 * value));
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.01);
  for (const int each : tenths) EXPECT_NEAR(each, 1000, 120);
}

struct ChangedRow {
  std::uint64_t value;
  double factor, most;
  std::uint64_t step, result;
};

class TraceModelChanged : public testing::TestWithParam<ChangedRow> {};

TEST_P(TraceModelChanged, IsWithinTheBoundOnTheGridAndAnotherValue) {
  const ChangedRow& row = GetParam();
  EXPECT_EQ(changed(row.value, row.factor, row.most, row.step), row.result);
}

INSTANTIATE_TEST_SUITE_P(Values, TraceModelChanged,
                         testing::Values(ChangedRow{1000, 1.0, 0.05, 1, 1001},
                                         ChangedRow{1000, 1.0, 0.05, 4, 1004},
                                         ChangedRow{1000, 0.999, 0.05, 4, 996},
                                         ChangedRow{1000, 1.051, 0.05, 4, 1048},  // the last one below 1050
                                         ChangedRow{1000, 0.9, 0.05, 4, 952},     // the first one above 950
                                         ChangedRow{19, 1.0, 0.05, 1, 19}, ChangedRow{20, 1.0, 0.05, 1, 21},
                                         ChangedRow{20, 0.9999, 0.05, 1, 19}, ChangedRow{1, 0.5, 0.5, 1, 1},
                                         ChangedRow{2, 0.9, 0.5, 1, 1}, ChangedRow{2, 1.1, 0.5, 1, 3},
                                         ChangedRow{402, 1.02, 0.05, 4, 412}, ChangedRow{0, 3, 0.5, 1, 0},
                                         ChangedRow{500, 3, 0, 1, 500}, ChangedRow{500, 3, -1, 1, 500}));

TEST(TraceModelChangedProducts, StayWithinTheBoundTogether) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const MatrixProduct before{100 + random() % 5000, 100 + random() % 5000, 100 + random() % 5000,
                               1 + random() % 9};
    const double factor = 0.9 + 0.2 * uniform(random());
    const MatrixProduct after = changed({before}, factor, 0.1)[0];
    const auto volume = [](const MatrixProduct& p) {
      return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    };
    EXPECT_LE(std::abs(volume(after) / volume(before) - 1), 0.1) << round;
    EXPECT_NEAR(volume(after) / volume(before), factor, 0.02) << round;  // rounding, three times
    EXPECT_EQ(after.count, before.count);
    EXPECT_NE(after.m, before.m);
  }
}

struct StretchRow {
  const char* name;
  Picoseconds durations;  // of a chain, behind its first node
  Picoseconds kept;
};

class TraceModelStretches : public testing::TestWithParam<StretchRow> {};

TEST_P(TraceModelStretches, AreKeptOfALoop) {
  Picoseconds all = {1000};
  all.insert(all.end(), GetParam().durations.begin(), GetParam().durations.end());
  const Model model = learned({rank_of(chain_of(all))});
  ASSERT_EQ(model.behaviours.at(0).slots.size(), 2U);
  EXPECT_EQ(model.behaviours[0].slots[1].durations.stretches_ps, GetParam().kept);
}

Picoseconds ramp(std::uint64_t from, std::uint64_t step, std::size_t count) {
  Picoseconds values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(from + i * step);
  return values;
}

INSTANTIATE_TEST_SUITE_P(
    Chains, TraceModelStretches,
    testing::Values(StretchRow{"Equal", {1000, 1000, 1000, 1000}, {1000}},
                    StretchRow{"Near", {1000, 1100, 1050, 1001}, {1000, 1100, 1050, 1001}},
                    StretchRow{"AsManyAsAreKept", ramp(1000, 1, 64), ramp(1000, 1, 64)},
                    // The means of each two.
                    StretchRow{"TwiceAsMany", ramp(1000, 2, 128), ramp(1001, 4, 64)},
                    StretchRow{"ThreeTimesAsMany", ramp(1000, 1, 192), ramp(1001, 3, 64)}),
    [](const auto& each) { return std::string(each.param.name); });

// Durations more than a quarter apart are other nodes, and so are some that are far above the least.
TEST(TraceModelNeighbourhoods, EndAtGaps) {
  const auto slots = [](const Picoseconds& pattern) {
    Picoseconds all;
    for (int i = 0; i < 40; ++i) all.insert(all.end(), pattern.begin(), pattern.end());
    std::vector<chakra::Node> nodes;
    for (const std::uint64_t each : all) nodes.push_back(test::compute(nodes.size(), each));
    return learned({rank_of(nodes)}).slot_count();
  };
  EXPECT_EQ(slots({1000, 1249}), 1U);
  EXPECT_EQ(slots({1000, 1251}), 2U);
  EXPECT_EQ(slots({1000, 1200, 1450}), 1U);        // less than half above the least
  EXPECT_EQ(slots({1000, 1200, 1440, 1520}), 2U);  // the last one is another
}

TEST(TraceModelValues, SizesAreRunsInTheirOrder) {
  std::vector<chakra::Node> nodes = {test::compute(0, 5)};
  for (const std::uint64_t bytes : {1000U, 1000U, 1010U, 1010U, 1010U, 1000U})
    nodes.push_back(test::all_reduce(nodes.size(), 0, {nodes.size() - 1}, bytes));
  const Model model = learned({rank_of(nodes)});
  std::vector<std::pair<std::uint64_t, std::uint32_t>> runs;
  for (const Behaviour& each : model.behaviours)
    for (const auto* slots : {&each.slots, &each.side_slots})
      for (const Slot& slot : *slots) runs.insert(runs.end(), slot.bytes.begin(), slot.bytes.end());
  const Runs<std::uint64_t> expected = {
      {1000, 1}, {1000, 1}, {1010, 3}, {1000, 1}};  // the first has another parent
  EXPECT_EQ(runs, expected);
}

TEST(TraceModelValues, WorkIsKeptWhereThereIsSome) {
  chakra::Node work = test::compute(0, 5), plain = test::compute(1, 5, {0}), in = test::load(2, 0, {1});
  work.num_ops = 600;
  work.tensor_size = 100;
  work.products = {{10, 10, 3, 1}};
  const std::vector<Slot> slots = learned({rank_of({work, plain, in})}).behaviours.at(0).slots;
  ASSERT_GE(slots.size(), 2U);
  EXPECT_EQ(slots[0].operations, (Runs<std::uint64_t>{{600, 1}}));
  EXPECT_EQ(slots[0].touched, (Runs<std::uint64_t>{{100, 1}}));
  EXPECT_EQ(slots[0].products, (Runs<std::vector<MatrixProduct>>{{{{10, 10, 3, 1}}, 1}}));
  EXPECT_TRUE(slots[0].bytes.empty());
  EXPECT_TRUE(slots[1].operations.empty() && slots[1].touched.empty() && slots[1].products.empty());
}

struct PaceRow {
  const char* name;
  Picoseconds durations;  // of a computation on each rank
  std::vector<double> pace;
};

class TraceModelPace : public testing::TestWithParam<PaceRow> {};

TEST_P(TraceModelPace, IsRelativeToTheMean) {
  Ranks ranks;
  for (const std::uint64_t each : GetParam().durations) ranks.push_back(rank_of(chain_of({each})));
  const Model model = learned(ranks);
  ASSERT_EQ(model.behaviours.size(), 1U);
  EXPECT_EQ(model.behaviours[0].pace, GetParam().pace);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, TraceModelPace,
    testing::Values(PaceRow{"Equal", {1000, 1000}, {}}, PaceRow{"AThousandth", {10'000, 10'010}, {}},
                    PaceRow{"More", {9000, 11'000}, {0.9, 1.1}},
                    PaceRow{"Rounded", {10'000, 10'000, 10'100}, {0.9967, 0.9967, 1.0066}},
                    PaceRow{"Nothing", {0, 0}, {}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TraceModelBalance, SumsOfBytesAndOfComputationsStay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<chakra::Node> nodes;
    double bytes = 0, work = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
      nodes.push_back(test::compute(nodes.size(), 500'000));
      work += static_cast<double>(nodes.back().duration_ps);
      nodes.push_back(test::all_reduce(nodes.size(), 0, {}, 100'000 + random() % 900'000));
      bytes += static_cast<double>(*nodes.back().comm_size);
    }
    const Model model = learn({{rank_of(nodes)}}, chakra::CommGroups(1), {0.2, seed});
    double made_bytes = 0, made_work = 0;
    const Generated made = generate(model);
    for (const chakra::Node& node : made.ranks[0]) {
      made_bytes += static_cast<double>(node.comm_size.value_or(0));
      made_work += static_cast<double>(node.duration_ps);
    }
    // What is left is at most what a quarter of the bound makes of the largest; the computations are one.
    EXPECT_NEAR(made_bytes / bytes, 1, 0.2 / 4 / 20 + 1e-3) << seed;
    EXPECT_NEAR(std::abs(made_work / work - 1), half_of(0.2) / 4, 1e-3) << seed;
  }
}

TEST(TraceModelLearn, JobsThatDifferAreRefusedByName) {
  const auto refusal = [](Ranks second) {
    return test::refusal_of<chakra::TraceError>([&] {
      learn({{rank_of(chain_of({1, 2}), "a.0")}, std::move(second)}, chakra::CommGroups(1));
    });
  };
  EXPECT_EQ(refusal({rank_of(chain_of({3, 4}), "b.0")}), "");
  EXPECT_EQ(refusal({rank_of(chain_of({1, 2, 3}), "b.0")}),
            "b.0: does other operations than a.0, or in another order; learn from it by itself");
  EXPECT_EQ(refusal({rank_of({test::compute(1, 1), test::compute(2, 2)}, "b.0")}),
            "b.0: does other operations than a.0, or in another order; learn from it by itself");
  EXPECT_EQ(refusal({rank_of({test::compute(1, 1), test::cpu(2, 2, {1})}, "b.0")}),
            "b.0: does other operations than a.0, or in another order; learn from it by itself");
  EXPECT_EQ(refusal({rank_of({}, "b.0"), rank_of({}, "b.1")}),
            "b.0: of a job of 2 ranks, and the first has 1; a model is learned from runs of one job");
}

struct FeatureRow {
  const char* name;
  std::vector<chakra::Node> nodes;
  std::map<std::size_t, double> features;  // those that are not 0, by place
};

class TraceModelFeatures : public testing::TestWithParam<FeatureRow> {};

chakra::Node sum_of(std::uint64_t id, std::uint64_t bytes, const char* traffic,
                    chakra::CollectiveType type = chakra::CollectiveType::AllReduce) {
  chakra::Node node = test::all_reduce(id, 0, {}, bytes);
  node.comm_class = traffic;
  node.comm_type = type;
  return node;
}

TEST_P(TraceModelFeatures, AreSharesFromNoneToAll) {
  const std::vector<double> features =
      family_features(statistics::statistics_of({rank_of(GetParam().nodes)}));
  ASSERT_EQ(features.size(), 33U);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto found = GetParam().features.find(i);
    EXPECT_NEAR(features[i], found == GetParam().features.end() ? 0 : found->second, 1e-12) << i;
  }
}

// 0 to 7: bytes of eight classes; 8 to 15: their nodes; 16 and 17: kernels and CPU; 18 to 22: bytes of mp,
// dp, pp, ep, weights; 23 to 27: their messages; 28 to 31: how uneven kernels, CPU, all-reduces and
// all-to-alls are; 32: parents.
INSTANTIATE_TEST_SUITE_P(
    Traces, TraceModelFeatures,
    testing::Values(
        FeatureRow{"Nothing", {}, {}},
        FeatureRow{"OneSum", {sum_of(1, 100, "")}, {{0, 1}, {8, 1}, {19, 1}, {24, 1}}},
        FeatureRow{"ThreeQuartersOfTheBytes",
                   {sum_of(1, 300, "mp"), sum_of(2, 100, "ep", chakra::CollectiveType::AllToAll)},
                   {{0, 0.75}, {3, 0.25}, {8, 0.5}, {11, 0.5}, {18, 0.75}, {21, 0.25}, {23, 0.5}, {26, 0.5}}},
        FeatureRow{"Computations",
                   {test::compute(1, 5), test::compute(2, 5, {1}), test::cpu(3, 5), test::load(4, 0, {1, 2})},
                   {{7, 1}, {15, 0.25}, {16, 0.5}, {17, 0.25}, {32, 0.75 / 1.75}}},
        FeatureRow{"Messages",
                   {test::send(1, 0, 0, 0), test::receive(2, 0, 0)},
                   {{6, 0.5}, {14, 0.5}, {20, 1}, {25, 1}}},
        // Standard deviation 1 of a mean of 2, or of 100.
        FeatureRow{
            "Uneven",
            {test::compute(1, 1), test::compute(2, 3), sum_of(3, 99, "weights"), sum_of(4, 101, "weights")},
            {{0, 1}, {8, 0.5}, {16, 0.5}, {22, 1}, {27, 1}, {28, 0.5 / 1.5}, {30, 0.01 / 1.01}}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wafertlm::trace_model
