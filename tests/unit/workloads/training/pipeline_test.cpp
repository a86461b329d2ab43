// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/pipeline.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace wafertlm::training {
namespace {

/// Time of an iteration: a small event model of stages that do their passes in order, each as soon as the
/// pass before it in the model is done.
std::uint64_t iteration_time(Schedule schedule, std::uint32_t stages, std::uint32_t chunks,
                             std::uint32_t microbatches, std::uint64_t forward, std::uint64_t backward) {
  std::vector<std::vector<Pass>> order;
  for (std::uint32_t j = 0; j < stages; ++j)
    order.push_back(pipeline_order(schedule, stages, j, chunks, microbatches));
  std::vector<std::size_t> next(stages, 0);
  std::vector<std::uint64_t> free(stages, 0);
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint64_t> end;  // by (forward, chunk, mb)
  const std::uint32_t last = stages * chunks - 1;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t j = 0; j < stages; ++j) {
      while (next[j] < order[j].size()) {
        const Pass& pass = order[j][next[j]];
        const std::uint32_t chunk = pass.chunk * stages + j;
        std::uint64_t ready = 0;
        const auto need = [&](bool is_forward, std::uint32_t c) {
          const auto found = end.find({is_forward, c, pass.microbatch});
          if (found == end.end()) return false;
          ready = std::max(ready, found->second);
          return true;
        };
        if (pass.is_forward && chunk > 0 && !need(true, chunk - 1)) break;
        if (!pass.is_forward && !need(true, chunk)) break;
        if (!pass.is_forward && chunk < last && !need(false, chunk + 1)) break;
        free[j] = std::max(free[j], ready) + (pass.is_forward ? forward : backward);
        end[{pass.is_forward, chunk, pass.microbatch}] = free[j];
        ++next[j];
        moved = true;
      }
    }
  }
  EXPECT_EQ(end.size(), std::size_t{2} * stages * chunks * microbatches) << "stuck";
  return *std::max_element(free.begin(), free.end());
}

// Huang et al. 2019, Narayanan et al. 2021: idle (p − 1)/(m + p − 1) of the iteration, so m + p − 1 times the
// passes of a microbatch in all; also for fewer microbatches than stages.
TEST(Pipeline, BubblesOfGpipeAnd1F1B) {
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_forward_one_backward})
    for (const std::uint32_t p : {1U, 2U, 4U, 7U})
      for (const std::uint32_t m : {1U, 2U, 3U, 8U, 32U})
        for (const auto& [f, b] : {std::pair<std::uint64_t, std::uint64_t>{10, 10}, {10, 20}, {17, 5}})
          EXPECT_EQ(iteration_time(schedule, p, 1, m, f, b), (m + p - 1) * (f + b))
              << p << " stages, " << m << " microbatches";
}

// (p − 1)/(v·m + p − 1): a chunk takes a v-th of a stage's time.
TEST(Pipeline, BubblesOfInterleavedChunks) {
  for (const std::uint32_t p : {2U, 3U, 4U, 8U})
    for (const std::uint32_t v : {1U, 2U, 3U, 6U})
      for (const std::uint32_t rounds : {1U, 2U, 5U})
        for (const auto& [f, b] : {std::pair<std::uint64_t, std::uint64_t>{10, 10}, {10, 20}})
          EXPECT_EQ(iteration_time(Schedule::interleaved, p, v, rounds * p, f, b),
                    (v * rounds * p + p - 1) * (f + b))
              << p << " stages, " << v << " chunks, " << rounds * p << " microbatches";
}

// The loop of resident layers: GPT-3's preset has 96 layers, two resident at a time on two stages.
TEST(Pipeline, BubbleOfTheResidentLoop) {
  for (const auto& [p, v, m] :
       {std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>{2, 48, 2}, {4, 3, 4}, {4, 3, 7}, {1, 5, 3}})
    EXPECT_EQ(iteration_time(Schedule::resident_loop, p, v, m, 10, 20), (v * m + p - 1) * std::uint64_t{30});
  // 1/97 of the iteration.
  EXPECT_EQ(iteration_time(Schedule::resident_loop, 2, 48, 2, 1, 2), 97U * 3);
}

TEST(Pipeline, EveryPassOnce) {
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_forward_one_backward, Schedule::interleaved,
                                  Schedule::resident_loop}) {
    const std::uint32_t chunks =
        schedule == Schedule::interleaved || schedule == Schedule::resident_loop ? 3 : 1;
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> seen;
      const auto passes = pipeline_order(schedule, 4, stage, chunks, 8);
      for (const Pass& pass : passes) seen.insert({pass.is_forward, pass.chunk, pass.microbatch});
      EXPECT_EQ(passes.size(), 2U * chunks * 8);
      EXPECT_EQ(seen.size(), passes.size());
    }
  }
}

// 1F1B holds at most p − stage microbatches' activations.
TEST(Pipeline, OneForwardOneBackwardKeepsFewMicrobatches) {
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    std::uint32_t kept = 0, most = 0;
    for (const Pass& pass : pipeline_order(Schedule::one_forward_one_backward, 4, stage, 1, 16)) {
      pass.is_forward ? ++kept : --kept;
      most = std::max(most, kept);
    }
    EXPECT_EQ(most, 4 - stage);
  }
}

TEST(Pipeline, BadNumbersNameGoodOnes) {
  const auto error = [](Schedule schedule, std::uint32_t chunks, std::uint32_t microbatches) -> std::string {
    try {
      pipeline_order(schedule, 4, 0, chunks, microbatches);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error(Schedule::interleaved, 2, 6).find("nearest: 4 or 8"), std::string::npos);
  EXPECT_NE(error(Schedule::interleaved, 2, 3).find("nearest: 4"), std::string::npos);
  EXPECT_NE(error(Schedule::gpipe, 2, 4).find("chunks_per_stage is 2"), std::string::npos);
  EXPECT_NE(error(Schedule::gpipe, 1, 0).find("microbatches is 0"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::training
