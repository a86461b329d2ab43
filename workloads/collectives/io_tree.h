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

/// A tree over the ranks of a collective.
struct IoTree {
  std::vector<std::uint32_t> parent;                 ///< by rank; the root's is the root
  std::vector<std::vector<std::uint32_t>> children;  ///< by rank
};

/// A vector that goes through trees with the same root in chunks: chunk c takes tree c mod their number.
struct IoTreePlan {
  Group group;               ///< the controller, then the NPUs of the trees in the order of their numbers
  std::vector<bool> relays;  ///< by rank: not a member of the stream, only passes it on; empty: nobody
  std::uint32_t root = 0;
  std::vector<IoTree> trees;
  std::uint64_t bytes = 0, chunk_bytes = 1;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes); }
  std::uint32_t chunks_of(std::size_t tree) const {
    const auto count = static_cast<std::uint32_t>(trees.size());
    return (chunks() + count - 1 - static_cast<std::uint32_t>(tree)) / count;
  }
  /// What goes through a tree.
  std::uint64_t bytes_of(std::size_t tree) const;
};

/// One rank's part: per tree a strand for the parent and one for each child, a step per chunk. Broadcast:
/// chunks come from the parent and are passed on. Reduce: what children send is added, one behind the other,
/// so that the sum that goes to the parent depends on the last one only; a relay has nothing to add it to.
class IoProgram : public StepSource {
 public:
  IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces);
  std::uint32_t strands() const override { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t steps(std::uint32_t strand) const override { return plan_->chunks_of(places_[strand].tree); }
  Step step(std::uint32_t strand, std::uint32_t index) const override;

 private:
  struct Place {
    std::uint32_t tree;
    Step::Kind kind;
    std::uint32_t peer;
    std::uint32_t after;  ///< strand whose step of the same chunk comes first, or kNone
  };
  std::shared_ptr<const IoTreePlan> plan_;
  std::vector<Place> places_;
};

/// A stream between the outside of the wafer and its NPUs, over all I/O controllers at once.
struct IoStreamRequest {
  CollectiveType type{};                     ///< broadcast: weights come in; reduce: gradients go out, summed
  std::uint64_t bytes = 0;                   ///< in all; split evenly over the controllers
  std::optional<std::uint64_t> chunk_bytes;  ///< passed on as a whole; none: by size and costs
  DataType data_type{};                      ///< of the values in functional mode
  Group members = {};                        ///< NPUs that it is for; empty: all
};

/// The programs of a stream, one for each controller ("channel"): rank 0 is the controller, the others are
/// the NPUs that take part. The tree of a channel is the rule that the FRED paper's I/O arithmetic follows
/// (fred.md, section 2): from the left or right edge along the row, then up and down every column; from the
/// top or bottom along the column, then along every row. Every hop ends at an endpoint; branches without
/// members are cut off, and who is left between members passes on. In a tree of switches: chains of members,
/// each byte crosses every uplink at most once in each direction.
struct IoStream {
  std::vector<std::shared_ptr<const CollectiveProgram>> channels;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t busiest_link_bytes = 0;   ///< between two routers or switches, payload
  std::uint32_t busiest_link_shares = 0;  ///< trees that use that link
  /// Bound: what the busiest link, controller or NPU port takes for its bytes, or the way between a
  /// controller and the NPU farthest from it; with these trees nothing can be faster. Prediction: wire bytes,
  /// the costs of the messages, and the time to fill the pipeline.
  CollectiveCost cost;
};

/// @throws std::invalid_argument: the fabric has no I/O controllers; the type is neither broadcast nor
/// reduce; a member is not on the wafer.
IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
