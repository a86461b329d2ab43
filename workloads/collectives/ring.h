// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// What all ranks of a ring collective share.
struct RingPlan {
  CollectiveType type{};             ///< all_reduce, all_gather or reduce_scatter
  std::vector<std::uint32_t> order;  ///< ranks in ring order
  std::vector<std::uint32_t> place;  ///< of a rank in the order
  std::uint64_t bytes = 0;           ///< full vector
  std::uint32_t directions = 1;      ///< 2: bidirectional, odd parts run backwards
  std::uint32_t chunks = 1;          ///< per direction

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(order.size()); }
  std::uint32_t parts() const { return directions * chunks; }
  /// Steps of a part: p − 1 to reduce-scatter, p − 1 to all-gather.
  std::uint32_t steps() const;
};

/// Ring all-reduce, all-gather and reduce-scatter. The vector is cut into a block per rank, every block into
/// parts (directions × chunks) that run side by side. In reduce-scatter step s a rank sends the block of the
/// rank s + 1 places behind it and adds what comes; after p − 1 steps it holds its own block reduced.
/// All-gather passes the blocks on in the same way.
class RingProgram : public StepSource {
 public:
  RingProgram(std::shared_ptr<const RingPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return plan_->ranks() > 1 ? 2 * plan_->parts() : 0; }
  std::uint32_t steps(std::uint32_t) const override { return plan_->steps(); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  std::shared_ptr<const RingPlan> plan_;
  std::uint32_t rank_;
};

/// A ring in `directions`, in the order of the topology (Topology::ring_order).
Algorithm::Programs ring_programs(const CollectiveRequest& request, const FabricTraits& fabric,
                                  std::uint32_t directions);
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric, std::uint32_t directions);

// Rows of the table of algorithms.
template <std::uint32_t directions>
Algorithm::Programs ring_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  return ring_programs(request, fabric, directions);
}
template <std::uint32_t directions>
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  return ring_ps(request, fabric, directions);
}

}  // namespace wafertlm
