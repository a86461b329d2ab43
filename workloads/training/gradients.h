// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/training/node_builder.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// The gradients that stay on the wafer: collected in buckets, reduced over DP, those of tied embeddings also
/// over the two stages that have them, and the optimizer that uses them.
class Gradients {
 public:
  /// All outlive it.
  Gradients(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes)
      : plan_(plan), rank_(rank), nodes_(nodes) {}

  /// The weight gradient of a piece of `chunk` has been computed in the last computation. `is_last`: of the
  /// iteration.
  void collect(const Piece& piece, std::uint32_t chunk, bool is_last);
  /// Of all pieces of a backward pass. What is reduced and offloaded for every microbatch adds up in the
  /// remote memory: the sum so far is loaded, added to on the NPU and stored, as DeepSpeed does.
  void end_pass();
  /// The last buckets, the optimizer, and what it has changed back to everybody.
  void finish();

 private:
  /// Of a bucket's sum in the remote memory: its number in a pass, and the chunk if there are several passes.
  using Place = std::pair<std::size_t, std::uint32_t>;
  struct Bucket {
    NodeIds gradients;
    std::uint64_t bytes = 0, updated_bytes = 0;  // of them those that this rank's optimizer needs
    Kind kind = Kind::dense;
    Place place;
  };
  const Strategy& strategy() const { return plan_.strategy(); }
  bool adds_up() const { return strategy().gather == Gather::microbatch && strategy().offload.gradients; }
  void collect(const Piece& piece, Kind kind, bool is_last);
  void close(Bucket& bucket);
  void reduce(Bucket bucket, const NodeIds& ready);
  void store(const Bucket& bucket, const std::string& what, NodeIds after);
  void sum_tied();
  void optimize();
  void optimize_offloaded(std::uint64_t operations);

  const Plan& plan_;
  std::uint32_t rank_;
  NodeBuilder& nodes_;
  std::array<Bucket, kKinds.size()> open_;  // by kind
  std::vector<Bucket> delayed_;             // overlap_dp = false
  std::vector<Bucket> reduced_;
  NodeIds reductions_;
  Place place_;
  std::map<Place, std::uint64_t> stored_;  // offloaded
  std::uint64_t updated_ = 0;              // parameters whose optimizer runs here
  std::uint64_t tied_bytes_ = 0;           // of them
};

}  // namespace wafertlm::training
