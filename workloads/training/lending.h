// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "workloads/training/node_builder.h"
#include "workloads/training/plan.h"

namespace wafertlm::training {

/// The stage that lends memory to `stage` or borrows from it: the one as far from the pipeline's other end.
inline std::uint32_t lending_partner(std::uint32_t stages, std::uint32_t stage) { return stages - 1 - stage; }

/// What happens to microbatches' activations behind a pass.
struct LendingStep {
  std::optional<std::uint32_t> leaves;   ///< to the partner
  std::optional<std::uint32_t> returns;  ///< is asked for, for the backward pass after next
};

/// Behind each pass of a stage. Stage p of 1F1B has min(P − p, M) microbatches' activations; with
/// Strategy::lend_activations it keeps no more than half of what the two partners have, rounded up, and one
/// that is on its way: what is more leaves behind its forward pass and comes back behind the backward pass
/// before its own. Only whole microbatches count, not that stages differ.
/// (WATOS, HPCA 2026, arXiv 2512.12279; between these two stages as BPipe, Kim et al., ICML 2023.)
std::vector<LendingStep> lending_steps(const Plan& plan, std::uint32_t stage);

/// Microbatches of the partner that `stage` holds at the same time at most.
std::uint32_t most_borrowed(const Plan& plan, std::uint32_t stage);

/// The messages of it, of class memory: the activations, later a request, and the activations again.
class Lending {
 public:
  /// All outlive it.
  Lending(const Plan& plan, std::uint32_t rank, const std::vector<Pass>& passes, NodeBuilder& nodes);

  /// Before the pass with number `step`, and after it.
  void before_pass(std::size_t step);
  void after_pass(std::size_t step);

 private:
  enum class Part : std::uint32_t { there, request, back };
  /// @param sends this rank does.
  std::uint64_t message(Part part, std::uint32_t microbatch, bool sends, std::uint64_t bytes,
                        const NodeIds& after);
  void hold_for_partner();

  const Plan& plan_;
  std::uint32_t rank_, stage_, partner_;
  const std::vector<Pass>& passes_;
  NodeBuilder& nodes_;
  std::vector<LendingStep> steps_;
  std::optional<std::uint64_t> left_;              // the last microbatch that leaves
  std::map<std::uint32_t, std::uint64_t> coming_;  // by microbatch, not used yet
};

}  // namespace wafertlm::training
