// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "workloads/training/node_builder.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// What a rank moves through the I/O controllers: with streamed weights the chunks of weights and their
/// gradients (the rules are those of TrainingGenerator), with streamed input the samples.
class Streams {
 public:
  /// All outlive it. @param passes of this rank.
  Streams(const Plan& plan, std::uint32_t rank, const std::vector<Pass>& passes, NodeBuilder& nodes);

  /// Before the pass with number `step`: loads what may come in from now on, and waits for what it needs.
  void before_pass(std::size_t step);
  /// After it: gradients that leave behind it.
  void after_pass(std::size_t step);
  /// Waits for the samples of a pass; with overlap those of the next one come in meanwhile.
  void load_input(const Pass& pass);

 private:
  /// Passes of a chunk in one direction that follow each other. The same on all ranks.
  struct Visit {
    std::size_t begin = 0, end = 0;
  };
  const Strategy& strategy() const { return plan_.strategy(); }
  void begin_visit(std::size_t visit);
  void end_visit(std::size_t visit);
  void move_chunk(std::size_t visit, bool comes_in);

  const Plan& plan_;
  std::uint32_t rank_, stage_;
  const std::vector<Pass>& passes_;
  NodeBuilder& nodes_;
  std::vector<Visit> visits_;
  std::size_t visit_ = 0;                                // that the next pass belongs to
  std::map<std::size_t, std::uint64_t> loads_;           // by visit, of this rank's weights, not used yet
  std::map<std::size_t, std::uint64_t> stores_;          // by visit, of its gradients, not waited for yet
  std::optional<std::uint64_t> last_load_, last_store_;  // also of other stages
  std::map<std::uint32_t, std::uint64_t> inputs_;        // by microbatch, not used yet
};

}  // namespace wafertlm::training
