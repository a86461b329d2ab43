// SPDX-License-Identifier: Apache-2.0
// Golden numbers: computed independently (../shared/reference/codesign.md, section 2).
#include <gtest/gtest.h>

#include <cmath>

#include "platform/commands/comet/cluster.h"
#include "tests/support/tool.h"

namespace wafertlm::comet {
namespace {

const std::uint64_t kParameters = Transformer{}.parameters();

double rounded_gb(double bytes) { return std::round(bytes / 1e7) / 100; }

TEST(Comet, CountsTheParametersOfTransformer1T) { EXPECT_EQ(kParameters, 1'008'038'707'200U); }

TEST(Comet, FootprintsOfZeroStages) {
  const double large_mp[] = {252.01, 74.82, 45.28, 15.75}, small_mp[] = {2016.08, 515.83, 265.79, 15.75};
  for (int stage = 0; stage <= 3; ++stage) {
    EXPECT_DOUBLE_EQ(rounded_gb(footprint(kParameters, 64, 16, stage).all), large_mp[stage]) << stage;
    EXPECT_DOUBLE_EQ(rounded_gb(footprint(kParameters, 8, 128, stage).all), small_mp[stage]) << stage;
    EXPECT_DOUBLE_EQ(footprint(kParameters, 64, 16, stage).optimizer,
                     12.0 * static_cast<double>(kParameters) / 64 / (stage >= 1 ? 16 : 1));
  }
}

TEST(Comet, BytesOfAProductWithABuffer) {
  const Gemm gemm{"", 2048, 25'600, 12'800, 1};
  EXPECT_EQ(gemm_bytes(gemm, 40'000'000), 2'123'366'400.0);
  EXPECT_NEAR(gemm.operations(), 1.342e12, 0.5e9);
  EXPECT_NEAR(gemm.operations() / gemm_bytes(gemm, 40'000'000), 632, 0.5);
  EXPECT_NEAR(gemm_bytes(gemm, 40'000'000) / 2039e9, 1.041e-3, 0.5e-6);
  EXPECT_NEAR(gemm.operations() / 312e12, 4.302e-3, 0.5e-6);
}

TEST(Comet, AProductMovesEachOperandOnceAtLeast) {
  for (std::uint64_t buffer : {1ULL, 1000ULL, 1ULL << 20, 1ULL << 40}) {
    EXPECT_GE(gemm_bytes(1000, 5000, 300, buffer), 6300U);
    EXPECT_EQ(gemm_bytes(1000, 5000, 300, buffer), gemm_bytes(5000, 1000, 300, buffer));
  }
  EXPECT_EQ(gemm_bytes(1000, 5000, 300, 5000), 6300U);
  EXPECT_EQ(gemm_bytes(1000, 5000, 300, 500), 2 * 5000U + 1000 + 300);
}

TEST(Comet, OperationsOfALayer) {
  for (const std::uint32_t mp : {1U, 8U, 32U}) {
    const Transformer model;
    const double t = 3.0 * 2048, h = 25'600, s = 2048;
    double sum = 0;
    for (const Gemm& each : layer_gemms(model, 3, mp)) sum += each.operations();
    EXPECT_NEAR(sum, (24 * t * h * h + 4 * 3 * s * s * h) / mp, 1e-9 * sum) << mp;
  }
}

TEST(Comet, EffectiveBandwidthOfExpandedMemory) {
  const double bytes = footprint(kParameters, 8, 128, 2).all;
  EXPECT_NEAR(effective_bandwidth(bytes, 80e9, 2039e9, 500e9, Streams::serial) / 1e9, 647.0, 0.05);
  EXPECT_NEAR(effective_bandwidth(bytes, 80e9, 2039e9, 500e9, Streams::parallel) / 1e9, 715.3, 0.05);
  EXPECT_EQ(effective_bandwidth(80e9, 80e9, 2039e9, 500e9, Streams::serial), 2039e9);
}

ClusterSpec transformer_1t() {
  ClusterSpec spec;
  spec.expanded_capacity = 480e9;
  return spec;
}

TEST(Comet, TheShapesOfThePaperAppear) {
  const ClusterSpec expanded = transformer_1t();
  ClusterSpec local = expanded;
  local.expanded_capacity = 0;
  // Best without expansion, and MP8 does not fit.
  EXPECT_EQ(best_point(local, 2).mp, 64U);
  EXPECT_GT(estimate(local, {8, 128, 2}).missing, 180e9);
  // Large MP waits for activations, small MP for gradients.
  EXPECT_GT(estimate(expanded, {128, 8, 2}).mp_s, 4 * estimate(expanded, {16, 64, 2}).mp_s);
  EXPECT_GT(estimate(expanded, {4, 256, 2}).dp_s, 4 * estimate(expanded, {64, 16, 2}).dp_s);
  // With expanded memory MP8 wins from a bandwidth on, and not below.
  const double limit = estimate(local, {64, 16, 2}).time_s();
  const double even = break_even_bandwidth(expanded, {8, 128, 2}, limit, 1e9, 1e14);
  ClusterSpec near = expanded;
  near.expanded_bandwidth = even * 1.001;
  EXPECT_LT(estimate(near, {8, 128, 2}).time_s(), limit);
  near.expanded_bandwidth = even * 0.999;
  EXPECT_GT(estimate(near, {8, 128, 2}).time_s(), limit);
  // Twice the peak gains nothing where memory limits.
  const auto gain = [&](double bandwidth) {
    ClusterSpec each = expanded;
    each.expanded_bandwidth = bandwidth;
    const double once = estimate(each, {8, 128, 2}).time_s();
    each.peak *= 2;
    return once / estimate(each, {8, 128, 2}).time_s();
  };
  EXPECT_LT(gain(100e9), 1.001);
  EXPECT_GT(gain(2000e9), 1.5);
}

// What COMET publishes holds for ZeRO-2: ZeRO-3 fits as it is, and the fastest of all stages gains little.
TEST(Comet, ExpandedMemoryGainsByZeroStage) {
  const ClusterSpec expanded = transformer_1t();
  ClusterSpec local = expanded;
  local.expanded_capacity = 0;
  const auto gain = [&](std::optional<int> stage) {
    return estimate(local, best_point(local, stage)).time_s() /
           estimate(expanded, best_point(expanded, stage)).time_s();
  };
  EXPECT_EQ(best_point(local, 0).mp, 0U);
  EXPECT_GT(gain(1), 1.5);
  EXPECT_NEAR(gain(2), 1.17, 0.01);
  EXPECT_EQ(gain(3), 1);
  EXPECT_NEAR(gain({}), 1.03, 0.01);
  EXPECT_EQ(best_point(local, {}).zero_stage, 3);
}

TEST(Comet, TheCommandPrintsTheStudy) {
  const std::string file = std::string(WAFERTLM_SOURCE_DIR) + "/configs/studies/comet_transformer_1t.yaml";
  const test::ToolResult result = test::run_tool("comet " + file);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("What expanded memory gains"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::comet
