// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/training/node_builder.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// The gradients that stay on the wafer: collected in buckets, reduced over DP, and the optimizer that uses
/// them.
class Gradients {
 public:
  /// All outlive it.
  Gradients(const Plan& plan, std::uint32_t rank, NodeBuilder& nodes)
      : plan_(plan), rank_(rank), nodes_(nodes) {}

  /// The weight gradient of a piece has been computed in the last computation. `is_last`: of the iteration.
  void collect(const Piece& piece, bool is_last = true);
  /// The last buckets, the optimizer, and what it has changed back to everybody.
  void finish();

 private:
  struct Bucket {
    NodeIds gradients;
    std::uint64_t bytes = 0, updated_bytes = 0;  // of them those that this rank's optimizer needs
    Kind kind = Kind::dense;
  };
  const Strategy& strategy() const { return plan_.strategy(); }
  void collect(const Piece& piece, Kind kind, bool is_last);
  void close(Bucket& bucket);
  void reduce(Bucket bucket, const NodeIds& ready);
  void store(const Bucket& bucket, const std::string& what, const NodeIds& after);
  void optimize();
  void optimize_offloaded(std::uint64_t operations);

  const Plan& plan_;
  std::uint32_t rank_;
  NodeBuilder& nodes_;
  std::array<Bucket, kKinds.size()> open_;  // by kind
  std::vector<Bucket> delayed_;             // overlap_dp = false
  std::vector<Bucket> reduced_;
  NodeIds reductions_;
  NodeIds stored_;             // offloaded
  std::uint64_t updated_ = 0;  // parameters whose optimizer runs here
};

}  // namespace wafertlm::training
