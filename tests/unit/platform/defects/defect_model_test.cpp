// SPDX-License-Identifier: Apache-2.0
#include "platform/defects/defect_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "platform/commands/yield/yield_study.h"
#include "platform/defects/sampled_wafer.h"

namespace wafertlm::wafer_yield {
namespace {

YieldSpec grid(std::uint32_t columns, std::uint32_t rows) {
  YieldSpec spec;
  spec.columns = columns;
  spec.rows = rows;
  spec.npu = {2, 0.05};
  spec.wafers = 20'000;
  return spec;
}

TEST(DefectModel, YieldsByHand) {
  YieldSpec spec = grid(1, 1);
  EXPECT_DOUBLE_EQ(spec.npu.defects(), 0.1);
  EXPECT_DOUBLE_EQ(yield_of(spec, 0.1), std::exp(-0.1));
  EXPECT_DOUBLE_EQ(variance_of(spec, 3), 3);
  spec.law = Law::negative_binomial;
  spec.alpha = 2;
  EXPECT_NEAR(yield_of(spec, 2), 0.25, 1e-15);  // (1 + 1)^-2
  EXPECT_DOUBLE_EQ(variance_of(spec, 4), 12);   // 4 + 16/2
  spec.alpha = 1e9;                             // no clusters are Poisson
  EXPECT_NEAR(yield_of(spec, 2), std::exp(-2), 1e-8);
}

TEST(DefectModel, PartsOfAGridAndTheirRegions) {
  YieldSpec spec = grid(3, 2);
  spec.router = {1, 0.1};
  spec.link = {1, 0.01};
  spec.law = Law::negative_binomial;
  spec.cluster_columns = 2;
  const std::vector<Region> regions = regions_of(spec);
  ASSERT_EQ(regions.size(), 2U);  // columns 0 and 1, and column 2
  std::map<PartKind, int> count;
  double defects = 0;
  for (const Region& region : regions) {
    double sum = 0;
    for (const Part& part : region.parts) {
      ++count[part.kind];
      sum += part.defects;
      EXPECT_EQ(part.cell % 3 == 2, &region == &regions[1]);
    }
    EXPECT_NEAR(region.defects, sum, 1e-12);
    defects += sum;
  }
  EXPECT_EQ(count[PartKind::npu], 6);
  EXPECT_EQ(count[PartKind::link], 7);  // 2 x 2 in rows, 3 in columns
  EXPECT_NEAR(defects, 6 * 0.2 + 7 * 0.01, 1e-12);
}

TEST(DefectModel, TheEdgeHasItsOwnDensity) {
  YieldSpec spec = grid(3, 1);
  spec.cell_width_mm = 100;
  EXPECT_DOUBLE_EQ(distance_to_edge_mm(spec, 0), 50);
  EXPECT_DOUBLE_EQ(distance_to_edge_mm(spec, 1), 150);
  spec.edge_mm = 50.5;
  spec.edge_factor = 3;
  EXPECT_NEAR(regions_of(spec)[0].defects, 0.1 * (3 + 1 + 3), 1e-12);
  spec.edge_factor = 0;
  EXPECT_NEAR(regions_of(spec)[0].defects, 0.1, 1e-12);
}

TEST(DefectModel, FormulasAreWithinThreeSigmaOfDrawnWafers) {
  int rows = 0;
  for (const std::uint32_t cluster : {0U, 1U, 2U, 3U})
    for (const double alpha : {0.5, 2.0, 0.0}) {
      YieldSpec spec = grid(6, 4);
      spec.router = {1, 0.01};
      spec.link = {1, 0.005};
      spec.edge_mm = 148;
      spec.edge_factor = 2;
      spec.spares = {1, 1, 3, 0.1};
      spec.law = alpha == 0 ? Law::poisson : Law::negative_binomial;
      spec.alpha = alpha;
      spec.cluster_columns = spec.cluster_rows = cluster;
      spec.seed = 7 + cluster;
      const YieldStudy study = yield_study(spec, Sampler(spec));
      for (const ComparedRow& row : study.compared) {
        EXPECT_LT(row.sigmas(), 3) << row.value << " cluster " << cluster << " alpha " << alpha;
        ++rows;
      }
      // It would see a model without clusters.
      const double variance = study.compared[1].drawn, error = study.compared[1].error;
      if (alpha == 0.5) {
        EXPECT_GT(variance - study.defects, (cluster == 1 ? 3 : 10) * error) << cluster;
      }
    }
  EXPECT_EQ(rows, 4 * (4 + 4 + 7));
}

TEST(DefectModel, AtMostSoManyFailures) {
  EXPECT_NEAR(at_most(0, {{3, 0.5}}), 0.125, 1e-12);
  EXPECT_NEAR(at_most(1, {{3, 0.5}}), 0.5, 1e-12);
  // One of 0.5 and one of 0.25: none 0.375, one 0.5.
  EXPECT_NEAR(at_most(1, {{1, 0.5}, {1, 0.25}}), 0.875, 1e-12);
  EXPECT_EQ(at_most(1, {{2, 1.0}}), 0);
  EXPECT_NEAR(at_most(2, {{2, 1.0}, {1, 0.5}}), 0.5, 1e-12);
  EXPECT_NEAR(at_most(5, {{3, 0.5}, {4, 0.0}}), 1, 1e-12);
}

TEST(DefectModel, WilsonsInterval) {
  const auto [low, high] = wilson_interval(8, 10);  // 0.490 to 0.943
  EXPECT_NEAR(low, 0.4902, 1e-4);
  EXPECT_NEAR(high, 0.9433, 1e-4);
  EXPECT_EQ(wilson_interval(0, 10).first, 0);
}

TEST(DefectModel, AWaferDependsOnSeedAndNumberAlone) {
  YieldSpec spec = grid(8, 8);
  spec.law = Law::negative_binomial;
  const Sampler sampler(spec);
  const std::string third = defect_map(sampler.wafer(3));
  sampler.wafer(4);
  EXPECT_EQ(defect_map(sampler.wafer(3)), third);
  EXPECT_NE(defect_map(sampler.wafer(4)), third);
  spec.seed = 2;
  EXPECT_NE(defect_map(Sampler(spec).wafer(3)), third);
}

TEST(DefectModel, NeighbouringWafersAreIndependent) {
  YieldSpec spec = grid(4, 4);
  const Sampler sampler(spec);
  double sum = 0;
  const int wafers = 20'000;
  for (std::uint64_t i = 0; i < wafers; ++i)
    sum += (static_cast<double>(sampler.wafer(i).defects) - 1.6) *
           (static_cast<double>(sampler.wafer(i + 1).defects) - 1.6);
  EXPECT_LT(std::abs(sum / wafers), 3 * 1.6 / std::sqrt(wafers));
}

}  // namespace
}  // namespace wafertlm::wafer_yield
