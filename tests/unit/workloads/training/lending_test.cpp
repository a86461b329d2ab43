// SPDX-License-Identifier: Apache-2.0
// Memory that late stages of a pipeline lend to early ones, and stages that compute again.
#include "workloads/training/lending.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"
#include "workloads/training/volumes.h"

namespace wafertlm::training {
namespace {

std::shared_ptr<const Plan> lending_plan(std::uint32_t stages, std::uint32_t microbatches,
                                         bool lends = true) {
  Strategy s = strategy(1, 1, stages);
  s.microbatches = microbatches;
  s.minibatch = std::uint64_t{2} * microbatches;
  s.lend_activations = lends;
  return std::make_shared<const Plan>(model::transformer(small_transformer()), s);
}

std::uint64_t lent_bytes_sent(const std::shared_ptr<const Plan>& plan, std::uint32_t rank) {
  TrainingGenerator generator(plan, rank);
  const auto groups = chakra::CommGroups::from_map(plan->groups(), plan->ranks());
  return volumes_of(generator, rank, groups).classes["memory"].sent_bytes;
}

// Stages 0 and 7 of eight have 8 + 1 microbatches: 5 stay, and one is on its way.
TEST(Lending, AStageKeepsHalfOfWhatThePairHas) {
  for (const std::uint32_t microbatches : {8U, 16U, 40U}) {
    const auto plan = lending_plan(8, microbatches), alone = lending_plan(8, microbatches, false);
    const std::uint32_t in_flight[] = {8, 7, 6, 5, 4, 3, 2, 1}, limit[] = {6, 6, 6, 5, 4, 3, 2, 1};
    const std::uint32_t borrowed[] = {0, 0, 0, 0, 0, 1, 2, 3};
    for (std::uint32_t stage = 0; stage < 8; ++stage) {
      const std::uint64_t kept = kept_of_a_microbatch(*plan, stage);
      EXPECT_EQ(memory_need(*alone, stage).activations, in_flight[stage] * kept);
      EXPECT_EQ(most_borrowed(*plan, stage), borrowed[stage]) << stage;
      EXPECT_EQ(memory_need(*plan, stage).activations,
                limit[stage] * kept + borrowed[stage] * kept_of_a_microbatch(*plan, 7 - stage))
          << stage;
    }
  }
}

// Everything that leaves comes back: twice the lent bytes, and requests of 64 B.
TEST(Lending, MovesTwiceTheLentBytes) {
  const auto plan = lending_plan(8, 16);
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    std::uint64_t lent = 0;
    for (const LendingStep& step : lending_steps(*plan, stage)) lent += step.leaves ? 1 : 0;
    EXPECT_EQ(lent > 0, stage < 3) << "stages 3 and 4 have 5 and 4";
    const std::uint64_t kept = kept_of_a_microbatch(*plan, stage);
    EXPECT_EQ(lent_bytes_sent(plan, stage), lent * (kept + 64));
    EXPECT_EQ(lent_bytes_sent(plan, 7 - stage), lent * kept);
  }
}

TEST(Lending, WhatLeavesIsBackBeforeItsBackwardPass) {
  for (const std::uint32_t microbatches : {3U, 5U, 20U}) {
    const auto plan = lending_plan(8, microbatches);
    const auto steps = lending_steps(*plan, 0);
    const auto passes = plan->passes(0);
    std::set<std::uint32_t> away;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      EXPECT_TRUE(passes[i].is_forward || away.count(passes[i].microbatch) == 0);
      EXPECT_TRUE(!steps[i].leaves || away.insert(*steps[i].leaves).second);
      EXPECT_TRUE(!steps[i].returns || away.erase(*steps[i].returns) == 1);
    }
    EXPECT_TRUE(away.empty());
  }
}

TEST(Lending, RanksAgree) {
  for (const std::uint32_t microbatches : {3U, 8U, 16U}) {
    Strategy s = strategy(2, 2, 4);
    s.microbatches = microbatches;
    s.minibatch = std::uint64_t{2} * microbatches;
    s.lend_activations = true;
    const auto plan = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
    std::vector<std::unique_ptr<TrainingGenerator>> ranks;
    std::vector<chakra::NodeSource*> sources;
    for (std::uint32_t r = 0; r < plan->ranks(); ++r) {
      ranks.push_back(std::make_unique<TrainingGenerator>(plan, r));
      sources.push_back(ranks.back().get());
    }
    const auto groups = chakra::CommGroups::from_map(plan->groups(), plan->ranks());
    EXPECT_EQ(chakra::validate_job(sources, groups).size(), plan->ranks());
  }
}

TEST(Recomputation, OfTheFirstStagesOnly) {
  Strategy s = strategy(1, 1, 4);
  s.recompute = model::Recompute::full;
  s.recompute_stages = 2;
  const auto some = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
  s.recompute_stages.reset();
  const auto all = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
  s.recompute = model::Recompute::none;
  const auto none = std::make_shared<const Plan>(model::transformer(small_transformer()), s);
  const auto operations = [](const std::shared_ptr<const Plan>& plan, std::uint32_t rank) {
    TrainingGenerator generator(plan, rank);
    return volumes_of(generator, rank, chakra::CommGroups::from_map(plan->groups(), plan->ranks()))
        .operations;
  };
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    const auto& same = stage < 2 ? all : none;
    EXPECT_EQ(operations(some, stage), operations(same, stage)) << stage;
    EXPECT_EQ(memory_need(*some, stage).activations, memory_need(*same, stage).activations) << stage;
  }
  EXPECT_GT(operations(all, 3), operations(none, 3));
}

TEST(Lending, WhatMakesNoSenseIsRefused) {
  const auto refusal = [](const Strategy& s) -> std::string {
    try {
      const Plan plan(model::transformer(small_transformer()), s);
    } catch (const PlanError& error) {
      return error.what();
    }
    return "";
  };
  Strategy s = strategy(1, 1, 2);
  s.lend_activations = true;
  EXPECT_NE(refusal(s).find("use 3 or more of both"), std::string::npos);
  s = strategy(1, 1, 4);
  s.lend_activations = true;
  s.schedule = Schedule::gpipe;
  EXPECT_NE(refusal(s).find("use schedule: 1f1b"), std::string::npos);
  s = strategy(1, 1, 4);
  s.recompute_stages = 2;
  EXPECT_NE(refusal(s).find("recompute is none"), std::string::npos);
  s.recompute = model::Recompute::full;
  s.recompute_stages = 5;
  EXPECT_NE(refusal(s).find("use 1 to 4"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::training
