// SPDX-License-Identifier: Apache-2.0
#include "platform/results/notes.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "platform/machine/sampled/sampling.h"
#include "platform/results/idle_keys.h"
#include "platform/results/parts.h"

namespace wafertlm::results {
namespace {

/// Endpoints cost nothing, and most of the collectives' time is latency.
bool is_mostly_latency(const config::ExperimentSpec& experiment, const JobRun& run) {
  if (!experiment.platform.npu.endpoint.is_ideal()) return false;
  TimePs all = 0, latency = 0;
  for (const CollectiveRecord* each : run.collectives()) {
    const TimePs time = each->end_ps - each->first_entry_ps;
    all += time;
    if (each->cost.mostly_latency) latency += time;
  }
  return all != 0 && 2 * latency >= all;
}

/// Groups of some ranks whose collectives name no class, and so count as one.
std::vector<std::string> groups_without_class(const Job& job) {
  std::vector<std::string> names;
  std::vector<bool> seen(job.groups.count());
  for (const chakra::TraceSummary& rank : job.summaries)
    for (const auto& [kind, collectives] : rank.collective_kinds) {
      const std::string& group = job.groups.name(kind.group);
      if (!collectives.first.comm_class.empty() || seen[kind.group] ||
          job.groups.ranks(group).size() == job.size())
        continue;
      seen[kind.group] = true;
      names.push_back(group);
    }
  return names;
}

std::string without_class(const std::vector<std::string>& groups) {
  constexpr std::size_t kNamed = 3;
  const std::vector<std::string> named(
      groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(std::min(groups.size(), kNamed)));
  return fmt::format(
      "the traces do not say what the collectives of the {} ({}{}) are for, so all of them are in class {} "
      "and "
      "exposed_{}, be they of tensor, expert or data parallelism; `wafertlm trace classify` gives them their "
      "class",
      groups.size() == 1 ? "group" : fmt::format("{} groups", groups.size()), fmt::join(named, ", "),
      groups.size() > kNamed ? " …" : "", chakra::kDefaultCollectiveClass, chakra::kDefaultCollectiveClass);
}

/// Stefanov et al., CCS 2013: with buckets of 4 the stash stays small, with less nothing is proven.
bool has_small_buckets(const config::PlatformSpec& platform) {
  const auto& remote = platform.remote_memory;
  return remote && remote->engine && remote->engine->hiding == Hiding::path_oram &&
         remote->engine->bucket_blocks < 4;
}

std::string sampled_text(const Sampling& sampling) {
  const SampledCounts counts = sampling.counts();
  if (counts.played == 0)
    return fmt::format(
        "run.acceleration: sampled: none of {} transfers was played, for few were alike{}", counts.simulated,
        counts.is_exact() ? "; all are as with exact"
                          : fmt::format("; {} began when all ranks had entered", counts.uncertain));
  return fmt::format(
      "run.acceleration: sampled: {} of {} transfers took the time of others that were simulated (± {:.2g} % "
      "at 95 %, {} audits); links, memories, energy_j and packet_hops count only what was simulated",
      counts.played, counts.played + counts.simulated, 100 * sampling.relative_half_width(), counts.audits);
}

}  // namespace

nlohmann::ordered_json notes(const config::ExperimentSpec& experiment, const JobRun& run,
                             const Machine& machine, const Measurements& measured,
                             const IterationWork& work) {
  auto list = nlohmann::ordered_json::array();
  if (const Sampling* const sampling = machine.sampling(); sampling) list.push_back(sampled_text(*sampling));
  if (machine.faults()) list.push_back("with run.faults nothing is accelerated: every packet is simulated");
  if (is_mostly_latency(experiment, run)) list.push_back(kIdealEndpoints);
  if (const auto groups = groups_without_class(run.job()); !groups.empty())
    list.push_back(without_class(groups));
  for (const std::string& line : idle_keys(experiment, run.job(), measured, work)) list.push_back(line);
  if (has_small_buckets(experiment.platform))
    list.push_back(
        "remote_memory.engine.bucket_blocks below 4: the stash of a Path-ORAM overflows sooner or later, "
        "which "
        "ends a run; with 4 it needs 147 pages at most (but for a chance of 2^-128)");
  return list;
}

}  // namespace wafertlm::results
