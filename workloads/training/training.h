// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/node_source.h"
#include "workloads/training/gradients.h"
#include "workloads/training/lending.h"
#include "workloads/training/node_builder.h"
#include "workloads/training/pipeline.h"
#include "workloads/training/plan.h"
#include "workloads/training/streams.h"
#include "workloads/training/tensor_schedule.h"

namespace wafertlm::training {

/// One training iteration of one rank, node after node; memory: the nodes of one pass.
///
/// A COMP node depends on the one before it (an NPU runs its stream in order) and on the communication that
/// it needs. Per microbatch and layer:
///   forward   [ZeRO-3: all-gather of the unit's parameters] [all-to-all to the experts] product [all-to-all
///             back] [MP: all-reduce of the output]
///   backward  [recomputation] [ZeRO-3: all-gather again] input gradient [MP: all-reduce of it] weight
///             gradient
/// with sequence parallelism an all-gather before and a reduce-scatter after in place of each all-reduce;
/// with TensorParallelism other than one_d what TensorGrid and TensorStream say. Between stages: a message or
/// a multicast per microbatch and direction. With a chunk's last backward pass its gradients go into buckets
/// (see Strategy), reduced over DP; then those of tied embeddings are all-reduced between first and last
/// stage, each of which has a copy of the matrix (as in Megatron-LM); the optimizer ends the iteration, with
/// ZeRO-1 and -2 followed by an all-gather of the parameters. Classes: mp, dp, pp, ep. The volumes are those
/// of Shoeybi et al. 2019, Rajbhandari et al. 2020 and Narayanan et al. 2021. With ZeRO-3 a chunk's
/// parameters are gathered for its first forward pass and again for its first backward pass of an iteration,
/// with Gather::microbatch for each pass, and gradients are reduced after each backward pass (FSDP).
///
/// With streamed weights a stage visits its chunks one after the other, forward and back again, for each
/// round of microbatches. A visit waits for its chunk of weights, which may come in when the visit so many
/// before it as there are buffers is over; gradients leave after a backward visit, and have left as many
/// visits later, without Strategy::overlap_stores before the next weights come in. There is no optimizer.
/// Streams are collectives (Node::io_stream) of class weights. With WeightDelivery::broadcast all ranks take
/// part in those of all stages, but wait only for their own.
///
/// What is offloaded (Strategy::offload) is loaded from and stored to the remote memory by MEM nodes: weights
/// unit by unit before a chunk's first forward and first backward pass, as ZeRO-3 gathers them (after the
/// load); a bucket of gradients when it is reduced; the optimizer's state portion by portion, the next one
/// while one is worked on, and back. Offloaded weights are stored by those who update them and need no
/// all-gather.
///
/// Left out: the gradients of norms with sequence parallelism, and the reduction of the loss (both small).
class TrainingGenerator : public chakra::NodeSource {
 public:
  /// @param memory_bytes of memory_bytes(); may be those of a longer iteration, of which `plan` is a part.
  TrainingGenerator(std::shared_ptr<const Plan> plan, std::uint32_t rank,
                    std::optional<std::uint64_t> memory_bytes = {});
  TrainingGenerator(const TrainingGenerator&) = delete;
  TrainingGenerator& operator=(const TrainingGenerator&) = delete;

  bool next(chakra::Node& node) override;
  void rewind() override;
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> memory_bytes() const override { return memory_bytes_; }

 private:
  const Strategy& strategy() const { return plan_->strategy(); }
  void make_more();
  void forward(const Pass& pass);
  void backward(const Pass& pass);
  void forward_layer(const Piece& piece, Plan::Work work);
  void backward_layer(const Piece& piece, const Pass& pass);
  void weight_gradient(const Piece& piece, const Pass& pass);
  void collect_gradients(const Piece& piece, const Pass& pass);
  /// Whether no pass after this one has the same direction and chunk.
  bool is_last(const Pass& pass) const;

  bool fetches_for(const Pass& pass) const;
  NodeIds gather_parameters(const std::vector<Piece>& pieces, std::uint32_t unit);
  /// Parameters of a pass's units, each before it is computed with.
  class Prefetch;
  void exchange(const Piece& piece);
  void mp_all_gather(const Piece& piece, std::uint64_t bytes);
  void mp_collective(chakra::CollectiveType type, const std::string& what, std::uint64_t bytes,
                     std::uint32_t copies);
  void mp_reduce(const std::string& what, std::uint64_t bytes);
  /// Of all chunks of the model.
  std::uint32_t number_of(const Pass& pass) const { return pass.chunk * strategy().degrees.pp + at_.pp; }
  void receive_from(std::uint32_t stage, const Pass& pass);
  void send_to(std::uint32_t stage, const Pass& pass);
  void transfer(std::uint32_t from_stage, std::uint32_t to_stage, std::uint32_t boundary, const Pass& pass,
                bool sends);
  void compute(const std::string& what, const Piece& piece, Plan::Work work);
  /// The next computation does.
  void wait_for(const NodeIds& ids) {
    for (const std::uint64_t id : ids) nodes_.wait_for(id);
  }

  std::shared_ptr<const Plan> plan_;
  std::uint32_t rank_;
  std::optional<std::uint64_t> memory_bytes_;
  Plan::Coordinates at_;
  std::string name_;
  std::vector<Pass> passes_;
  std::size_t step_ = 0;  // pass; behind them the end
  NodeBuilder nodes_;
  std::optional<Streams> streams_;  // made anew for each iteration, as are the gradients
  std::optional<Gradients> gradients_;
  std::optional<Lending> lending_;
  std::unique_ptr<TensorSchedule> tensor_;
};

}  // namespace wafertlm::training
