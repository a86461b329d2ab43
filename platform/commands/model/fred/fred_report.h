// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
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

/// The policies of place_workers on a wafer whose columns are the L1 switches: `paper` fills L1 switch after
/// L1 switch, `row_major` gives consecutive workers to different ones. A file names NPUs.
/// @throws std::invalid_argument as place_workers.
Placement place_on_fred(const std::string& policy, const Parallelism& parallelism,
                        const FredWaferShape& shape, std::uint64_t seed);

/// The phases that a parallelism has: mp and dp run `type` in their groups; in pp one worker of each stage
/// multicasts to the MP group of the next stage, and in the backward pass to that of the stage before.
std::vector<FredPhase> fred_phases(const Parallelism& parallelism, const Placement& placement,
                                   CollectiveType type);

/// Whether all steps of a phase route.
struct PhaseOutcome {
  FredRouteStatus status = FredRouteStatus::routed;  ///< that of the first step that does not
  std::optional<std::size_t> step;                   ///< that does not route
  WaferRouting::Conflict conflict = WaferRouting::Conflict::none;
  std::string reason;
};
PhaseOutcome route_phase(const FredPhase& phase, const FredWaferRouter& router,
                         const WaferRouteOptions& options);

/// The ways of routing that are compared: the paper's first colouring; backtracking over the colourings of
/// each switch; and over the choice of uplinks as well.
struct FredWay {
  const char* name;
  WaferRouteOptions options;
};
inline constexpr FredWay kFredWays[] = {
    {"first colouring", {{FredRouteMode::first_colouring}, 1}},
    {"backtracking", {{FredRouteMode::backtracking}, 1}},
    {"uplinks too", {{FredRouteMode::backtracking}, 1000}},
};
inline constexpr WaferRouteOptions kBestWay = kFredWays[2].options;

/// All parallelisms whose degrees multiply to `workers`; by MP, then DP.
std::vector<Parallelism> all_parallelisms(std::uint32_t workers);

/// What `wafertlm model fred routes` is asked for, checked.
struct FredRoutesQuery {
  FredWaferShape shape;
  std::vector<std::uint32_t> ms;
  CollectiveType type = CollectiveType::all_reduce;
  std::string placement = "paper";
  std::uint64_t seed = 1;
  bool print_configurations = false;
};

/// "5 L1 switches of 4 NPUs, …".
std::string shape_text(const FredWaferShape& shape);
nlohmann::json shape_json(const FredWaferShape& shape);

/// The flows of every phase in every switch, and whether they route.
std::string routes_text(const FredRoutesQuery& query, const Parallelism& parallelism);
nlohmann::json routes_json(const FredRoutesQuery& query, const Parallelism& parallelism);

}  // namespace wafertlm
