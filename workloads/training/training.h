// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/node_source.h"
#include "workloads/training/pipeline.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// One training iteration of one rank, node after node; memory: the nodes of one pass.
///
/// A COMP node depends on the one before it (an NPU runs its stream in order) and on the communication that
/// it needs. Per microbatch and layer:
///   forward   [ZeRO-3: all-gather of the unit's parameters] [all-to-all to the experts] product [all-to-all
///             back] [MP: all-reduce of the output]
///   backward  [recomputation] [ZeRO-3: all-gather again] input gradient [MP: all-reduce of it] weight
///             gradient
/// with sequence parallelism an all-gather before and a reduce-scatter after in place of each all-reduce.
/// Between stages: a message or a multicast per microbatch and direction. With a chunk's last backward pass
/// its gradients go into buckets (see Strategy), reduced over DP; the optimizer ends the iteration, with
/// ZeRO-1 and -2 followed by an all-gather of the parameters. Classes: mp, dp, pp, ep. The volumes are those
/// of Shoeybi et al. 2019, Rajbhandari et al. 2020 and Narayanan et al. 2021. With ZeRO-3 a chunk's
/// parameters are gathered for its first forward pass and again for its first backward pass of an iteration.
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
/// Left out: the gradients of tied embeddings on the first and last stage, those of norms with sequence
/// parallelism, and the reduction of the loss (all small).
class TrainingGenerator : public chakra::NodeSource {
 public:
  TrainingGenerator(std::shared_ptr<const Plan> plan, std::uint32_t rank);

  bool next(chakra::Node& node) override;
  void rewind() override;
  const std::string& name() const override { return name_; }

 private:
  using Ids = std::vector<std::uint64_t>;
  struct Bucket {
    Ids gradients;
    std::uint64_t bytes = 0;
    bool of_experts = false;
  };
  struct Reduced {
    std::uint64_t bytes;
    bool of_experts;
  };

  const Strategy& strategy() const { return plan_->strategy(); }
  void make_more();
  void begin_visit(std::size_t visit);
  void end_visit(std::size_t visit);
  void stream_weights(std::size_t visit, bool comes_in);
  void load_input(const Pass& pass);
  std::uint64_t stream(bool comes_in, const std::string& what, const char* traffic_class,
                       const std::string& group, std::uint64_t bytes, const Ids& after);
  void forward(const Pass& pass);
  void backward(const Pass& pass);
  void forward_layer(const Piece& piece, Plan::Work work);
  void backward_layer(const Piece& piece, bool is_last_pass);
  void collect_gradient(std::uint64_t parameters, bool of_experts, const Ids& ready);
  void close_bucket(Bucket& bucket);
  void reduce(const Bucket& bucket, const Ids& ready);
  void finish();

  std::uint64_t access(bool load, const std::string& what, std::uint64_t bytes, const Ids& after);
  void optimize();
  bool fetches_for(const Pass& pass) const;
  Ids gather_parameters(const std::vector<Piece>& pieces, std::uint32_t unit);
  std::uint32_t copies(bool of_experts) const;
  std::string copies_group(bool of_experts) const;
  void exchange(const Piece& piece);
  void mp_all_gather(const Piece& piece, std::uint64_t bytes);
  void mp_reduce(const std::string& what, std::uint64_t bytes);
  Ids everything();
  std::uint32_t number_of(const Pass& pass) const;
  void receive_from(std::uint32_t stage, const Pass& pass);
  void send_to(std::uint32_t stage, const Pass& pass);
  void transfer(std::uint32_t from_stage, std::uint32_t to_stage, std::uint32_t boundary, const Pass& pass,
                bool sends);

  void compute(const std::string& what, const Piece& piece, Plan::Work work);
  void compute(const std::string& what, std::uint64_t operations, std::vector<MatrixProduct> products);
  chakra::Node& communication(chakra::NodeType type, const std::string& what, const char* traffic_class,
                              std::uint64_t bytes, const Ids& after);
  std::uint64_t collective(chakra::CollectiveType type, const std::string& what, const char* traffic_class,
                           const std::string& group, std::uint64_t bytes, const Ids& after);
  /// Whether the next computation waits for it.
  void wait_for(std::uint64_t id) { waits_.push_back(id); }

  std::shared_ptr<const Plan> plan_;
  std::uint32_t rank_;
  Plan::Place at_;
  std::string name_;
  std::vector<Pass> passes_;
  /// With streamed weights: passes of a chunk in one direction that follow each other. The same on all ranks.
  struct Visit {
    std::size_t begin = 0, end = 0;  // passes
  };
  std::vector<Visit> visits_;
  std::size_t visit_ = 0;                        // that the next pass belongs to
  std::map<std::size_t, std::uint64_t> loads_;   // by visit, of this rank's weights, not used yet
  std::map<std::size_t, std::uint64_t> stores_;  // by visit, of this rank's gradients, not waited for yet
  std::optional<std::uint64_t> last_load_, last_store_;  // also of other stages
  std::map<std::uint32_t, std::uint64_t> inputs_;        // by microbatch, not used yet
  std::size_t step_ = 0;                                 // pass; behind them the end
  std::deque<chakra::Node> made_;                        // not handed out yet
  std::uint64_t next_id_ = 0;
  std::string label_;  // of the pass, for names
  Ids last_;           // the last computation; none or one
  Ids waits_;          // what else the next one needs
  Bucket bucket_, expert_bucket_;
  std::vector<Bucket> delayed_;  // overlap_dp = false
  std::vector<Reduced> reduced_;
  Ids reductions_;
  Ids stored_gradients_;          // offloaded
  std::uint64_t parameters_ = 0;  // whose optimizer runs here
};

}  // namespace wafertlm::training
