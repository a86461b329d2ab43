// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/fabric_traits.h"
#include "tlm/program.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// A tree over the ranks of a collective, and a vector that goes through it in chunks.
struct IoTreePlan {
  std::uint32_t root = 0;
  std::vector<std::uint32_t> parent;                 ///< by rank; the root's is the root
  std::vector<std::vector<std::uint32_t>> children;  ///< by rank
  std::uint64_t bytes = 0, chunk_bytes = 1;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes); }
};

/// Broadcast down a tree: strand 0 receives chunk by chunk from the parent, a strand for each child passes
/// them on.
class IoBroadcast : public StepSource {
 public:
  IoBroadcast(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}
  std::uint32_t strands() const override;
  std::uint32_t steps(std::uint32_t) const override { return plan_->chunks(); }
  Step step(std::uint32_t strand, std::uint32_t index) const override;

 private:
  std::shared_ptr<const IoTreePlan> plan_;
  std::uint32_t rank_;
};

/// Reduction up a tree: a strand for each child adds what comes, each behind the one before it, so that the
/// last strand, which sends the sum to the parent, depends on one only.
class IoReduce : public StepSource {
 public:
  IoReduce(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}
  std::uint32_t strands() const override;
  std::uint32_t steps(std::uint32_t) const override { return plan_->chunks(); }
  Step step(std::uint32_t strand, std::uint32_t index) const override;

 private:
  std::shared_ptr<const IoTreePlan> plan_;
  std::uint32_t rank_;
};

/// A stream between the outside of the wafer and all its NPUs, over all I/O controllers at once.
struct IoStreamRequest {
  CollectiveType type{};                     ///< broadcast: weights come in; reduce: gradients go out, summed
  std::uint64_t bytes = 0;                   ///< in all; split evenly over the controllers
  std::optional<std::uint64_t> chunk_bytes;  ///< passed on as a whole; none: see io_chunk_bytes
  DataType data_type{};                      ///< of the values in functional mode
};

/// The programs of a stream, one for each controller ("channel"): rank 0 is the controller, rank 1 + n is NPU
/// n. The tree of a channel is the rule that the FRED paper's I/O arithmetic follows (fred.md, section 2):
/// from the left or right edge along the row, then up and down every column; from the top or bottom along the
/// column, then along every row. Every hop ends at an endpoint. In a tree of switches: chains, each byte
/// crosses every uplink at most once in each direction.
struct IoStream {
  std::vector<std::shared_ptr<const CollectiveProgram>> channels;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t busiest_link_bytes = 0;   ///< between two routers or switches, payload
  std::uint32_t busiest_link_shares = 0;  ///< trees that use that link
  /// Bound: what the busiest link, controller or NPU port takes for its bytes; with these trees nothing can
  /// be faster. Prediction: that and the time to fill the pipeline, with wire bytes.
  CollectiveCost cost;
};

/// @throws std::invalid_argument: the fabric has no I/O controllers; the type is neither broadcast nor
/// reduce.
IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
