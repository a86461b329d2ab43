// SPDX-License-Identifier: Apache-2.0
#include "platform/run/simulated_job.h"

#include <memory>
#include <string>
#include <utility>

#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "tlm/kernel/simulation_context.h"

namespace wafertlm {
namespace {

Job job_of(const config::PlatformSpec& platform, const Placement& npus,
           std::vector<std::vector<chakra::Node>> ranks) {
  const auto count = static_cast<std::uint32_t>(ranks.size());
  Job job{chakra::CommGroups(count), {}, {}, chakra::Dependencies::all, npus};
  std::vector<chakra::NodeSource*> sources;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    job.ranks.push_back(
        std::make_unique<chakra::VectorSource>("rank " + std::to_string(rank), std::move(ranks[rank])));
    sources.push_back(job.ranks.back().get());
  }
  chakra::ValidateOptions options;
  for (const config::TrafficClassSpec& row : platform.wafer.fabric.classes)
    options.classes.push_back(row.name);
  options.max_bytes = platform.npu.hbm.capacity_bytes;
  options.max_bytes_of = "the memory of an NPU, npu.hbm.capacity";
  job.summaries = chakra::validate_job(sources, job.groups, options);
  return job;
}

}  // namespace

SimulatedJob simulate_job(const config::PlatformSpec& platform, const Placement& npus,
                          std::vector<std::vector<chakra::Node>> ranks, RunObserver* observer) {
  config::ExperimentSpec experiment;
  experiment.platform = platform;
  experiment.platform.npu.compute.durations = config::DurationSource::trace;
  const Job job = job_of(experiment.platform, npus, std::move(ranks));
  const SimulationContext context;
  Machine machine(experiment.platform);
  JobRun run(machine, job, experiment);
  if (observer) run.observe(*observer);
  run.run();
  SimulatedJob result;
  result.end_ps = run.end_ps();
  const std::vector<MachineLink> links = machine_links(machine);
  const std::vector<OutputCounters> counters = link_counters(machine);
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].is_wire) result.wire_bytes += counters[k].wire_bytes;
  result.link_energy_j = static_cast<double>(result.wire_bytes) * 8 * platform.wafer.fabric.energy_per_bit_j;
  return result;
}

}  // namespace wafertlm
