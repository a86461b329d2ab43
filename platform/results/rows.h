// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "platform/describe/fields.h"
#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "platform/run/iteration_work.h"
#include "platform/run/job_run.h"

namespace wafertlm::results {

/// Half-widths at 95 % of an iteration's figures, picoseconds.
struct IterationHalfWidths {
  double time_ps = 0;
  std::map<std::string, double> breakdown_ps;  ///< by category; none: 0
};

/// Of a sampled run, by iteration; empty if nothing was played. What a rank waits for may be another one's,
/// so each figure has the widest of all ranks; where that rank idles, others are on the way, and those are
/// taken to be as uncertain as it is for the rest of its time.
std::vector<IterationHalfWidths> half_widths(const Machine& machine, const Placement& npus,
                                             const std::vector<IterationResult>& iterations);

struct IterationRow {
  const IterationResult& result;
  bool with_ranks;
  const IterationHalfWidths* half_widths = nullptr;  ///< null: nothing was sampled
  bool is_numbered = false;
  IterationWork work = {};
  double peak_operations_per_s = 0;  ///< of all NPUs that have a rank
};

/// Of iterations[], and $defs of its parts.
const Fields<IterationRow>& iteration_fields();
Json rank_schema();
/// Of a figure's half-width.
Json half_width_schema();
Json breakdown_schema();

/// Of collectives[].
const Fields<CollectiveRecord>& collective_fields();
/// Of more than `most` records the `worst` ones: those that lie farthest above their bound, in falling order.
std::vector<const CollectiveRecord*> listed(std::vector<const CollectiveRecord*> records, std::size_t most,
                                            std::size_t worst);
/// All of a job, or of very many the worst.
Json collectives_json(const JobRun& job);

struct CriticalPathRow {
  const JobRun& job;
  CriticalPath path;
};
/// Of `critical_path`.
const Fields<CriticalPathRow>& critical_path_fields();

struct LinkRow {
  const MachineLink& link;
  const OutputCounters& counters;
  const ClassTable& classes;
  TimePs end_ps;            ///< of the run
  double energy_per_bit_j;  ///< 0: not modelled

  double energy_j() const {
    return link.is_wire ? static_cast<double>(counters.wire_bytes) * 8 * energy_per_bit_j : 0;
  }
};
/// Of links[].
const Fields<LinkRow>& link_fields();

}  // namespace wafertlm::results
