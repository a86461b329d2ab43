// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/collectives/algorithm/request.h"

namespace wafertlm {

struct FabricTraits;

/// Chunks that the algorithm takes if the request leaves them open: 1 for rings; for hierarchical_2d and
/// trees the power of two up to 64 with the smallest closed form; more while each doubling gains a tenth.
/// Algorithms without chunks: 1.
std::uint32_t default_chunks(const CollectiveRequest& request, const FabricTraits& fabric);

/// The request with algorithm and chunks filled in. kFastest becomes the algorithm with the smallest
/// prediction on this group; of those within 2 % of it the one that algorithms_for lists first. An open
/// algorithm becomes the same for small vectors, of which a quarter of the time is latency, and for all other
/// types than all-reduce, all-gather and reduce-scatter. Large vectors of these go as in the baseline of the
/// FRED paper: on a full rectangle the better of hierarchical_2d and, where the ring closes with neighbours,
/// bidirectional_ring; in other groups ring.
/// @throws std::invalid_argument as plan_collective
CollectiveRequest settled(const CollectiveRequest& request, const FabricTraits& fabric);

/// The program of a settled or open request.
/// @throws std::invalid_argument: an empty group, an NPU twice or not on the wafer, a root outside the group,
/// a barrier with data, an algorithm that cannot do it.
std::shared_ptr<const CollectiveProgram> plan_collective(const CollectiveRequest& request,
                                                         const FabricTraits& fabric);

/// Costs that the result is printed beside, from the plan and the fabric alone (reference: collectives.md).
struct CollectiveCost {
  TimePs predicted_ps = 0;  ///< alone on the idle fabric, not less than the bound (cost.h)
  TimePs bound_ps = 0;      ///< no algorithm can be faster on this fabric
  /// An element per rank would take half as long or longer.
  bool mostly_latency = false;
};
CollectiveCost cost_of(const CollectiveProgram& program, const CollectiveRequest& request,
                       const FabricTraits& fabric);

/// What results call a collective that was planned in the network and done in steps: "ring (decomposed)".
inline std::string decomposed_name(const CollectiveProgram& done) { return done.algorithm + " (decomposed)"; }

/// busbw = size / time × factor, as nccl-tests prints it.
double bus_factor(CollectiveType type, std::size_t ranks);

/// What a library of GPUs compares, and how long its own model says that it lasts.
struct LibraryChoice {
  std::string algorithm;  ///< a row of the table
  TimePs time_ps = 0;
};
/// Of kNccl, fastest first; empty: it has no choice for this type.
/// @throws std::invalid_argument: no library, or no servers.
std::vector<LibraryChoice> nccl_choices(const CollectiveRequest& request, const FabricTraits& fabric);

/// What the planner would do at a size, for a table of its choices.
struct PlannerChoice {
  std::uint64_t bytes = 0;
  std::size_t ranks = 0;
  std::string algorithm;
  std::uint32_t chunks = 1;
  TimePs predicted_ps = 0, bound_ps = 0;
  std::vector<LibraryChoice> of_library = {};  ///< of kNccl
};
/// A row per size; `request.algorithm` empty, else what that algorithm would take.
std::vector<PlannerChoice> planner_choices(CollectiveRequest request, const std::vector<std::uint64_t>& sizes,
                                           const FabricTraits& fabric);

/// What kFastest might take in place of a request that has no algorithm and is planned to take `planned_ps`,
/// if that is predicted to be at least 5 % shorter; by predictions alone. None for more than
/// kMostAdvisedRanks ranks, whose trees take seconds to plan.
std::optional<PlannerChoice> faster_choice(const CollectiveRequest& request, TimePs planned_ps,
                                           const FabricTraits& fabric);
constexpr std::size_t kMostAdvisedRanks = 64;

}  // namespace wafertlm
