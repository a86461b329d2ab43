// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/iteration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/commands/validate/training/calibration.h"
#include "platform/commands/validate/training/units.h"

namespace wafertlm::validate::steps {
namespace {

/// A decoder whose stages are alike, and no time but for products and attention.
JobSetup pipeline(std::uint64_t stages, std::uint64_t chunks, std::uint64_t microbatches) {
  JobSetup setup;
  setup.chip = {"chip", false, 1e15, 2e15, 1e30, 1e12, 1e30, 8, 1e30, 0.5, 0.5, 1, 1};
  setup.framework = {"", "", kNothing, TensorOverlap::none, false, 4, true, false, false, false};
  setup.model = shape_of("layers 64, hidden 1024, heads 8, vocab 1000");
  setup.model.vocabulary = 0;
  setup.sequence = 2048;
  setup.ranks = setup.pipeline = stages;
  setup.chunks = chunks;
  setup.microbatches = microbatches;
  setup.samples = static_cast<double>(microbatches);
  return setup;
}

TEST(TrainingIteration, TheBubbleOfInterleavedChunksIsThatOfNarayanan) {
  for (const std::uint64_t chunks : {1u, 2u, 4u})
    for (const std::uint64_t microbatches : {8u, 32u}) {
      const Iteration iteration = iteration_of(pipeline(8, chunks, microbatches), 0.5);
      const double bubble = 7. / static_cast<double>(chunks * microbatches);
      EXPECT_NEAR(iteration.time / iteration.busiest - 1, bubble, 1e-9) << chunks << " " << microbatches;
    }
}

TEST(TrainingIteration, MicrobatchesThatAreNoMultipleOfTheStagesLieOnTheLine) {
  const double low = iteration_of(pipeline(4, 2, 8), 0.5).time,
               high = iteration_of(pipeline(4, 2, 12), 0.5).time;
  EXPECT_NEAR(iteration_of(pipeline(4, 2, 10), 0.5).time, (low + high) / 2, 1e-9 * high);
}

TEST(TrainingIteration, ProductsTakeTheirOperationsAtTheSustainedRate) {
  JobSetup setup = pipeline(1, 1, 1);
  setup.chip.attention_forward = 1e9;
  const double seconds = LayerTime(setup, 0.5).plain().forward;
  const double operations = 2 * 2048 * (setup.model.attention_parameters() + setup.model.mlp_parameters());
  EXPECT_NEAR(seconds, operations / 0.5e15, 0.01 * seconds);
}

TEST(TrainingIteration, ARingPassesKeysAndValuesOfItsShare) {
  JobSetup setup = pipeline(1, 1, 1);
  setup.context = 4;
  setup.chip.scale_up = 1e11;
  // 2 (S/P) n_kv d b bytes a step
  EXPECT_DOUBLE_EQ(ring_block_time(setup), 2 * (2048. / 4) * 8 * 128 * 2 / 1e11);
}

TEST(TrainingIteration, InContiguousOrderTheLastRankOfARingHasAlmostTwiceTheCausalWork) {
  JobSetup setup = pipeline(1, 1, 1);
  setup.model.hidden = 1;  // attention only
  setup.context = 8;
  const double even = LayerTime(setup, 0.5).attention().forward;
  setup.is_balanced = false;
  EXPECT_NEAR(LayerTime(setup, 0.5).attention().forward / even, 15. / 8, 0.01);
}

TEST(TrainingIteration, ExpertsInOneDomainDoNotUseTheNetwork) {
  JobSetup setup = pipeline(1, 1, 1);
  setup.model.experts = {64, 8, 512};
  setup.expert = 8;
  setup.chip.scale_up = 1e11;
  setup.chip.scale_out = 1e9;
  const double inside = exchange_time(setup);
  EXPECT_DOUBLE_EQ(inside, 2048. * 8 * 1024 * 2 * 7 / 8 / 1e11);
  setup.expert = 64;  // a copy to each of the other servers that one of the 8 experts is in
  EXPECT_NEAR(exchange_time(setup), 2048. * 7 * (1 - std::pow(7. / 8, 8)) * 1024 * 2 / 1e9, 1e-9);
}

TEST(TrainingIteration, GroupsWiderThanADomainShareItsNetworkInterfaces) {
  Chip chip = pipeline(1, 1, 1).chip;
  chip.scale_up = 400e9;
  chip.scale_out = 50e9;
  EXPECT_DOUBLE_EQ(group_rate(chip, 8, 1), 400e9);
  EXPECT_DOUBLE_EQ(group_rate(chip, 64, 1), 400e9);
  EXPECT_DOUBLE_EQ(group_rate(chip, 64, 4), 100e9);
  EXPECT_DOUBLE_EQ(group_rate(chip, 64, 8), 50e9);
}

TEST(TrainingIteration, GradientsOfTheLastMicrobatchHideBehindItsBackwardPass) {
  JobSetup setup = pipeline(1, 1, 4);
  setup.ranks = setup.data = 8;
  setup.chip.scale_up = 1e12;
  const Iteration fast = iteration_of(setup, 0.5);
  EXPECT_GT(fast.exposed_data, 0);
  EXPECT_LT(fast.exposed_data, 0.05 * fast.time);
  setup.chip.scale_up = 1e9;
  const Iteration slow = iteration_of(setup, 0.5);
  // Gathered in BF16, reduced in FP32: all of it but what a micro-batch hides.
  const double moved = 6 * setup.model.parameters() * 7 / 8 / 1e9;
  EXPECT_GT(slow.exposed_data, moved - fast.time);
  EXPECT_LT(slow.exposed_data, moved);
}

TEST(TrainingUnits, ModelFlopsOfAGptAreNarayanans) {
  JobSetup setup = pipeline(1, 1, 1);
  setup.model = shape_of("GPT 16B: heads 48, hidden 6144, layers 32, vocab 131072");
  setup.sequence = 4096;
  const double l = 32, h = 6144, s = 4096, v = 131072;
  EXPECT_NEAR(model_flops_per_token(setup), 72 * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)), 1e3);
}

TEST(TrainingUnits, AStepsTimeIsSaidInEveryUnit) {
  JobSetup setup = pipeline(1, 1, 16);
  setup.ranks = 4;
  const double tokens = 16 * 2048;
  EXPECT_DOUBLE_EQ(in_unit(Unit::rank_tokens, setup, 2), tokens / 8);
  EXPECT_DOUBLE_EQ(in_unit(Unit::samples, setup, 2), 8);
  EXPECT_DOUBLE_EQ(in_unit(Unit::milliseconds, setup, 2), 2000);
  EXPECT_DOUBLE_EQ(in_unit(Unit::mfu, setup, 2), 100 * model_flops_per_token(setup) * tokens / 8 / 1e15);
  EXPECT_DOUBLE_EQ(in_unit(Unit::flops, setup, 2), model_flops_per_token(setup) * tokens / 8 / 1e12);
}

TEST(TrainingCalibration, TheCalibratingRowComesOutAsMeasured) {
  ValidationRow row;
  row.id = "r1";
  row.system = "MLPerf v5.0 H100";
  row.ranks = "2432";
  row.size = "Llama-3.1-405B, FP8, seq 8192, GBS 1216, tp8 pp8 cp2, grad. accumulation 64, micro-batch 1";
  row.unit = "s";
  row.value = 12.7;
  const JobSetup setup = setup_of(row);
  const double sustained = sustained_by(row, setup);
  EXPECT_NEAR(iteration_of(setup, sustained).time, 12.7, 1e-6);
  EXPECT_LT(sustained, 1);
  row.value = 1e-3;
  EXPECT_THROW(sustained_by(row, setup), CannotSay);
}

TEST(TrainingCalibration, ARowOfTheMachineFrameworkAndPrecisionCalibratesElseTheNearest) {
  ValidationRow row;
  row.system = "H100 Megatron-LM";
  row.ranks = "96";
  row.size =
      "GPT 8B: heads 32, hidden 4096, layers 40, vocab 131072, seq 4096, batch 192, tp2 pp1 dp48, BF16";
  const Calibration own = calibration_of(setup_of(row));
  EXPECT_TRUE(own.other.empty());
  EXPECT_FALSE(own.row.empty());
  row.system = "B200 Megatron-LM";
  EXPECT_NE(calibration_of(setup_of(row)).other, "");
}

}  // namespace
}  // namespace wafertlm::validate::steps
