// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
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

  /// The weight gradient of a piece has been computed in the last computation.
  void collect(const Piece& piece);
  /// The last buckets, the optimizer, and what it has changed back to everybody.
  void finish();

 private:
  struct Bucket {
    NodeIds gradients;
    std::uint64_t bytes = 0;
    bool of_experts = false;
  };
  struct Reduced {
    std::uint64_t bytes;
    bool of_experts;
  };
  const Strategy& strategy() const { return plan_.strategy(); }
  void collect(std::uint64_t parameters, bool of_experts);
  void close(Bucket& bucket);
  void reduce(const Bucket& bucket, const NodeIds& ready);
  void optimize();
  void optimize_offloaded(std::uint64_t operations, Fraction share);

  const Plan& plan_;
  std::uint32_t rank_;
  NodeBuilder& nodes_;
  Bucket bucket_, expert_bucket_;
  std::vector<Bucket> delayed_;  // overlap_dp = false
  std::vector<Reduced> reduced_;
  NodeIds reductions_;
  NodeIds stored_;                // offloaded
  std::uint64_t parameters_ = 0;  // whose optimizer runs here
};

}  // namespace wafertlm::training
