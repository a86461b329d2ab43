// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/check/elaboration.h"

#include <fmt/core.h>

#include <ostream>
#include <stdexcept>
#include <utility>

#include "platform/host/host_memory.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/results/cost.h"
#include "platform/run/equal_ranks.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

using config::CheckRequest;
using config::FileKind;

/// Something that nobody takes apart: of a large wafer that is half as much work as to build it, and the
/// process ends here.
template <class T, class... Arguments>
T& kept(Arguments&&... arguments) {
  static T* const made = new T(std::forward<Arguments>(arguments)...);
  return *made;
}

void describe(const config::PlatformSpec& spec, const Wafer& wafer, std::ostream& out) {
  out << check_text(spec);
  if (const std::uint32_t controllers = wafer.fabric().io_controllers())
    out << fmt::format("I/O       {} controllers of {} each\n", controllers,
                       format_bandwidth(static_cast<double>(spec.wafer.io.bandwidth_bytes_per_s)));
  TextRows classes;
  for (std::size_t i = 0; i < wafer.classes.size(); ++i) {
    const TrafficClass& entry = wafer.classes[static_cast<ClassId>(i)];
    classes.push_back({"class", entry.name,
                       fmt::format("virtual channels {} to {}, priority {}", entry.first_vc,
                                   entry.first_vc + entry.vcs - 1, entry.priority)});
  }
  out << aligned(classes, "l", 0, {8});
}

void check_platform(const CheckRequest& request, std::ostream& out) {
  const config::PlatformSpec spec = config::load_platform(request.file, request.overrides);
  if (request.resolved)
    out << config::resolved_yaml(spec);
  else
    describe(spec, kept<Wafer>(spec, false, true), out);
}

void check_experiment(const CheckRequest& request, std::ostream& out) {
  const config::ExperimentSpec spec = config::load_experiment(request.file, request.overrides);
  if (request.resolved) {
    out << config::resolved_yaml(spec);
    return;
  }
  out << check_text(spec);
  const Job& job = kept<Job>(load_job(spec));
  if (!request.force) require_host_memory(spec, estimated_bytes(spec, job), available_memory_bytes());
  Machine& machine = kept<Machine>(spec.platform);
  JobRun& ready = kept<JobRun>(machine, job, spec);
  const EqualRanks equal = equal_ranks(spec.platform, job);
  describe(spec.platform, machine.wafer(), out);
  if (spec.costs) out << cost::cost_text(cost::cost_of(spec, machine.wafer().fabric()));
  std::uint64_t nodes = 0, collectives = 0;
  for (const chakra::TraceSummary& rank : job.summaries) {
    nodes += rank.nodes;
    collectives += rank.collectives;
  }
  out << fmt::format("workload  {}: {}, {}, {}\n", spec.workload.name, counted(job.size(), "rank"),
                     counted(nodes, "node"),
                     counted(collectives, "entry into a collective", "entries into collectives"))
      << fmt::format("host      a run takes {}, within a factor of 3\n",
                     host_estimate(spec, job, ready.work(), true,
                                   equal.places.one_for_all && ready.are_plans_alike(equal))
                         .text());
}

}  // namespace

FileKind platform_file_kind() {
  FileKind kind = config::spec_file_kind(*config::platform_type());
  kind.check = check_platform;
  return kind;
}

FileKind experiment_file_kind() {
  FileKind kind = config::spec_file_kind(*config::experiment_type());
  kind.check = check_experiment;
  return kind;
}

std::string platform_costs(const CheckRequest& request, const FileKind& kind, const std::string& costs) {
  const cost::CostTable table = cost::load_costs(costs);
  const bool is_platform = kind.type == config::platform_type().get();
  if (!is_platform && kind.type != config::experiment_type().get())
    throw std::invalid_argument("--costs needs a platform or an experiment");
  const config::PlatformSpec platform =
      is_platform ? config::load_platform(request.file, request.overrides)
                  : config::load_experiment(request.file, request.overrides).platform;
  const Wafer& wafer = kept<Wafer>(platform, false, true);
  return cost_text(cost_of(platform, cost::links_of(wafer.fabric()), table));
}

}  // namespace wafertlm
