// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "models/fred/routing/wafer_router.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// The communication of one class, all groups at once.
struct FredPhase {
  std::string name;  ///< mp, pp, dp
  std::string what;  ///< the collective, or how stages pass their results on
  std::size_t groups = 0;
  std::vector<WaferStep> steps;  ///< one after the other
};

/// The phases that a parallelism has: mp and dp run `type` in their groups; in pp one worker of each stage
/// multicasts to the MP group of the next stage, and in the backward pass to that of the stage before.
std::vector<FredPhase> fred_phases(const Parallelism& parallelism, const Placement& placement,
                                   CollectiveType type);

/// Whether all steps of a phase route.
struct PhaseOutcome {
  FredRouteStatus status = FredRouteStatus::routed;  ///< that of the first step that does not
  std::optional<std::size_t> step;                   ///< that does not route
  std::string reason;
};
PhaseOutcome route_phase(const FredPhase& phase, const FredWaferRouter& router,
                         const FredRouteOptions& options);

/// All parallelisms whose degrees multiply to `workers`; by MP, then DP.
std::vector<Parallelism> all_parallelisms(std::uint32_t workers);

}  // namespace wafertlm
