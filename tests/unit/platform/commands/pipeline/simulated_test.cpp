// SPDX-License-Identifier: Apache-2.0
// Schedules measured by simulating them on a mesh.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "platform/commands/pipeline/exact.h"
#include "platform/commands/pipeline/search.h"
#include "platform/commands/pipeline/simulated.h"
#include "platform/spec/load.h"
#include "tests/support/random_cases.h"

namespace wafertlm::pipelines {
namespace {

constexpr double kLink = 750e9;  // of the platform

/// A row of five NPUs: what takes the time of a small simulation is to build the wafer.
config::PlatformSpec platform(const std::string& link = "750GB/s") {
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
                               {"wafer.height=1", "wafer.fabric.packet_bytes=256KiB", "run.acceleration=off",
                                "wafer.fabric.link_bandwidth=" + link});
}

/// Layers of so many microseconds on a place of speed 1, each with this output.
Problem chain(const std::vector<double>& us, double output_bytes, const std::vector<double>& speeds) {
  Problem problem;
  for (const double each : us) problem.layers.push_back({"layer", each * 1e-6, 0, output_bytes});
  for (const double each : speeds) problem.places.push_back({"place", each, 0, kLink});
  return problem;
}

Placement npus(const std::vector<std::uint32_t>& numbers) {
  Placement placement;
  for (const std::uint32_t each : numbers) placement.push_back(static_cast<NpuId>(each));
  return placement;
}

TEST(SimulatedPipeline, WithoutContentionIsTheFormula) {
  const config::PlatformSpec spec = platform();
  const double megabyte = 1 << 20;
  const Problem problem = chain({3, 5, 4}, megabyte, {1, 2, 1});
  SimulatedPipeline simulated(spec, problem, npus({0, 1, 2}));
  const Schedule schedule{{1, 0}, {2, 1}, {3, 2}};
  const Measured measured = simulated.measure(schedule);
  const std::vector<double> formula = StageTimes(problem).of(schedule);
  EXPECT_DOUBLE_EQ(formula[0], 3e-6 + megabyte / kLink);
  ASSERT_EQ(measured.stages.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(measured.stages[i], formula[i] * (1 - 1e-9)) << i;
    EXPECT_LE(measured.stages[i], formula[i] + 0.5e-6) << i;  // a latency, and packets that are stored
  }
  EXPECT_NEAR(measured.period, *std::max_element(measured.stages.begin(), measured.stages.end()), 1e-9);
}

TEST(SimulatedPipeline, MemoryAndComputeRule) {
  const config::PlatformSpec spec = platform();
  Problem problem = chain({3, 5}, 0, {1, 1});
  problem.layers[0].bytes = 40;
  problem.places[0].bandwidth = 10e6;
  SimulatedPipeline simulated(spec, problem, npus({3, 4}));
  EXPECT_NEAR(simulated.measure({{2, 1}}).period, 8e-6, 1e-12);
  const Measured measured = simulated.measure({{1, 0}, {2, 1}});
  EXPECT_NEAR(measured.stages[0], 4e-6, 0.1e-6);
  EXPECT_NEAR(measured.period, 5e-6, 1e-9);
}

/// Stages on NPUs 0, 2, 1, 3 of a row: the ways 0 → 2 and 1 → 3 share the link from 1 to 2.
TEST(SimulatedPipeline, TransfersShareLinks) {
  const config::PlatformSpec spec = platform();
  const Problem problem = chain({1, 1, 1, 1}, 1 << 22, {1, 1, 1, 1});
  const Schedule schedule{{1, 0}, {2, 1}, {3, 2}, {4, 3}};
  SimulatedPipeline in_a_row(spec, problem, npus({0, 1, 2, 3})), crossed(spec, problem, npus({0, 2, 1, 3}));
  const double alone = in_a_row.measure(schedule).period, shared = crossed.measure(schedule).period;
  const double transfer = (1 << 22) / kLink;
  EXPECT_NEAR(alone, 1e-6 + transfer, 0.05 * transfer);
  EXPECT_GT(shared, 1.3 * alone);
  EXPECT_LT(shared, 1e-6 + 2.1 * transfer);
}

TEST(SimulatedPipeline, RemembersSchedulesAndCountsEvaluations) {
  const config::PlatformSpec spec = platform();
  Problem problem = chain({3, 5}, 1000, {1, 1});
  SimulatedPipeline simulated(spec, problem, npus({0, 1}));
  problem.measure = [&](const Schedule& schedule) { return simulated.measure(schedule); };
  Evaluator evaluator(problem);
  const Measured first = evaluator.measure({{1, 0}, {2, 1}}), second = evaluator.measure({{1, 0}, {2, 1}});
  EXPECT_EQ(first.period, second.period);
  EXPECT_EQ(evaluator.count(), 2U);
  EXPECT_EQ(simulated.simulations(), 1U);
}

TEST(SimulatedPipeline, TransferRateIsThatOfALink) {
  EXPECT_NEAR(transfer_rate(platform(), NpuId{0}, NpuId{1}), kLink, 1e-3 * kLink);
  EXPECT_NEAR(transfer_rate(platform("100GB/s"), NpuId{0}, NpuId{3}), 100e9, 1e8);
}

/// With memory in every other case; places in any order, so that transfers share links.
TEST(SimulatedPipeline, LocalSearchClosesTheGapOfShisha) {
  const config::PlatformSpec spec = platform();
  std::mt19937_64 random(11);
  const auto up_to = [&](std::size_t most) { return 1.0 + static_cast<double>(random() % most); };
  const int cases = test::random_cases(200, 4);
  int near = 0, shisha_near = 0;
  for (int i = 0; i < cases; ++i) {
    Problem problem;
    const bool has_memory = random() % 2 == 0;
    const std::size_t layers = 8 + random() % 25, places = 2 + random() % 4;
    for (std::size_t k = 0; k < layers; ++k)
      problem.layers.push_back(
          {"layer", 1e-6 * up_to(100), has_memory ? 1e-6 * up_to(100) : 0, 100e3 * up_to(20)});
    std::vector<std::uint32_t> at{0, 1, 2, 3, 4};
    for (std::size_t k = at.size(); k > 1; --k) std::swap(at[k - 1], at[random() % k]);
    at.resize(places);
    for (std::size_t k = 0; k < places; ++k)
      problem.places.push_back({"place", up_to(4), has_memory ? up_to(4) : 0, kLink});
    const double bound = dynamic_programming(problem).time;  // no contention, no latency
    SimulatedPipeline simulated(spec, problem, npus(at));
    problem.measure = [&](const Schedule& schedule) { return simulated.measure(schedule); };
    const Found coarse = shisha(problem), fine = local_search(problem);
    EXPECT_LE(fine.evaluations, 3 * coarse.evaluations) << i;
    EXPECT_GE(fine.time, bound * (1 - 1e-3)) << i;  // a mean of six inputs
    EXPECT_EQ(simulated.measure(fine.schedule).period, fine.time) << i;
    if (fine.time <= 1.02 * bound) ++near;
    if (coarse.time <= 1.02 * bound) ++shisha_near;
  }
  RecordProperty("near", near);
  RecordProperty("shisha_near", shisha_near);
  EXPECT_GE(near, cases * 95 / 100) << "Shisha: " << shisha_near;
}

/// ResNet-50: forward times in ns of its 54 layers as LIBRA's repository has them, activations of an image.
TEST(SimulatedPipeline, ResNet50NeedsFarFewerEvaluationsThanAnnealing) {
  const std::vector<double> ns = {13003, 3456,  3456, 10944, 3456,  3648, 10944, 3456,  3648,  10944, 3456,
                                  2592,  3648,  6480, 2336,  2592,  6480, 2336,  2592,  6480,  2336,  2592,
                                  6480,  3146,  5664, 3539,  6372,  2832, 3539,  6372,  2832,  3539,  6372,
                                  2832,  3539,  6372, 2832,  3539,  6372, 2832,  3539,  6372,  12583, 17952,
                                  14156, 20196, 8976, 14156, 20196, 8976, 14156, 20196, 12288, 16416};
  Problem problem;
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const double side = i < 11 ? 56 : i < 23 ? 28 : i < 43 ? 14 : 7, channels = 256 * 56 / side;
    problem.layers.push_back({"layer", 1e-9 * ns[i], 0, 2 * side * side * channels});
  }
  for (const double speed : {2, 2, 1, 1}) problem.places.push_back({"place", speed, 0, kLink});
  const double bound = dynamic_programming(problem).time;
  const config::PlatformSpec spec = platform();
  SimulatedPipeline simulated(spec, problem, npus({0, 2, 1, 3}));
  problem.measure = [&](const Schedule& schedule) { return simulated.measure(schedule); };
  const Found found = shisha(problem), fine = local_search(problem);
  std::vector<std::size_t> annealed;
  const std::size_t seeds = static_cast<std::size_t>(test::random_cases(5, 1));
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    annealed.push_back(annealing(problem, seed, found.time, 100'000).evaluations);
  std::sort(annealed.begin(), annealed.end());
  RecordProperty("shisha", static_cast<int>(found.evaluations));
  RecordProperty("annealing", static_cast<int>(annealed[seeds / 2]));
  EXPECT_GE(annealed[seeds / 2], 15 * found.evaluations);
  EXPECT_GT(found.time, 1.02 * bound);
  EXPECT_LE(fine.time, 1.02 * bound);
  EXPECT_LE(fine.evaluations, 3 * found.evaluations);
}

}  // namespace
}  // namespace wafertlm::pipelines
