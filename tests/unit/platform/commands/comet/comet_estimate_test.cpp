// SPDX-License-Identifier: Apache-2.0
// What an iteration takes where one part alone takes time: closed forms of COMET's steps in small numbers.
#include <gtest/gtest.h>

#include "platform/commands/comet/cluster.h"
#include "platform/commands/comet/dlrm.h"

namespace wafertlm::comet {
namespace {

constexpr double kEndless = 1e40;

/// 2 layers of 8 values, 8 heads, 4 tokens: 12 · 2 · 64 + 13 · 2 · 8 + (16 + 4) · 8 = 1904 parameters. 8
/// NPUs, 4 to a node, 16 sequences, one at a time. Nothing takes time.
ClusterSpec endless_cluster() {
  ClusterSpec spec;
  spec.model = {2, 8, 8, 4, 16};
  spec.npus = 8;
  spec.npus_per_node = 4;
  spec.batch = 16;
  spec.peak = spec.local_bandwidth = spec.node_bandwidth = spec.network_bandwidth = kEndless;
  spec.local_capacity = 1e9;
  return spec;
}

struct ComputeRow {
  PointOfCluster point;
  std::uint32_t microbatch;
  bool recompute;
  double operations;  // of an NPU
};

class CometCompute : public testing::TestWithParam<ComputeRow> {};

// A layer of b sequences: 24 (4 b) 8² + 4 b 4² 8 = 6656 b operations forward, and twice as many backward.
TEST_P(CometCompute, TakesItsOperationsAtThePeak) {
  const ComputeRow& row = GetParam();
  ClusterSpec spec = endless_cluster();
  spec.peak = 1000;
  spec.gemm_efficiency = 0.5;
  spec.microbatch = row.microbatch;
  spec.recompute = row.recompute;
  const Estimate found = estimate(spec, row.point);
  EXPECT_NEAR(found.compute_s, row.operations / 500, 1e-9 * found.compute_s);
  EXPECT_NEAR(found.time_s(), found.compute_s, 1e-9 * found.compute_s);
  EXPECT_EQ(found.memory_bound, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Points, CometCompute,
    testing::Values(ComputeRow{{1, 8, 0}, 1, false, 3 * 2 * 2 * 6656.0},
                    ComputeRow{{1, 8, 0}, 1, true, 4 * 2 * 2 * 6656.0},
                    ComputeRow{{1, 8, 0}, 2, true, 4 * 2 * 2 * 6656.0},
                    ComputeRow{{2, 4, 0}, 1, true, 4 * 2 * 4 * 6656.0 / 2},
                    ComputeRow{{2, 4, 3}, 4, false, 3 * 2 * 4 * 6656.0 / 2},
                    ComputeRow{{4, 2, 0}, 1, true, 4 * 2 * 8 * (24 * 4 * 64 / 4.0 + 2.0 * 2 * 4 * 4 * 2)},
                    ComputeRow{{8, 1, 2}, 2, true, 4 * 2 * 16 * (24 * 4 * 64 / 8.0 + 2.0 * 2 * 4 * 4 * 1)}));

struct WireRow {
  const char* name;
  double bytes, inside, across, node, network;  // bytes of an NPU
};

class CometAllReduce : public testing::TestWithParam<WireRow> {};

// 2 (n - 1) / n of the bytes in a ring, over the nodes of what a node has left of them.
TEST_P(CometAllReduce, GoesOverTheNodeAndThenTheNetwork) {
  const WireRow& row = GetParam();
  ClusterSpec spec = endless_cluster();
  spec.node_bandwidth = 10;
  spec.network_bandwidth = 1;
  const Wire wire = all_reduce(spec, row.bytes, row.inside, row.across);
  EXPECT_DOUBLE_EQ(wire.node_bytes, row.node);
  EXPECT_DOUBLE_EQ(wire.network_bytes, row.network);
  EXPECT_DOUBLE_EQ(wire.time_s, std::max(row.node / 10, row.network));
}

INSTANTIATE_TEST_SUITE_P(Groups, CometAllReduce,
                         testing::Values(WireRow{"Alone", 800, 1, 1, 0, 0},
                                         WireRow{"Node", 800, 4, 1, 1200, 0},
                                         WireRow{"Network", 800, 1, 4, 0, 1200},
                                         WireRow{"Both", 800, 4, 2, 1200, 200},
                                         WireRow{"BothOfMany", 800, 2, 8, 800, 700}),
                         [](const auto& each) { return std::string(each.param.name); });

struct ExposedRow {
  PointOfCluster point;
  double mp_s, dp_s;
};

class CometExposed : public testing::TestWithParam<ExposedRow> {};

// Activations: 2 · 4 · 8 = 64 bytes, 4 times in each of 2 layers and of 16 / dp sequences. Gradients: 2 ·
// 1904 bytes / mp, with ZeRO-3 half as much more. A node moves 10 bytes a second, the network one.
TEST_P(CometExposed, IsOfActivationsAndGradients) {
  ClusterSpec spec = endless_cluster();
  spec.node_bandwidth = 10;
  spec.network_bandwidth = 1;
  const Estimate found = estimate(spec, GetParam().point);
  EXPECT_NEAR(found.mp_s, GetParam().mp_s, 1e-9 * (1 + found.mp_s));
  EXPECT_NEAR(found.dp_s, GetParam().dp_s, 1e-9 * (1 + found.dp_s));
}

INSTANTIATE_TEST_SUITE_P(
    Points, CometExposed,
    testing::Values(ExposedRow{{1, 8, 0}, 0, 2 * 3808 / 4.0 / 2},  // 4 in a node, 2 nodes
                    ExposedRow{{1, 8, 2}, 0, 2 * 3808 / 4.0 / 2},
                    ExposedRow{{1, 8, 3}, 0, 1.5 * 2 * 3808 / 4.0 / 2},
                    ExposedRow{{2, 4, 0}, 4 * 8 * 2 * 64 / 2.0 / 10, 2 * 1904 / 2.0 / 2},
                    ExposedRow{{4, 2, 0}, 8 * 8 * 2 * 64 * 0.75 / 10, 2 * 952 / 2.0},
                    ExposedRow{{8, 1, 0}, 16 * 8 * 2 * 64 / 4.0 / 2, 0}));

struct OverlapRow {
  double overlap;
  bool recompute;
  double hidden;  // of the time that computes
};

class CometOverlap : public testing::TestWithParam<OverlapRow> {};

// The backward pass is two of three parts, or of four with what is computed again.
TEST_P(CometOverlap, HidesGradientsBehindTheBackwardPass) {
  ClusterSpec spec = endless_cluster();
  spec.peak = 1000;
  spec.network_bandwidth = 1;
  spec.recompute = GetParam().recompute;
  const double all = estimate(spec, {1, 8, 0}).dp_s;
  spec.dp_overlap = GetParam().overlap;
  const Estimate found = estimate(spec, {1, 8, 0});
  EXPECT_NEAR(found.dp_s, all - GetParam().hidden * found.compute_s, 1e-9 * all);
  spec.network_bandwidth = kEndless;
  EXPECT_GE(estimate(spec, {1, 8, 0}).dp_s, 0);  // never below
  EXPECT_LE(estimate(spec, {1, 8, 0}).dp_s, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Parts, CometOverlap,
                         testing::Values(OverlapRow{0, true, 0}, OverlapRow{1, true, 0.5},
                                         OverlapRow{1, false, 2 / 3.0}, OverlapRow{0.25, true, 0.125}));

struct FootprintRow {
  PointOfCluster point;
  std::uint32_t microbatch;
  bool recompute;
  double state, activations;
};

class CometFootprint : public testing::TestWithParam<FootprintRow> {};

// 2, 2 and 12 bytes a parameter. Activations of a layer (Korthikanti et al. 2022, arXiv 2205.05198):
// s b h (10 + 24/t + 5 a s / (h t)) with s b h = 32 and 5 a s / h = 20; its input is 64 bytes.
TEST_P(CometFootprint, HoldsStateAndActivations) {
  const FootprintRow& row = GetParam();
  ClusterSpec spec = endless_cluster();
  spec.microbatch = row.microbatch;
  spec.recompute = row.recompute;
  const Estimate found = estimate(spec, row.point);
  EXPECT_NEAR(found.activations, row.activations, 1e-9);
  EXPECT_NEAR(found.footprint, row.state + row.activations, 1e-9 * found.footprint);
  EXPECT_TRUE(found.fits());
  spec.local_capacity = 100;
  spec.expanded_capacity = 50;
  EXPECT_NEAR(estimate(spec, row.point).missing, found.footprint - 150, 1e-9 * found.footprint);
}

INSTANTIATE_TEST_SUITE_P(
    Points, CometFootprint,
    testing::Values(FootprintRow{{1, 8, 0}, 1, true, 16 * 1904.0, 2 * 64 + 32 * 54.0},
                    FootprintRow{{1, 8, 0}, 1, false, 16 * 1904.0, 2 * 32 * 54.0},
                    FootprintRow{{1, 8, 1}, 3, true, (2 + 2 + 12 / 8.0) * 1904, 3 * (2 * 64 + 32 * 54.0)},
                    FootprintRow{
                        {2, 4, 2}, 1, true, (2 + 2 / 4.0 + 12 / 4.0) * 952, 2 * 64 + 32 * (10 + 44 / 2.0)},
                    FootprintRow{{4, 2, 3}, 1, false, 16 / 2.0 * 476, 2 * 32 * (10 + 44 / 4.0)}));

TEST(CometMemory, TheOptimizerReadsAndWritesItsStateOnce) {
  ClusterSpec spec = endless_cluster();
  spec.local_bandwidth = 100;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).optimizer_s, 2 * 12 * 1904 / 100.0, 1e-9);
  EXPECT_NEAR(estimate(spec, {2, 4, 1}).optimizer_s, 2 * 12 * 1904 / 8 / 100.0, 1e-9);
  EXPECT_EQ(estimate(spec, {1, 8, 0}).bandwidth, 100);
  EXPECT_EQ(estimate(spec, {1, 8, 0}).memory_bound, 1);
}

TEST(CometMemory, ExpandedMemorySlowsWhatLivesThere) {
  ClusterSpec spec = endless_cluster();
  const double all = estimate(spec, {1, 8, 0}).footprint;
  spec.local_capacity = all / 4;
  spec.expanded_capacity = all;
  spec.local_bandwidth = 400;
  spec.expanded_bandwidth = 100;
  // A quarter at 400, the rest at 100: 1 / (0.25 / 400 + 0.75 / 100).
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).bandwidth, 1 / (0.25 / 400 + 0.75 / 100), 1e-9);
  spec.streams = Streams::parallel;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).bandwidth, 100 / 0.75, 1e-9);
  // The optimizer's state first: 12 of 16 bytes of the state are there, the products run on what is left.
  spec.streams = Streams::serial;
  spec.placement = Placement::optimizer_first;
  const double products = all - 12 * 1904, local = spec.local_capacity / products;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).bandwidth, 1 / (local / 400 + (1 - local) / 100), 1e-9);
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).optimizer_s, 2 * 12 * 1904 / 100.0, 1e-9);
  spec.expanded_bandwidth = 1000;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).optimizer_s, 2 * 12 * 1904 / 400.0, 1e-9);  // not above local
}

struct EnergyRow {
  const char* name;
  double EnergySpec::*key;
  double joules;
};

class CometEnergy : public testing::TestWithParam<EnergyRow> {};

// Of MP4_DP2 at 1 J each: operations, and bits in the node and between nodes.
TEST_P(CometEnergy, IsThatOfWhatIsDoneAndMoved) {
  ClusterSpec spec = endless_cluster();
  spec.energy.*GetParam().key = 1;
  EXPECT_NEAR(estimate(spec, {4, 2, 0}).energy_j, GetParam().joules, 1e-9 * GetParam().joules);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, CometEnergy,
    testing::Values(EnergyRow{"Operations", &EnergySpec::operation_j, 4 * 2 * 8 * (24 * 4 * 64 / 4.0 + 128)},
                    EnergyRow{"Node", &EnergySpec::node_bit_j, 8 * 8 * 8 * 2 * 64 * 0.75},
                    EnergyRow{"Network", &EnergySpec::network_bit_j, 8 * 2 * 952 / 2.0},
                    EnergyRow{"NothingExpanded", &EnergySpec::expanded_bit_j, 0}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CometEnergies, BitsOfMemoryAreThoseOfBothParts) {
  ClusterSpec spec = endless_cluster();
  spec.energy.local_bit_j = 1;
  const double all = estimate(spec, {1, 8, 0}).energy_j;
  spec.local_capacity = estimate(spec, {1, 8, 0}).footprint / 4;
  spec.expanded_capacity = 1e9;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).energy_j, all / 4, 1e-9 * all);
  spec.energy = {};
  spec.energy.expanded_bit_j = 1;
  EXPECT_NEAR(estimate(spec, {1, 8, 0}).energy_j, all * 3 / 4, 1e-9 * all);
}

TEST(CometBest, IsTheFastestOfThoseThatFit) {
  ClusterSpec spec = endless_cluster();
  spec.npus_per_node = 8;
  spec.node_bandwidth = 10;
  // MP1 sums 3808 bytes of eight, MP2 1904 of four and activations of two, MP4 952 of two and of four …
  const double seconds[] = {2 * 3808 * 0.875 / 10, 204.8 + 2 * 1904 * 0.75 / 10, 614.4 + 95.2, 16 * 8 * 11.2};
  for (const std::uint32_t k : {0U, 1U, 2U, 3U})
    EXPECT_NEAR(estimate(spec, {1U << k, 8U >> k, 1}).time_s(), seconds[k], 1e-9 * seconds[k]) << k;
  EXPECT_EQ(best_point(spec, 1).mp, 2U);
  EXPECT_EQ(best_point(spec, 1).dp, 4U);
  spec.local_capacity = estimate(spec, {8, 1, 1}).footprint;  // only the last one fits
  EXPECT_EQ(best_point(spec, 1).mp, 8U);
  spec.local_capacity *= 0.99;
  EXPECT_EQ(best_point(spec, 1).mp, 0U);
}

/// 3 tables of 10 rows of 2 values; perceptrons 4-5 and 6-7-1: (4 + 1) 5 + (6 + 1) 7 + (7 + 1) 1 = 82
/// parameters, 2 (20 + 42 + 7) = 138 operations.
ClusterSpec small_dlrm() {
  ClusterSpec spec = endless_cluster();
  spec.dlrm = Dlrm{3, 10, 2, 5, {4, 5}, {6, 7, 1}, 16};
  return spec;
}

TEST(CometDlrm, CountsItsParts) {
  const Dlrm model = *small_dlrm().dlrm;
  EXPECT_EQ(model.mlp_parameters(), 82U);
  EXPECT_EQ(model.mlp_operations(), 138);
  EXPECT_EQ(model.table_bytes(), 3 * 10 * (4 * 2 + 4));
}

struct DlrmRow {
  std::uint32_t npus;
  double footprint, lookup, mlp, all_to_all, all_reduce;
};

class CometDlrmTime : public testing::TestWithParam<DlrmRow> {};

// Memory moves 100 bytes a second, a node 10, the network 1, and the perceptrons run at 50 operations.
TEST_P(CometDlrmTime, IsThatOfEachPart) {
  const DlrmRow& row = GetParam();
  ClusterSpec spec = small_dlrm();
  spec.local_bandwidth = 100;
  spec.node_bandwidth = 10;
  spec.network_bandwidth = 1;
  spec.peak = 100;
  spec.gemm_efficiency = 0.5;
  const DlrmEstimate found = estimate_dlrm(spec, row.npus);
  EXPECT_NEAR(found.footprint, row.footprint, 1e-9);
  EXPECT_NEAR(found.lookup_s, row.lookup, 1e-9);
  EXPECT_NEAR(found.mlp_s, row.mlp, 1e-9);
  EXPECT_NEAR(found.all_to_all_s, row.all_to_all, 1e-9);
  EXPECT_NEAR(found.all_reduce_s, row.all_reduce, 1e-9);
  EXPECT_NEAR(found.time_s(), row.lookup + row.mlp + row.all_to_all + row.all_reduce, 1e-9);
}

// Looked up: 3 · 16 · 3 / n · 5 rows of 8 bytes; pooled: 2 · 16 / n · 3 · 8 bytes; gradients: 4 · 82 bytes.
INSTANTIATE_TEST_SUITE_P(
    Sizes, CometDlrmTime,
    testing::Values(DlrmRow{1, 360 + 1312, 57.6, 3 * 16 * 138 / 50.0, 0, 0},
                    DlrmRow{2, 180 + 1312, 28.8, 3 * 8 * 138 / 50.0, 384 / 2.0 / 10, 328 / 10.0},
                    DlrmRow{4, 90 + 1312, 14.4, 3 * 4 * 138 / 50.0, 192 * 0.75 / 10, 2 * 328 * 0.75 / 10},
                    // Two nodes: three of eight partners are in the node, four are not.
                    DlrmRow{8, 45 + 1312, 7.2, 3 * 2 * 138 / 50.0, 96 / 2.0, 2 * 328 / 4.0 / 2}));

TEST(CometDlrm, ThePerceptronsMoveTheirWeightsAtLeast) {
  ClusterSpec spec = small_dlrm();
  spec.local_bandwidth = 100;
  EXPECT_NEAR(estimate_dlrm(spec, 8).mlp_s, 3 * 4 * 82 / 100.0, 1e-9);
  spec.local_capacity = 1000;
  EXPECT_NEAR(estimate_dlrm(spec, 8).missing, 357, 1e-9);
  spec.expanded_capacity = 357;
  EXPECT_TRUE(estimate_dlrm(spec, 8).fits());
}

}  // namespace
}  // namespace wafertlm::comet
