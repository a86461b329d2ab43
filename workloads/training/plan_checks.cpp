// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <utility>

#include "workloads/training/plan.h"

namespace wafertlm::training {

using model::Gemm;
using model::Layer;
using model::nearest_divisors;
using Cause = PlanError::Cause;

void Plan::check_degrees() const {
  const auto& [mp, dp, pp] = strategy_.degrees;
  // Stationary activations: DP divides tokens, which need not be those of whole samples.
  const bool is_even = strategy_.uneven == Uneven::error || !strategy_.keeps_activations();
  const std::uint64_t replicas = std::uint64_t{is_even ? dp : 1} * strategy_.microbatches;
  if (strategy_.zero_stage > 3)
    throw PlanError(Cause::zero,
                    fmt::format("zero_stage is {}; it must lie between 0 and 3", strategy_.zero_stage));
  if (strategy_.microbatches == 0) throw PlanError(Cause::batch, "microbatches is 0; it must be at least 1");
  if (strategy_.minibatch == 0 || strategy_.minibatch % replicas != 0) {
    const std::uint64_t below = strategy_.minibatch / replicas * replicas;
    throw PlanError(
        Cause::batch,
        fmt::format(
            "the minibatch ({} samples) does not divide by dp times microbatches, {} x {}; nearest: {}{}",
            strategy_.minibatch, is_even ? dp : 1, strategy_.microbatches,
            below != 0 ? fmt::format("{} or ", below) : "", below + replicas));
  }
  if (strategy_.divides_activations() && strategy_.stage_transfer == StageTransfer::multicast)
    throw PlanError(Cause::transfer,
                    "with sequence_parallel, or tensor_parallelism other than 1d, no worker holds all of a "
                    "stage's output, so stage_transfer must be peer");
  const std::uint32_t ep = strategy_.expert_parallel;
  if (ep == 0 || dp % ep != 0)
    throw PlanError(Cause::experts,
                    fmt::format("dp ({}) does not divide by expert_parallel ({}); values that do: {}", dp, ep,
                                nearest_divisors(dp, ep)));
  if (ep > 1 && model_.experts == 0)
    throw PlanError(Cause::experts,
                    fmt::format("expert_parallel is {}, but the model {} has no experts", ep, model_.name));
  if (model_.experts % ep != 0 && strategy_.uneven == Uneven::error)
    throw PlanError(Cause::experts,
                    fmt::format("the experts ({}) do not divide by expert_parallel ({}); values that do: {}",
                                model_.experts, ep, nearest_divisors(model_.experts, ep)));
  if (mp > 1) {
    bool splits = false;
    model::for_each_layer(model_, [&](const Layer& layer, bool) { splits = splits || is_split(layer); });
    if (!splits)
      throw PlanError(Cause::degrees,
                      fmt::format("mp is {}, but no layer of {} can be split; use mp 1", mp, model_.name));
  }
  if (pp > 1 && strategy_.chunks() > model_.blocks.size())
    throw PlanError(strategy_.chunks_per_stage > 1 ? Cause::chunks : Cause::degrees,
                    fmt::format("the model {} has {} blocks, fewer than pp times chunks_per_stage, {} x {}; "
                                "values that do: {} in all",
                                model_.name, model_.blocks.size(), pp, strategy_.chunks_per_stage,
                                nearest_divisors(model_.blocks.size(), strategy_.chunks())));
}

void Plan::check_gathering() const {
  const Strategy& s = strategy_;
  if (s.capacity_factor != 1 && model_.experts == 0)
    throw PlanError(Cause::capacity,
                    fmt::format("capacity_factor is {}, but the model {} has no experts; leave it out",
                                s.capacity_factor, model_.name));
  if (s.gather == Gather::microbatch && s.zero_stage != 3)
    throw PlanError(Cause::prefetch,
                    fmt::format("gather: microbatch is about parameters that zero_stage: 3 divides, "
                                "and zero_stage is {}; leave it out",
                                s.zero_stage));
  if (s.prefetch != 1 && (!s.overlap_dp || (s.zero_stage != 3 && !s.offload.weights)))
    throw PlanError(
        Cause::prefetch,
        fmt::format("prefetch is {}, but only parameters of zero_stage: 3 or offload_weights with "
                    "overlap_dp come in beside computation; leave it out",
                    s.prefetch));
  if (s.prefetch == 0) throw PlanError(Cause::prefetch, "prefetch is 0; it must be at least 1");
}

void Plan::check_activations() const {
  const Strategy& s = strategy_;
  if (!s.keeps_activations()) return;
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw PlanError(Cause::activations, "activations: stationary needs " + what);
  };
  require(s.streams_weights(), "weights: streamed, for nothing of a layer stays");
  require(s.degrees.mp > 1, "MP above 1, which divides the hidden dimension");
  require(s.degrees.pp == 1, "PP(1): all layers pass over the same activations");
  require(!s.sequence_parallel && !s.split_vocabulary,
          "neither sequence_parallel nor split_vocabulary: MP divides all there is already");
  require(model_.experts == 0, "a model without experts");
  require(s.tensor_parallelism == TensorParallelism::one_d,
          "tensor_parallelism: 1d, for it says itself what MP divides");
}

void Plan::check_recomputation() const {
  const Strategy& s = strategy_;
  if (s.recompute_stages && s.recompute == model::Recompute::none)
    throw PlanError(
        Cause::recompute,
        "recompute_stages is about stages that compute again, and recompute is none; use selective "
        "or full, or leave it out");
  if (s.recompute_stages.value_or(1) == 0 || s.recompute_stages.value_or(1) > s.degrees.pp)
    throw PlanError(Cause::recompute,
                    fmt::format("recompute_stages is {}, and there are {} stages; use 1 to {}",
                                *s.recompute_stages, s.degrees.pp, s.degrees.pp));
  if (!s.lend_activations) return;
  if (s.schedule != Schedule::one_forward_one_backward)
    throw PlanError(Cause::lending,
                    "lend_activations is for a pipeline whose early stages keep more microbatches than late "
                    "ones; use schedule: 1f1b, or leave it out");
  if (s.degrees.pp < 3 || s.microbatches < 3)
    throw PlanError(Cause::lending, fmt::format("lend_activations is true, but with {} stages and {} "
                                                "microbatches none has one to lend; use 3 or more of both",
                                                s.degrees.pp, s.microbatches));
}

void Plan::check_streams() const {
  const Strategy& s = strategy_;
  const auto fail = [](Cause cause, const std::string& text) { throw PlanError(cause, text); };
  if (s.input == Input::streamed && model_.input_bytes == 0)
    fail(Cause::model,
         "the model " + model_.name + " does not say how large a sample is; use input: prefetched");
  if (!s.streams_weights()) {
    if (s.weight_loads_per_pass != 1)
      fail(Cause::weights, fmt::format("weight_loads_per_pass is {}, but weights that are stationary are not "
                                       "loaded; use weights: streamed",
                                       s.weight_loads_per_pass));
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
    fail(Cause::zero, fmt::format("zero_stage is {}, but with weights: streamed the optimizer is outside of "
                                  "the wafer and nothing of it is left to divide; use zero_stage: 0",
                                  s.zero_stage));
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
    fail(Cause::buffers, fmt::format("weight_buffers is {}, but to load a chunk beside the computation of "
                                     "another takes 2 or more; or use overlap_weights: false",
                                     buffers));
  if (!s.overlap_weights && buffers != 1)
    fail(Cause::buffers, fmt::format("weight_buffers is {}, but with overlap_weights: false only 1 is used; "
                                     "or use overlap_weights: true",
                                     buffers));
}

void Plan::check_shortened() const {
  for (const auto& [key, part] : {std::pair{"simulated_chunks", strategy_.simulated_chunks},
                                  std::pair{"simulated_rounds", strategy_.simulated_rounds}})
    if (part == 0U)
      throw PlanError(Cause::shortened,
                      std::string(key) + " is 0; it must be at least 1, or be left out: all");
  if (strategy_.is_a_part() && strategy_.schedule != Schedule::resident_loop)
    throw PlanError(
        Cause::shortened,
        fmt::format(
            "simulated_chunks is {} of {}, but only with schedule: resident_loop are all of them alike",
            *strategy_.simulated_chunks, strategy_.chunks_per_stage));
}

void Plan::check_split(const Layer& layer) const {
  if (!is_split(layer) || strategy_.uneven == Uneven::fractional) return;
  if (strategy_.tensor_parallelism != TensorParallelism::one_d) {
    for (const Gemm& gemm : layer.gemms) check_tensor_split(gemm);
    return;
  }
  const std::uint64_t mp = strategy_.degrees.mp;
  const auto require = [&](const char* what, std::uint64_t number) {
    if (number % mp == 0) return;
    throw PlanError(
        Cause::degrees,
        fmt::format(
            "mp ({}) does not divide {} of the layer {} ({}); values that do: {}; or use uneven: fractional",
            mp, what, layer.name, number, nearest_divisors(number, mp)));
  };
  for (const Gemm& gemm : layer.gemms) {
    if (strategy_.keeps_activations() && gemm.operand == Gemm::Operand::weights) {
      require("the inputs", gemm.k);
      continue;
    }
    if (gemm.split == Gemm::Split::count) {
      require("the heads", model_.heads);
      require("the key and value heads", model_.kv_heads);
    }
    if (gemm.split == Gemm::Split::columns) require("the outputs", gemm.n);
    if (gemm.split == Gemm::Split::rows) require("the inputs", gemm.k);
  }
}

}  // namespace wafertlm::training
