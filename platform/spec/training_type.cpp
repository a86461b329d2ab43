// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <stdexcept>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/workload_spec.h"
#include "workloads/training/plan.h"

namespace wafertlm::config {
namespace {

using training::Activations;
using training::DpCollective;
using training::Gather;
using training::GradientStore;
using training::Input;
using training::PlanError;
using training::Schedule;
using training::StageTransfer;
using training::Strategy;
using training::TensorParallelism;
using training::Uneven;
using training::WeightDelivery;
using training::Weights;

constexpr std::uint32_t kMaxRanks = 65'536;

/// "MP(2)-DP(5)-PP(2)".
class ParallelismType : public TypeOf<Parallelism> {
 public:
  Parallelism read(const Reader& in) const override {
    const std::string& text = in.scalar("a parallelism such as 'MP(2)-DP(5)-PP(2)'");
    try {
      return parse_parallelism(text, kMaxRanks);
    } catch (const std::invalid_argument& error) {
      in.fail(error.what());
    }
  }
  Node write(const Parallelism& value) const override { return Node::scalar(to_string(value)); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "string"}, {"pattern", "^(MP|DP|PP)\\([0-9]+\\)(-(MP|DP|PP)\\([0-9]+\\)){0,2}$"}};
  }
};

void check_batch(const TrainingSpec& spec, const Check& check) {
  if (spec.minibatch && spec.samples_per_replica)
    check.fail({&spec.samples_per_replica}, "give this or '{}', not both; the value none takes one out",
               check.path(&spec.minibatch));
  if (!spec.minibatch && !spec.samples_per_replica)
    check.fail({&spec.strategy.degrees}, "needs a batch: give '{}' or '{}'", check.path(&spec.minibatch),
               check.path(&spec.samples_per_replica));
}

void check_offload(const Strategy& strategy, const Check& check) {
  const training::Offload& offload = strategy.offload;
  if (strategy.streams_weights() && offload.any())
    check.fail({&offload.weights, &offload.gradients, &offload.optimizer},
               "streamed weights are outside of the wafer already, as gradients and optimizer are; leave it "
               "out, or use {}: stationary",
               check.path(&strategy.weights));
}

void check_training(const WorkloadSpec& workload, const Check& check) {
  if (workload.kind != WorkloadKind::training) return;
  const TrainingSpec& spec = workload.training;
  check_batch(spec, check);
  check_offload(spec.strategy, check);
  try {
    const training::Plan plan(build_model(spec.model), spec.complete_strategy());
  } catch (const PlanError& error) {
    const Strategy& s = spec.strategy;
    using Cause = PlanError::Cause;
    const std::map<Cause, std::vector<const void*>> culprits = {
        {Cause::batch, {&s.microbatches, &spec.minibatch, &spec.samples_per_replica}},
        {Cause::schedule, {&s.schedule, &s.weights, &s.microbatches}},
        {Cause::chunks, {&s.chunks_per_stage, &s.schedule, &s.degrees}},
        {Cause::rounds, {&s.weight_loads_per_pass, &s.microbatches}},
        {Cause::experts, {&s.expert_parallel}},
        {Cause::zero, {&s.zero_stage}},
        {Cause::capacity, {&s.capacity_factor}},
        {Cause::tensor, {&s.tensor_parallelism}},
        {Cause::recompute, {&s.recompute_stages}},
        {Cause::lending, {&s.lend_activations}},
        {Cause::prefetch, {&s.prefetch, &s.gather}},
        {Cause::transfer, {&s.stage_transfer, &s.sequence_parallel, &s.tensor_parallelism}},
        {Cause::weights,
         {&s.weight_loads_per_pass, &s.weight_delivery, &s.gradient_store, &s.overlap_stores,
          &s.dp_collective, &s.weights}},
        {Cause::activations, {&s.activations}},
        {Cause::delivery, {&s.weight_delivery}},
        {Cause::buffers, {&s.weight_buffers, &s.overlap_weights}},
        {Cause::shortened, {&s.simulated_chunks, &s.simulated_rounds}}};
    const auto found = culprits.find(error.cause());
    check.fail(found == culprits.end() ? std::vector<const void*>{&s.degrees} : found->second, error.what());
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.strategy.degrees}, error.what());
  }
}

}  // namespace

TypePtr<Parallelism> parallelism_type() { return std::make_shared<const ParallelismType>(); }

training::Strategy TrainingSpec::complete_strategy() const {
  Strategy complete = strategy;
  complete.minibatch = minibatch ? *minibatch : samples_per_replica.value_or(0) * strategy.degrees.dp;
  complete.effective_rate =
      static_cast<std::uint64_t>(std::llround(effective_rate_operations_per_s.value_or(0)));
  return complete;
}

training::Strategy TrainingSpec::whole_strategy() const {
  Strategy whole = complete_strategy();
  whole.simulated_chunks.reset();
  whole.simulated_rounds.reset();
  return whole;
}

void add_training_keys(Struct<WorkloadSpec>& workload) {
  using T = TrainingSpec;
  using S = Strategy;
  const auto of = [](auto member) { return at(&WorkloadSpec::training, member); };
  const auto strategy = [=](auto member) { return at(of(&T::strategy), member); };
  const auto offload = [=](auto member) { return at(strategy(&S::offload), member); };
  const auto samples = integer<std::uint64_t>(1, 1'000'000'000);
  const auto count = integer<std::uint32_t>(1, 1'000'000);
  workload.alternative(&WorkloadSpec::kind, WorkloadKind::training)
      .required("model", of(&T::model), std::make_shared<const FileOr<ModelSpec>>(model_type()),
                "The model, or its file")
      .required("parallelism", strategy(&S::degrees), parallelism_type(),
                "Degrees of tensor (MP), data (DP) and pipeline parallelism (PP): MP(2)-DP(5)-PP(2)")
      .optional("effective_flops", of(&T::effective_rate_operations_per_s), maybe(any_compute_rate()),
                "Compute rate that an NPU sustains; a calibration value, at most npu.peak; not given: "
                "the NPU's npu.compute.model tells how long it computes")
      .optional("minibatch", of(&T::minibatch), maybe(samples), "Samples of an iteration, of all replicas")
      .optional("samples_per_replica", of(&T::samples_per_replica), maybe(samples),
                "Samples of an iteration and DP rank, in place of minibatch")
      .optional("microbatches", strategy(&S::microbatches), count,
                "Parts into which a replica cuts its samples, one after the other")
      .optional("expert_parallel", strategy(&S::expert_parallel), count,
                "Neighbours in DP that divide the experts; divides DP")
      .optional("capacity_factor", strategy(&S::capacity_factor), number(0.01, 100),
                "Room of the experts, relative to the tokens that each gets if all get equally many: "
                "all-to-alls and the experts' products are so many times as large")
      .optional("gather", strategy(&S::gather), one_of<Gather>({"iteration", "microbatch"}),
                "ZeRO-3: parameters are gathered once for each direction, or for every microbatch, whose "
                "gradients are reduced at once (FSDP)")
      .optional("prefetch", strategy(&S::prefetch), integer<std::uint32_t>(1, 1000),
                "ZeRO-3, offload_weights: units (blocks) whose parameters come in beside computation")
      .optional("zero_stage", strategy(&S::zero_stage), integer<std::uint32_t>(0, 3),
                "ZeRO: DP divides 1: the optimizer, 2: and gradients, 3: and parameters")
      .optional("sequence_parallel", strategy(&S::sequence_parallel), boolean(),
                "MP also divides norms along the sequence: all-gather and reduce-scatter for all-reduce")
      .optional("split_vocabulary", strategy(&S::split_vocabulary), boolean(),
                "MP also divides embedding and head")
      .optional(
          "activations", strategy(&S::activations), one_of<Activations>({"shared", "stationary"}),
          "What MP divides: products in columns and then rows (Megatron), or the hidden dimension of "
          "everything, which stays while weights pass: results of products are sums over MP, scattered; "
          "needs weights: streamed, PP(1)")
      .optional(
          "tensor_parallelism", strategy(&S::tensor_parallelism),
          one_of<TensorParallelism>({"1d", "2d", "stream", "two_way_stream"}),
          "What MP exchanges. 1d: all-reduces of activations; 2d: all-gathers and reduce-scatters along "
          "the lines of a square grid; stream: weights go round a ring while tokens stay; "
          "two_way_stream: half of them each way")
      .optional(
          "schedule", strategy(&S::schedule),
          one_of<Schedule>({"gpipe", "1f1b", "interleaved", "resident_loop", "zero_bubble"}),
          "Order of the microbatches in a pipeline stage; zero_bubble: 1f1b whose weight gradients wait "
          "until there is a gap")
      .optional("chunks_per_stage", strategy(&S::chunks_per_stage), count,
                "Groups of blocks that a stage holds: of interleaved and resident_loop")
      .optional("recompute", strategy(&S::recompute), one_of<model::Recompute>({"none", "selective", "full"}),
                "What the backward pass computes again instead of keeping it: selective: attention scores")
      .optional("recompute_stages", strategy(&S::recompute_stages), maybe(count),
                "So many stages, the first, compute again; not given: all")
      .optional("lend_activations", strategy(&S::lend_activations), boolean(),
                "1f1b: activations of early stages, which keep more microbatches, lie in the memory of late "
                "ones until they are needed")
      .optional("uneven", strategy(&S::uneven), one_of<Uneven>({"error", "fractional"}),
                "Where a degree does not divide the model (with activations: stationary also a microbatch): "
                "refuse, "
                "or the same fraction for everybody")
      .optional("element_bytes", strategy(&S::element_bytes), integer<std::uint32_t>(1, 8),
                "Bytes of a weight, an activation and a gradient")
      .optional("dp_collective", strategy(&S::dp_collective),
                maybe(one_of<DpCollective>({"all_reduce", "reduce_scatter_all_gather", "none"})),
                "How gradients are reduced; not given: all_reduce, with ZeRO reduce_scatter_all_gather; "
                "none: not at all, to see the rest of an iteration as if their reduction were hidden")
      .optional("gradient_bucket", strategy(&S::bucket_bytes), any_size("1 B", "1 PB"),
                "Gradients are reduced in buckets of this size")
      .optional("stage_transfer", strategy(&S::stage_transfer), one_of<StageTransfer>({"peer", "multicast"}),
                "Between stages: every worker to its peer, or one worker to the next stage's MP group")
      .optional("overlap_mp", strategy(&S::overlap_mp), boolean(),
                "The all-reduce of an input gradient runs beside the weight gradient")
      .optional("overlap_dp", strategy(&S::overlap_dp), boolean(),
                "Gradients are reduced (ZeRO-3: parameters gathered) beside computation")
      .optional("overlap_pp", strategy(&S::overlap_pp), boolean(),
                "Transfers between stages run beside computation")
      .optional(
          "weights", strategy(&S::weights), one_of<Weights>({"stationary", "streamed"}),
          "stationary: on the NPUs; streamed: weights come in through the I/O controllers for every pass of "
          "a chunk, gradients leave summed, the optimizer is outside; needs schedule: resident_loop")
      .optional(
          "weight_loads_per_pass", strategy(&S::weight_loads_per_pass), count,
          "Streamed: how often the model comes in for the forward passes of an iteration, and as often for "
          "the backward passes: so many rounds of microbatches go forward and back one after the other")
      .optional("weight_delivery", strategy(&S::weight_delivery),
                one_of<WeightDelivery>({"broadcast", "needed"}),
                "Streamed: every NPU gets all weights, or its share of MP and PP only; gradients go the same "
                "ways back")
      .optional("weight_buffers", strategy(&S::weight_buffers), maybe(integer<std::uint32_t>(1, 1000)),
                "Streamed: chunks that an NPU has room for, of weights and of gradients; not given: 2, "
                "without overlap_weights 1")
      .optional("overlap_weights", strategy(&S::overlap_weights), boolean(),
                "Streamed: an NPU computes while its next chunk comes in and its last gradients leave")
      .optional("gradient_store", strategy(&S::gradient_store),
                one_of<GradientStore>({"every_load", "last_load"}),
                "Streamed: gradients leave in every round of weight_loads_per_pass, or are kept and leave in "
                "the last one")
      .optional("overlap_stores", strategy(&S::overlap_stores), boolean(),
                "Streamed: the gradients of a stage leave while its next weights come in, which holds up "
                "both; false: the next weights wait until they have left")
      .optional("offload_weights", offload(&training::Offload::weights), boolean(),
                "Weights lie in the remote memory; they are loaded for every pass of a chunk and stored by "
                "the optimizer")
      .optional("offload_gradients", offload(&training::Offload::gradients), boolean(),
                "Reduced gradients are stored in the remote memory and loaded for the optimizer")
      .optional("offload_optimizer", offload(&training::Offload::optimizer), boolean(),
                "The optimizer's state lies in the remote memory: loaded and stored portion by portion")
      .optional("offload_portion", strategy(&S::offload_portion_bytes), any_size("4 KiB", "1 TB"),
                "Of what the optimizer needs, loaded at a time; there are buffers for two")
      .when_true([](const WorkloadSpec& spec) { return spec.training.strategy.offload.any(); },
                 "offload_weights, offload_gradients or offload_optimizer")
      .optional("input", strategy(&S::input), one_of<Input>({"prefetched", "streamed"}),
                "prefetched: the samples are there; streamed: they come in through the I/O controllers, "
                "microbatch by microbatch, for the first stage")
      .optional("overlap_input", strategy(&S::overlap_input), boolean(),
                "The samples of the next microbatch come in beside computation")
      .optional("simulated_chunks", strategy(&S::simulated_chunks), maybe(count),
                "resident_loop: simulate at most so many of the chunks_per_stage, to see from two numbers "
                "what each takes; times are of this part")
      .optional("simulated_rounds", strategy(&S::simulated_rounds), maybe(count),
                "resident_loop: simulate at most so many of the rounds of weight_loads_per_pass; times are "
                "of this part")
      .optional("optimizer_bytes_per_parameter", strategy(&S::optimizer_bytes_per_parameter),
                integer<std::uint32_t>(0, 1000), "State of the optimizer; 12: Adam with a copy in FP32")
      .optional("optimizer_operations_per_parameter", strategy(&S::optimizer_operations_per_parameter),
                integer<std::uint32_t>(0, 1000), "Operations of an optimizer step")
      .check(check_training);
}

}  // namespace wafertlm::config
