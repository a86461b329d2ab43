// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "workloads/models/layer.h"
#include "workloads/parallelism/parallelism.h"

namespace wafertlm::training {

/// The order in which a pipeline stage works on microbatches.
enum class Schedule : std::uint8_t {
  gpipe,                     ///< all forward passes, then all backward passes
  one_forward_one_backward,  ///< 1F1B: backward passes as soon as they can start
  interleaved,               ///< 1F1B over several chunks of blocks per stage (Narayanan et al., SC 2021)
  resident_loop,             ///< chunk after chunk for all microbatches of a round: with streamed weights
  zero_bubble,               ///< 1F1B whose weight gradients wait: ZB-H1 (Qi et al., ICLR 2024)
};

/// How often ZeRO-3 gathers parameters for a direction.
enum class Gather : std::uint8_t {
  iteration,   ///< once: they stay until the last microbatch
  microbatch,  ///< for each, and gradients are reduced for each, as FSDP does
};

/// What ranks of an MP group divide, and what they exchange.
enum class TensorParallelism : std::uint8_t {
  one_d,           ///< weights, by columns or rows: all-reduces of activations (Shoeybi et al. 2019)
  two_d,           ///< weights and activations on a grid: all-gathers and reduce-scatters along its lines
  stream,          ///< tokens; weights go round a ring, step by step beside computation
  two_way_stream,  ///< the same, half of each step's weights each way
};

enum class DpCollective : std::uint8_t {
  all_reduce,
  reduce_scatter_all_gather,
  none,  ///< gradients stay where they are: what is left when their reduction costs nothing
};

/// What happens where a degree does not divide a model.
enum class Uneven : std::uint8_t {
  error,
  fractional,  ///< every rank gets the same fraction of it, with stationary activations of a microbatch, too
};

/// What tensor parallelism divides.
enum class Activations : std::uint8_t {
  shared,      ///< products in columns, then in rows: a block's input and output are on every MP rank
  stationary,  ///< the hidden dimension of all activations, and every product's rows: its result is a sum
};

enum class StageTransfer : std::uint8_t {
  peer,       ///< every worker sends to the one with its MP index in the next stage
  multicast,  ///< the first worker of an MP group sends to the next stage's MP group
};

enum class Weights : std::uint8_t {
  stationary,  ///< on the NPUs
  streamed,    ///< outside of the wafer, as the optimizer is; they come in for every pass of a chunk
};

enum class WeightDelivery : std::uint8_t {
  broadcast,  ///< every NPU gets all weights, and takes part in all sums of gradients
  needed,     ///< who needs them: a multicast over DP for every share of MP and PP
};

enum class GradientStore : std::uint8_t {
  every_load,  ///< gradients leave after every visit of a chunk in a backward pass
  last_load,   ///< they are kept and leave after the last one
};

enum class Input : std::uint8_t {
  prefetched,  ///< samples are there
  streamed,    ///< they come in through the I/O controllers, microbatch by microbatch
};

/// What lies in the remote memory between its uses.
struct Offload {
  bool weights = false, gradients = false, optimizer = false;
  bool any() const { return weights || gradients || optimizer; }
};

/// How a model is trained on many NPUs. A rank is a worker of `degrees`.
struct Strategy {
  Parallelism degrees;
  std::uint32_t expert_parallel = 1;  ///< neighbours in DP that divide the experts; divides dp
  /// Tokens that experts have room for, relative to those sent to them if all got equally many (Lepikhin et
  /// al. 2021): all-to-alls and the experts' products are so many times as large.
  double capacity_factor = 1;
  std::uint32_t zero_stage = 0;       ///< 0 … 3: what DP divides: the optimizer, gradients, parameters
  Gather gather = Gather::iteration;  ///< ZeRO-3
  std::uint32_t prefetch = 1;         ///< units whose parameters come in beside computation, with overlap_dp
  bool sequence_parallel = false;     ///< tensor parallelism also divides norms, along the sequence
  bool split_vocabulary = false;      ///< tensor parallelism also divides embedding and head
  Activations activations = Activations::shared;
  TensorParallelism tensor_parallelism = TensorParallelism::one_d;

  Schedule schedule = Schedule::one_forward_one_backward;
  std::uint32_t chunks_per_stage = 1;  ///< interleaved, resident_loop
  std::uint64_t minibatch = 0;         ///< samples of an iteration, of all replicas
  std::uint32_t microbatches = 1;
  model::Recompute recompute = model::Recompute::none;
  std::optional<std::uint32_t> recompute_stages;  ///< the first ones; none: all
  bool lend_activations = false;                  ///< early stages to late ones: lending.h
  Uneven uneven = Uneven::error;

  std::uint32_t element_bytes = 2;            ///< of weights, activations and gradients
  std::optional<DpCollective> dp_collective;  ///< none: all-reduce, with ZeRO the other; ZeRO-3 has no choice
  std::uint64_t bucket_bytes = std::uint64_t{25} << 20;
  StageTransfer stage_transfer = StageTransfer::peer;
  // Whether communication runs beside later computation that does not need it.
  bool overlap_mp = false, overlap_dp = true, overlap_pp = true;

  Weights weights = Weights::stationary;
  std::uint32_t weight_loads_per_pass = 1;  ///< streamed: rounds of microbatches, each forward and back
  WeightDelivery weight_delivery = WeightDelivery::broadcast;
  bool overlap_weights = true;  ///< streams run beside computation
  std::optional<std::uint32_t>
      weight_buffers;  ///< chunks that an NPU has room for; none: 2, 1 without overlap
  GradientStore gradient_store = GradientStore::every_load;
  bool overlap_stores = true;  ///< of a stage: gradients leave while its next weights come in; false: before
  Input input = Input::prefetched;
  bool overlap_input = true;  ///< a microbatch comes in beside the computation of the one before

  Offload offload;
  std::uint64_t offload_portion_bytes = std::uint64_t{1}
                                        << 30;  ///< of the optimizer's state, loaded at a time

  // A part of a long iteration, whose parts are alike: at most so many of the chunks of each stage, of the
  // rounds that weight_loads_per_pass makes. None: all.
  std::optional<std::uint32_t> simulated_chunks, simulated_rounds;

  std::uint32_t optimizer_bytes_per_parameter = 12;      ///< Adam: two moments and a copy, 4 bytes each
  std::uint32_t optimizer_operations_per_parameter = 4;  ///< as many as of momentum SGD
  /// Operations per second that an NPU sustains; 0: durations are left to the NPU.
  std::uint64_t effective_rate = 0;

  /// Whether every rank of an MP group has its own part of all activations between layers.
  bool divides_activations() const {
    return sequence_parallel || keeps_activations() || tensor_parallelism != TensorParallelism::one_d;
  }
  model::Recompute recompute_in(std::uint32_t stage) const {
    return stage < recompute_stages.value_or(degrees.pp) ? recompute : model::Recompute::none;
  }
  bool streams_tensors() const {
    return tensor_parallelism == TensorParallelism::stream ||
           tensor_parallelism == TensorParallelism::two_way_stream;
  }
  bool streams_weights() const { return weights == Weights::streamed; }
  std::uint32_t buffers() const { return weight_buffers.value_or(overlap_weights ? 2 : 1); }
  std::uint32_t chunks() const { return degrees.pp * chunks_per_stage; }
  std::uint32_t chunks_to_simulate() const {
    return std::min(simulated_chunks.value_or(chunks_per_stage), chunks_per_stage);
  }
  std::uint32_t rounds_to_simulate() const {
    return std::min(simulated_rounds.value_or(weight_loads_per_pass), weight_loads_per_pass);
  }
  bool is_a_part() const {
    return chunks_to_simulate() != chunks_per_stage || rounds_to_simulate() != weight_loads_per_pass;
  }
  /// Of a replica; with stationary activations perhaps no whole number.
  double samples_per_microbatch() const { return static_cast<double>(minibatch) / degrees.dp / microbatches; }
  bool keeps_activations() const { return activations == Activations::stationary; }
  /// Whether gradients are reduced to where their part of the optimizer is.
  bool scatters_gradients() const {
    return zero_stage == 3 ||
           (dp_collective ? *dp_collective == DpCollective::reduce_scatter_all_gather : zero_stage >= 1);
  }
};

}  // namespace wafertlm::training
