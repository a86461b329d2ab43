// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/model/fred/fred_report.h"

namespace wafertlm {

/// All parallelisms over some numbers of workers, with some placements.
struct FredSweepQuery {
  FredRoutesQuery routes;  ///< its placement is not used
  std::uint32_t fewest_workers = 20, most_workers = 20;
  std::vector<std::string> placements = {"paper", "row_major", "random"};
  std::uint64_t seeds = 20;  ///< random placements: seed, seed + 1, …
};

/// Counts for one m and one way of routing.
struct SweepCount {
  std::uint64_t conflicts = 0;                ///< cases that do not route
  std::uint64_t impossible = 0;               ///< of these, proven so
  std::uint64_t uplinks = 0, l1 = 0, l2 = 0;  ///< of the conflicts, where (the first place in switch order)
};

/// A case is a phase of one parallelism with one placement.
struct SweepRow {
  std::string placement, phase;  ///< phase "any": the parallelisms; a conflict is a conflict in any phase
  std::uint64_t cases = 0;
  std::vector<SweepCount> counts;  ///< m by m, the ways in their order
};

/// A case that does not route in one of the ways.
struct SweepConflict {
  std::string parallelism, placement, phase;
  std::uint64_t seed = 0;              ///< of a random placement
  std::vector<PhaseOutcome> outcomes;  ///< as SweepRow::counts
};

struct FredSweep {
  std::uint64_t parallelisms = 0;
  std::vector<SweepRow> rows;
  std::vector<SweepConflict> conflicts;
};

FredSweep sweep_routes(const FredSweepQuery& query);
std::string sweep_text(const FredSweepQuery& query, const FredSweep& sweep);
nlohmann::json sweep_json(const FredSweepQuery& query, const FredSweep& sweep);

}  // namespace wafertlm
