// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wafertlm::training {
namespace {

/// The forward passes in order; backward passes visit the chunks the other way round.
struct Order {
  std::uint32_t chunks, microbatches, together, first = 0;  // the first microbatch

  std::uint32_t passes() const { return chunks * microbatches; }
  Pass forward(std::uint32_t k) const { return pass(k, true); }
  Pass backward(std::uint32_t k) const { return pass(k, false); }
  /// `together` microbatches go through chunk after chunk, then the next ones.
  Pass pass(std::uint32_t k, bool is_forward) const {
    const std::uint32_t round = k / (together * chunks), within = k % (together * chunks);
    const std::uint32_t chunk = within / together;
    return {is_forward, is_forward ? chunk : chunks - 1 - chunk, first + round * together + within % together,
            Pass::Part::all};
  }
};

std::vector<Pass> with_warm_up(const Order& order, std::uint32_t warm_up) {
  std::vector<Pass> passes;
  const std::uint32_t all = order.passes();
  warm_up = std::min(warm_up, all);
  for (std::uint32_t k = 0; k < warm_up; ++k) passes.push_back(order.forward(k));
  for (std::uint32_t k = warm_up; k < all; ++k) {
    passes.push_back(order.forward(k));
    passes.push_back(order.backward(k - warm_up));
  }
  for (std::uint32_t k = all - warm_up; k < all; ++k) passes.push_back(order.backward(k));
  return passes;
}

/// ZB-H1: 1F1B, and stage i computes weight gradients i microbatches later than 1F1B does, so that the stages
/// before it get theirs sooner; at the end they fill the gaps.
std::vector<Pass> zero_bubble(std::uint32_t stages, std::uint32_t stage, std::uint32_t microbatches) {
  std::vector<Pass> passes;
  std::uint32_t inputs = 0, weights = 0;
  const std::uint32_t warm_up = std::min(stages - 1 - stage, microbatches);
  const auto input_gradient = [&] { passes.push_back({false, 0, inputs++, Pass::Part::inputs}); };
  const auto weight_gradient = [&] { passes.push_back({false, 0, weights++, Pass::Part::weights}); };
  for (std::uint32_t k = 0; k < microbatches; ++k) {
    passes.push_back({true, 0, k, Pass::Part::all});
    if (k < warm_up) continue;
    input_gradient();
    if (inputs > stage) weight_gradient();
  }
  while (inputs < microbatches) {
    input_gradient();
    weight_gradient();
  }
  while (weights < microbatches) weight_gradient();
  return passes;
}

void check(Schedule schedule, std::uint32_t stages, std::uint32_t chunks, std::uint32_t microbatches,
           std::uint32_t rounds) {
  if (microbatches == 0) throw std::invalid_argument("microbatches is 0; it must be at least 1");
  if (chunks == 0) throw std::invalid_argument("chunks_per_stage is 0; it must be at least 1");
  const bool has_chunks = schedule == Schedule::interleaved || schedule == Schedule::resident_loop;
  if (chunks > 1 && !has_chunks)
    throw std::invalid_argument(fmt::format(
        "chunks_per_stage is {}, but only the schedules interleaved and resident_loop have more than one",
        chunks));
  if (rounds == 0 || microbatches % rounds != 0)
    throw std::invalid_argument(
        fmt::format("microbatches ({}) do not divide by weight_loads_per_pass ({}); values that do: {}",
                    microbatches, rounds, model::nearest_divisors(microbatches, rounds)));
  if (schedule == Schedule::interleaved && microbatches % stages != 0) {
    const std::uint32_t below = microbatches / stages * stages, above = below + stages;
    throw std::invalid_argument(
        fmt::format("microbatches ({}) is no multiple of the pipeline stages ({}), as the interleaved "
                    "schedule needs; nearest: {}{}",
                    microbatches, stages, below != 0 ? fmt::format("{} or ", below) : "", above));
  }
}

}  // namespace

std::vector<Pass> pipeline_order(Schedule schedule, std::uint32_t stages, std::uint32_t stage,
                                 std::uint32_t chunks_per_stage, std::uint32_t microbatches,
                                 std::uint32_t rounds) {
  check(schedule, stages, chunks_per_stage, microbatches, rounds);
  const std::uint32_t behind = stages - 1 - stage;
  switch (schedule) {
    case Schedule::gpipe:
      return with_warm_up({1, microbatches, microbatches}, microbatches);
    case Schedule::one_forward_one_backward:
      return with_warm_up({1, microbatches, microbatches}, behind);
    case Schedule::interleaved:
      return with_warm_up({chunks_per_stage, microbatches, stages},
                          2 * behind + (chunks_per_stage - 1) * stages);
    case Schedule::zero_bubble:
      return zero_bubble(stages, stage, microbatches);
    case Schedule::resident_loop:
      break;
  }
  std::vector<Pass> passes;
  const std::uint32_t together = microbatches / rounds;
  for (std::uint32_t first = 0; first < microbatches; first += together)
    for (const Pass& pass :
         with_warm_up({chunks_per_stage, together, together, first}, chunks_per_stage * together))
      passes.push_back(pass);
  return passes;
}

}  // namespace wafertlm::training
