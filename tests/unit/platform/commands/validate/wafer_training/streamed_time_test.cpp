// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/streamed_time.h"

#include <gtest/gtest.h>

#include <string>

#include "workloads/training/strategy.h"

namespace wafertlm::validate::wafers {
namespace {

StreamedStep small_step(std::uint32_t wafers, std::uint64_t samples_of_wafer) {
  StreamedStep step;
  step.platform = "wse3";
  step.model = streamed_shape("layers 8, hidden 2048, heads 16, vocab 32000");
  step.sequence = 2048;
  step.wafers = wafers;
  step.samples = wafers * samples_of_wafer;
  return step;
}

TEST(StreamedTime, IsNoLessThanComputationAndThanTheStreams) {
  for (const std::uint64_t samples : {1u, 16u, 64u}) {
    const config::ExperimentSpec experiment = experiment_of(small_step(1, samples));
    const StreamedTime time = simulated_time(experiment);
    EXPECT_GE(time.seconds, closed_form_time(experiment)) << samples;
    EXPECT_LE(time.seconds, 3 * closed_form_time(experiment)) << samples;
  }
}

TEST(StreamedTime, PartsTellWhatTheWholeStepTakes) {
  StreamedStep step = small_step(1, 48);
  step.changes = {"npu.hbm.capacity=200 MB"};  // several microbatches
  const config::ExperimentSpec experiment = experiment_of(step);
  ASSERT_GT(experiment.workload.training.strategy.microbatches, 2u);
  const training::Strategy& strategy = experiment.workload.training.strategy;
  const double whole =
      simulated_part(experiment, strategy.chunks_per_stage, strategy.weight_loads_per_pass).seconds;
  EXPECT_NEAR(simulated_time(experiment).seconds / whole, 1, 0.01);
}

// Streams are those of one wafer, whatever their number; the tree adds latency. The vendor says 15.3: what it
// loses to stragglers, hosts and the network behind the ports is not in the model.
TEST(StreamedTime, SixteenWafersAreAboutSixteenTimesAsFastAsOne) {
  const double one = simulated_time(experiment_of(small_step(1, 16))).seconds;
  const double sixteen = simulated_time(experiment_of(small_step(16, 16))).seconds;
  const double speed_up = 16 * one / sixteen;
  EXPECT_LT(speed_up, 16);
  EXPECT_GT(speed_up, 15.3);
  EXPECT_EQ(tree_levels(1), 0u);
  EXPECT_EQ(tree_levels(4), 1u);
  EXPECT_EQ(tree_levels(16), 2u);
  EXPECT_EQ(tree_levels(17), 3u);
}

TEST(StreamedTime, WhatDoesNotFitIsSaidWithHowMuchIsMissing) {
  StreamedStep step = small_step(1, 4);
  step.changes = {"npu.hbm.capacity=1 MB"};
  try {
    experiment_of(step);
    FAIL();
  } catch (const CannotSay& reason) {
    EXPECT_NE(std::string(reason.what()).find("more than its 1.000 MB"), std::string::npos) << reason.what();
  }
}

TEST(StreamedTime, LayersThatDoNotFitTwiceComeInParts) {
  StreamedStep step = small_step(1, 4);
  const auto chunks = [&] { return experiment_of(step).workload.training.strategy.chunks_per_stage; };
  EXPECT_EQ(chunks(), 8u);
  step.model.hidden = 8192;
  step.model.mlp_hidden = 32768;
  EXPECT_GT(chunks(), 8u);
}

}  // namespace
}  // namespace wafertlm::validate::wafers
