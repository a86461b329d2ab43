// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

ComputeParams params() {
  ComputeParams made;
  made.operations_per_s = 500'000'000'000'000;  // 1000 TFLOPS at 50 %
  made.memory_bytes_per_s = 3'000'000'000'000;
  return made;
}

TEST(ComputeEngine, RooflineIsTheSlowerOfComputeAndMemory) {
  ComputeEngine engine(params());
  EXPECT_EQ(engine.duration({1'000'000'000, 0, 0}), 2'000'000U);          // 10^9 / 5·10^14 s
  EXPECT_EQ(engine.duration({1'000'000'000, 3'000'000, 0}), 2'000'000U);  // memory: 1 µs
  EXPECT_EQ(engine.duration({1'000'000'000, 30'000'000, 0}), 10'000'000U);
  EXPECT_EQ(engine.duration({1, 0, 0}), 1U);  // rounded up
}

TEST(ComputeEngine, AComputationThatStartsWhileTheNpuIsSlowerTakesLonger) {
  ComputeParams slower = params();
  slower.speed_changes = {{500, 1000, 50}, {2000, kNever, 3}};
  ComputeEngine engine(slower);
  EXPECT_EQ(engine.duration({0, 0, 100}, 499), 100U);
  EXPECT_EQ(engine.duration({0, 0, 100}, 500), 200U);
  EXPECT_EQ(engine.duration({0, 0, 101}, 999), 202U);
  EXPECT_EQ(engine.duration({0, 0, 100}, 1000), 100U);
  EXPECT_EQ(engine.duration({0, 0, 100}, 2000), 3334U);  // 3333⅓ rounded up
  EXPECT_EQ(engine.slowed()[0].computations, 2U);
  EXPECT_EQ(engine.slowed()[0].longer_ps, 201U);
  EXPECT_EQ(engine.slowed()[1].longer_ps, 3234U);
}

TEST(OperandBytes, AreBothFactorsOfEachProduct) {
  // (8 x 1024) · (1024 x 512), and 16 of (2 x 3) · (3 x 4)
  EXPECT_EQ(operand_bytes({{8, 512, 1024, 1}, {2, 4, 3, 16}}, 64),
            2 * (8 * 1024 + 1024 * 512 + 16 * (6 + 12)));
  EXPECT_EQ(operand_bytes({}, 64), 0U);
  const std::uint64_t large = std::uint64_t{1} << 31;
  EXPECT_EQ(operand_bytes({{large / 4, large / 4, large, 1}}, 64), std::uint64_t{1} << 62);
  EXPECT_THROW(operand_bytes({{large / 2, large / 2, large, 1}}, 128), std::invalid_argument);
  EXPECT_THROW(operand_bytes({{large << 32, large << 32, large << 32, large << 32}}, 256),
               std::invalid_argument);
}

TEST(ComputeEngine, TheTracesDurationCountsUnlessTheKeySaysRoofline) {
  ComputeEngine trace(params());
  EXPECT_EQ(trace.duration({1'000'000'000, 0, 77}), 77U);
  ComputeParams changed = params();
  changed.ignores_durations = true;
  ComputeEngine roofline(changed);
  EXPECT_EQ(roofline.duration({1'000'000'000, 0, 77}), 2'000'000U);
  EXPECT_EQ(roofline.duration({0, 0, 77}), 77U);  // nothing to compute it from
}

TEST(ComputeEngine, AStragglerIsSlowerByItsFactor) {
  ComputeParams changed = params();
  changed.slowdown_percent = 150;
  ComputeEngine engine(changed);
  EXPECT_EQ(engine.duration({0, 0, 1001}), 1502U);  // 1501.5 rounded up
}

TEST(ComputeEngine, ASlowNpuTakesLongerByItsSpeed) {
  ComputeParams changed = params();
  changed.speed_percent = 80;
  EXPECT_EQ(ComputeEngine(changed).duration({0, 0, 1001}), 1252U);  // 1251.25 rounded up
  changed.slowdown_percent = 150;
  EXPECT_EQ(ComputeEngine(changed).duration({0, 0, 1000}), 1875U);
}

TEST(ComputeEngine, OperationsWithoutARateAreRefused) {
  ComputeEngine engine(ComputeParams{});
  EXPECT_THROW(engine.duration({1, 0, 0}), std::invalid_argument);
  EXPECT_EQ(engine.duration({1, 0, 5}), 5U);
}

TEST(ComputeEngine, TheFirstModelThatCanTellCounts) {
  ComputeParams changed = params();
  changed.systolic = {{128, 128, Dataflow::output_stationary}, 1'000'000'000};
  const ComputeWork product{1'000'000'000, 0, 0, {{512, 512, 512, 1}}};  // 12256 cycles
  ComputeWork measured = product;
  measured.duration_ps = 77;
  ComputeEngine engine(changed);
  EXPECT_EQ(engine.duration(product), 12'256'000U);
  EXPECT_EQ(engine.duration(measured), 77U);
  EXPECT_EQ(engine.duration({1'000'000'000}), 2'000'000U);
  ASSERT_EQ(engine.uses().size(), 3U);
  const char* const order[] = {"duration", "systolic", "roofline"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_STREQ(engine.uses()[i].model->name(), order[i]);
    EXPECT_EQ(engine.uses()[i].operations, 1U);
  }
  EXPECT_EQ(engine.uses()[1].time_ps, 12'256'000U);
  changed.ignores_durations = true;
  EXPECT_EQ(ComputeEngine(changed).duration(measured), 12'256'000U);
}

TEST(ComputeEngine, ProductsAddUpAndMoveBytes) {
  ComputeParams changed = params();
  changed.systolic = {{128, 128, Dataflow::weight_stationary}, 700'000'000};
  ComputeEngine engine(changed);
  // 3 x 14304 + 16 x (2 x 128 + 128 + 64 - 2) cycles at 0.7 GHz, rounded up: (42912 + 7136) / 0.7 ns
  EXPECT_EQ(engine.duration({0, 0, 0, {{512, 512, 512, 3}, {64, 512, 512, 1}}}), 71'497'143U);
  EXPECT_EQ(engine.duration({0, 3'000'000'000, 0, {{512, 512, 512, 1}}}), 1'000'000'000U);  // the memory's
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_THROW(engine.duration({0, 0, 0, {{1, 1, 1, huge}}}), std::invalid_argument);
}

TEST(ComputeEngine, TheRooflineCountsTheOperationsOfProducts) {
  ComputeEngine engine(params());
  EXPECT_EQ(engine.duration({0, 0, 0, {{1000, 1000, 500, 1}}}), 2'000'000U);
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_THROW(engine.duration({0, 0, 0, {{huge, huge, huge, huge}}}), std::invalid_argument);
  // 2^62 operations take 9223.4 s; twice as many are too many to count.
  const std::uint64_t half = std::uint64_t{1} << 31;
  EXPECT_EQ(test::refusal_of([&] { engine.duration({0, 0, 0, {{half, half / 2, 1, 1}}}); }), "");
  EXPECT_EQ(test::refusal_of([&] {
              engine.duration({0, 0, 0, {{half, half, 1, 1}}});
            }),
            "matrix products take more operations than 63 bits can count");
}

// 2^63 ps are 106 days.
TEST(ComputeEngine, TimesThatDoNotFitAreRefused) {
  ComputeEngine engine(params());
  const std::string text = "an operation takes longer than simulated time can hold";
  const TimePs most = (TimePs{1} << 63) - 1;
  EXPECT_EQ(engine.duration({0, 0, most}), most);
  EXPECT_EQ(test::refusal_of([&] { engine.duration({0, 0, most + 1}); }), text);
  ComputeParams changed = params();
  changed.slowdown_percent = 101;
  EXPECT_EQ(test::refusal_of([&] { ComputeEngine(changed).duration({0, 0, most}); }), text);
}

// Whole microseconds, rounded up, and no less than a step.
TEST(ComputeEngine, ReplayedDurationsAreWholeMicroseconds) {
  EXPECT_EQ(ReplayedDuration::replayed_ps(0, 5), 5U);
  EXPECT_EQ(ReplayedDuration::replayed_ps(1, 5), 1'000'000U);
  EXPECT_EQ(ReplayedDuration::replayed_ps(1'000'000, 5), 1'000'000U);
  EXPECT_EQ(ReplayedDuration::replayed_ps(1'000'001, 5), 2'000'000U);
  EXPECT_EQ(ReplayedDuration::replayed_ps(1'000'000, 1'500'000), 1'500'000U);
}

// 2,000,000 ps in steps of 300,000.
TEST(ComputeEngine, TimesAreCutToSteps) {
  ComputeParams changed = params();
  changed.time_step_ps = 300'000;
  EXPECT_EQ(ComputeEngine(changed).duration({1'000'000'000, 0, 0}), 1'800'000U);
  changed.time_step_ps = 500'000;
  EXPECT_EQ(ComputeEngine(changed).duration({1'000'000'000, 0, 0}), 2'000'000U);
}

struct Moments {
  double mean, deviation, least, most;
};

Moments moments(Jitter kind, std::uint64_t seed) {
  constexpr int kDraws = 20'000;
  ComputeParams changed = params();
  changed.jitter = kind;
  changed.jitter_percent = 10;
  changed.seed = seed;
  ComputeEngine engine(changed);
  Moments result{0, 0, 2, 0};
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double factor = static_cast<double>(engine.duration({0, 0, 1'000'000'000})) / 1e9;
    result.mean += factor / kDraws;
    squares += factor * factor / kDraws;
    result.least = std::min(result.least, factor);
    result.most = std::max(result.most, factor);
  }
  result.deviation = std::sqrt(squares - result.mean * result.mean);
  return result;
}

TEST(ComputeEngine, JitterHasTheMeanAndSpreadThatItNames) {
  const Moments uniform = moments(Jitter::uniform, 3), normal = moments(Jitter::normal, 3);
  EXPECT_NEAR(uniform.mean, 1, 0.002);
  EXPECT_NEAR(uniform.deviation, 0.1 / std::sqrt(3.0), 0.001);
  EXPECT_GE(uniform.least, 0.9);
  EXPECT_LT(uniform.least, 0.901);
  EXPECT_LE(uniform.most, 1.1);
  EXPECT_GT(uniform.most, 1.099);
  EXPECT_NEAR(normal.mean, 1, 0.003);
  EXPECT_NEAR(normal.deviation, 0.1, 0.002);
}

TEST(ComputeEngine, JitterIsTheSameForTheSameSeed) {
  EXPECT_EQ(moments(Jitter::normal, 5).mean, moments(Jitter::normal, 5).mean);
  EXPECT_NE(moments(Jitter::normal, 5).mean, moments(Jitter::normal, 6).mean);
}

}  // namespace
}  // namespace wafertlm
