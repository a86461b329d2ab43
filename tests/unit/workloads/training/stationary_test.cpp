// SPDX-License-Identifier: Apache-2.0
// Activations that stay while weights pass: tokens over DP, the hidden dimension over MP.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"
#include "workloads/training/volumes.h"

namespace wafertlm::training {
namespace {

constexpr std::uint64_t kSamples = 10;

/// 2 microbatches of 5 samples on 4 x 3 ranks, a layer of 8 at a time.
Strategy stationary() {
  Strategy s = training::strategy(4, 3, 1);
  s.minibatch = kSamples;
  s.microbatches = s.weight_loads_per_pass = 2;
  s.schedule = Schedule::resident_loop;
  s.chunks_per_stage = 8;
  s.weights = Weights::streamed;
  s.weight_delivery = WeightDelivery::needed;
  s.activations = Activations::stationary;
  s.uneven = Uneven::fractional;
  return s;
}

std::shared_ptr<const Plan> stationary_plan(const Strategy& strategy) {
  return std::make_shared<const Plan>(model::transformer(small_transformer()), strategy);
}

Volumes volumes_of_rank(const std::shared_ptr<const Plan>& plan, std::uint32_t rank) {
  TrainingGenerator generator(plan, rank);
  return volumes_of(generator, rank, chakra::CommGroups::from_map(plan->groups(), plan->ranks()));
}

TEST(StationaryActivations, WeightsComeInOncePerDirectionAndMicrobatchAndGradientsLeave) {
  const auto plan = stationary_plan(stationary());
  std::uint64_t in = 0, out = 0;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank) {
    const Volumes volumes = volumes_of_rank(plan, rank);
    in += volumes.classes.at("weights").io_in_bytes;
    out += volumes.classes.at("weights").io_out_bytes;
  }
  const std::uint64_t weights = 2 * model::parameters(plan->model());
  EXPECT_EQ(in, 2 * 2 * weights);
  EXPECT_EQ(out, 2 * weights);
}

TEST(StationaryActivations, ARankComputesAnEqualPartOfAllOperations) {
  const auto plan = stationary_plan(stationary());
  const std::uint64_t all = kSamples * model::step_operations(plan->model(), model::Recompute::none);
  for (const std::uint32_t rank : {0U, 11U})
    EXPECT_NEAR(static_cast<double>(volumes_of_rank(plan, rank).operations), static_cast<double>(all) / 12,
                1e-5 * static_cast<double>(all));
}

// Every product's result is a sum over MP; going back its gradient is gathered, for both products with it.
TEST(StationaryActivations, ResultsOfProductsAreScatteredAndTheirGradientsGathered) {
  const auto plan = stationary_plan(stationary());
  constexpr std::uint64_t kHidden = 256, kTokens = 128 * kSamples;
  const double results = kTokens / 3. * (8 * (3 + 1 + 4 + 1) * kHidden + 1024);  // of a row of 4 ranks
  // Sums of 4 bytes, gradients of 2.
  EXPECT_NEAR(static_cast<double>(volumes_of_rank(plan, 5).classes.at("mp").sent_bytes),
              0.75 * (4 + 2) * results, 1e-3 * results);
}

TEST(StationaryActivations, ADieKeepsItsPartOfThem) {
  Strategy s = stationary();
  s.recompute = model::Recompute::full;
  s.microbatches = s.weight_loads_per_pass = 10;
  const std::uint64_t few = memory_need(*stationary_plan(s), 0).activations;
  s.microbatches = s.weight_loads_per_pass = 1;
  const std::uint64_t all = memory_need(*stationary_plan(s), 0).activations;
  EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(few), 10, 0.01);
  s.degrees.mp = 8;
  EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(memory_need(*stationary_plan(s), 0).activations),
              2, 0.01);
}

TEST(StationaryActivations, WhatTheyDoNotGoWithIsRefused) {
  const std::function<void(Strategy&)> wrong[] = {
      [](Strategy& s) {
        s.degrees = {1, 12, 1};
      },
      [](Strategy& s) {
        s.degrees = {4, 3, 2};
      },
      [](Strategy& s) { s.sequence_parallel = true; },
      [](Strategy& s) { s.split_vocabulary = true; },
      [](Strategy& s) { s.tensor_parallelism = TensorParallelism::two_way_stream; },
      [](Strategy& s) { s.weights = Weights::stationary; }};
  for (const auto& change : wrong) {
    Strategy s = stationary();
    change(s);
    EXPECT_THROW(stationary_plan(s), PlanError);
  }
}

TEST(StationaryActivations, AMicrobatchThatIsNoWholeNumberOfSamplesIsRefused) {
  Strategy s = stationary();
  s.microbatches = s.weight_loads_per_pass = 4;
  EXPECT_THROW(stationary_plan(s), PlanError);
  s = stationary();
  s.uneven = Uneven::error;  // 10 samples for 3 ranks
  EXPECT_THROW(stationary_plan(s), PlanError);
}

}  // namespace
}  // namespace wafertlm::training
