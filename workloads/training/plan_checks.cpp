// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "workloads/models/nearest.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

using model::Gemm;
using model::Layer;
using model::nearest_divisors;
using Cause = PlanError::Cause;

void Plan::check_degrees() const {
  const auto& [mp, dp, pp] = strategy_.degrees;
  const std::uint64_t replicas = std::uint64_t{dp} * strategy_.microbatches;
  if (strategy_.zero_stage > 3)
    throw PlanError(Cause::zero, "zero_stage is " + std::to_string(strategy_.zero_stage) +
                                     "; it must lie between 0 and 3");
  if (strategy_.microbatches == 0) throw PlanError(Cause::batch, "microbatches is 0; it must be at least 1");
  if (strategy_.minibatch == 0 || strategy_.minibatch % replicas != 0) {
    const std::uint64_t below = strategy_.minibatch / replicas * replicas;
    throw PlanError(Cause::batch, "the minibatch (" + std::to_string(strategy_.minibatch) +
                                      " samples) does not divide by dp times " + "microbatches, " +
                                      std::to_string(dp) + " x " + std::to_string(strategy_.microbatches) +
                                      "; nearest: " + (below != 0 ? std::to_string(below) + " or " : "") +
                                      std::to_string(below + replicas));
  }
  if (strategy_.sequence_parallel && strategy_.stage_transfer == StageTransfer::multicast)
    throw PlanError(
        Cause::transfer,
        "with sequence_parallel no worker holds all of a stage's output, so stage_transfer must be peer");
  const std::uint32_t ep = strategy_.expert_parallel;
  if (ep == 0 || dp % ep != 0)
    throw PlanError(Cause::experts, "dp (" + std::to_string(dp) + ") does not divide by expert_parallel (" +
                                        std::to_string(ep) +
                                        "); values that do: " + nearest_divisors(dp, ep));
  if (ep > 1 && model_.experts == 0)
    throw PlanError(Cause::experts, "expert_parallel is " + std::to_string(ep) + ", but the model " +
                                        model_.name + " has no experts");
  if (model_.experts % ep != 0 && strategy_.uneven == Uneven::error)
    throw PlanError(Cause::experts, "the experts (" + std::to_string(model_.experts) +
                                        ") do not divide by expert_parallel (" + std::to_string(ep) +
                                        "); values that do: " + nearest_divisors(model_.experts, ep));
  if (mp > 1) {
    bool splits = false;
    model::for_each_layer(model_, [&](const Layer& layer, bool) { splits = splits || is_split(layer); });
    if (!splits)
      throw PlanError(Cause::degrees, "mp is " + std::to_string(mp) + ", but no layer of " + model_.name +
                                          " can be split; use mp 1");
  }
  if (pp > 1 && strategy_.chunks() > model_.blocks.size())
    throw PlanError(strategy_.chunks_per_stage > 1 ? Cause::chunks : Cause::degrees,
                    "the model " + model_.name + " has " + std::to_string(model_.blocks.size()) +
                        " blocks, fewer than pp times chunks_per_stage, " + std::to_string(pp) + " x " +
                        std::to_string(strategy_.chunks_per_stage) + "; values that do: " +
                        nearest_divisors(model_.blocks.size(), strategy_.chunks()) + " in all");
}

void Plan::check_streams() const {
  const Strategy& s = strategy_;
  const auto fail = [](Cause cause, const std::string& text) { throw PlanError(cause, text); };
  if (s.input == Input::streamed && model_.input_bytes == 0)
    fail(Cause::model,
         "the model " + model_.name + " does not say how large a sample is; use input: prefetched");
  if (!s.streams_weights()) {
    if (s.weight_loads_per_pass != 1)
      fail(Cause::weights, "weight_loads_per_pass is " + std::to_string(s.weight_loads_per_pass) +
                               ", but weights that are stationary are not loaded; use weights: streamed");
    if (s.weight_delivery != WeightDelivery::broadcast || s.gradient_store != GradientStore::every_load ||
        !s.overlap_stores)
      fail(Cause::weights,
           "weight_delivery, gradient_store and overlap_stores are for streams; use weights: streamed, or "
           "leave them out");
    if (s.weight_buffers)
      fail(Cause::buffers, "weight_buffers is for streams; use weights: streamed, or leave it out");
    return;
  }
  if (s.schedule != Schedule::resident_loop)
    fail(Cause::schedule,
         "weights: streamed brings in chunk after chunk, which only schedule: resident_loop goes through");
  if (s.zero_stage != 0)
    fail(Cause::zero,
         "zero_stage is " + std::to_string(s.zero_stage) +
             ", but with weights: streamed the optimizer is outside of the wafer and nothing of it is "
             "left to divide; use zero_stage: 0");
  if (s.dp_collective)
    fail(Cause::weights,
         "dp_collective is for gradients that stay on the wafer; with weights: streamed they are "
         "summed on their way out: leave it out");
  if (s.weight_delivery == WeightDelivery::needed && s.degrees.mp * s.degrees.pp == 1)
    fail(Cause::delivery,
         "weight_delivery is needed, but with MP(1) and PP(1) every NPU needs all weights; use "
         "broadcast, or MP or PP above 1");
  if (s.weight_delivery == WeightDelivery::needed && s.expert_parallel != 1)
    fail(Cause::delivery,
         "weight_delivery: needed cannot bring experts to those that hold them; use broadcast, or "
         "expert_parallel: 1");
  const std::uint32_t buffers = s.buffers();
  if (s.overlap_weights && buffers < 2)
    fail(Cause::buffers,
         "weight_buffers is " + std::to_string(buffers) +
             ", but to load a chunk beside the computation of another takes 2 or more; or use "
             "overlap_weights: false");
  if (!s.overlap_weights && buffers != 1)
    fail(Cause::buffers,
         "weight_buffers is " + std::to_string(buffers) +
             ", but with overlap_weights: false only 1 is used; or use overlap_weights: true");
}

void Plan::check_part() const {
  for (const auto& [key, part] : {std::pair{"simulated_chunks", strategy_.simulated_chunks},
                                  std::pair{"simulated_rounds", strategy_.simulated_rounds}})
    if (part == 0U)
      throw PlanError(Cause::part, std::string(key) + " is 0; it must be at least 1, or be left out: all");
  if (strategy_.is_a_part() && strategy_.schedule != Schedule::resident_loop)
    throw PlanError(Cause::part, "simulated_chunks is " + std::to_string(*strategy_.simulated_chunks) +
                                     " of " + std::to_string(strategy_.chunks_per_stage) +
                                     ", but only with schedule: resident_loop are all of them alike");
}

void Plan::check_split(const Layer& layer) const {
  if (!is_split(layer) || strategy_.uneven == Uneven::fractional) return;
  const std::uint64_t mp = strategy_.degrees.mp;
  const auto require = [&](const char* what, std::uint64_t number) {
    if (number % mp == 0) return;
    throw PlanError(Cause::degrees, "mp (" + std::to_string(mp) + ") does not divide " + what +
                                        " of the layer " + layer.name + " (" + std::to_string(number) +
                                        "); values that do: " + nearest_divisors(number, mp) +
                                        "; or use uneven: fractional");
  };
  for (const Gemm& gemm : layer.gemms) {
    if (gemm.split == Gemm::Split::count) {
      require("the heads", model_.heads);
      require("the key and value heads", model_.kv_heads);
    }
    if (gemm.split == Gemm::Split::columns) require("the outputs", gemm.n);
    if (gemm.split == Gemm::Split::rows) require("the inputs", gemm.k);
  }
}

}  // namespace wafertlm::training
