// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/run_faults.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/npu/compute_engine.h"
#include "platform/text/format.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

/// What comes at a time of a fault.
constexpr std::uint32_t kBegin = 0, kReroute = 1, kEnd = 2, kKinds = 3;

std::string key_of(std::size_t fault) { return fmt::format("run.faults[{}]", fault); }

/// Where the user wrote the fault.
config::SourceLocation place_of(const config::PlatformSpec& spec, std::size_t fault) {
  for (const std::string& key : {key_of(fault) + ".link", key_of(fault), std::string("run.faults")})
    if (const config::Origin* const origin = spec.origins.find(key)) return origin->place;
  return {key_of(fault)};
}

/// What was counted between two times.
void add_between(RunFaultCounts& counts, const OutputCounters& before, const OutputCounters& after,
                 std::uint64_t bytes_per_s, std::uint32_t rate_percent) {
  const std::uint64_t wire_bytes = after.wire_bytes - before.wire_bytes;
  counts.packets += after.packets - before.packets;
  counts.wire_bytes += wire_bytes;
  counts.down_wait_ps += after.down_wait_ps - before.down_wait_ps;
  if (rate_percent != 0)
    counts.longer_s +=
        static_cast<double>(wire_bytes) / static_cast<double>(bytes_per_s) * (100.0 / rate_percent - 1);
}

}  // namespace

std::vector<SpeedChange> speed_changes(const config::RunSpec& run, NpuId npu) {
  std::vector<SpeedChange> changes;
  for (const config::RunFaultSpec& fault : run.faults) {
    if (fault.npu != npu || !fault.speed_percent) continue;
    changes.push_back({fault.at_ps, fault.end_ps(), *fault.speed_percent});
  }
  return changes;
}

RunFaults::RunFaults(const config::PlatformSpec& spec, Fabric& fabric, Scheduler& scheduler)
    : run_(spec.run), fabric_(fabric), courses_(spec.run.faults.size()) {
  for (std::size_t k = 0; k < courses_.size(); ++k) {
    const config::RunFaultSpec& fault = run_.faults[k];
    for (const std::string& name : fault.ways()) {
      const auto found = std::find_if(fabric.links().begin(), fabric.links().end(),
                                      [&](const FabricLink& link) { return link.name == name; });
      SwitchCore* const core =
          found == fabric.links().end() ? nullptr : fabric.switch_module(found->from).plain_core();
      if (!core)
        throw config::ConfigError(place_of(spec, k),
                                  fmt::format("no switch of this fabric has link {} (an NPU's port keeps its "
                                              "rate); names are those of the results' links",
                                              name));
      courses_[k].ways.push_back({*found, *core, core->bytes_per_s(found->output)});
    }
    const auto number = static_cast<std::uint32_t>(k) * kKinds;
    scheduler.schedule(fault.at_ps, *this, number + kBegin, Turn::sources);
    if (fault.is_loss() && run_.on_fault == config::OnFault::reroute)
      scheduler.schedule(fault.at_ps + run_.reroute_after_ps, *this, number + kReroute, Turn::sources);
    if (fault.for_ps) scheduler.schedule(fault.end_ps(), *this, number + kEnd, Turn::sources);
  }
}

void RunFaults::wake(std::uint32_t what, TimePs now) {
  constexpr void (RunFaults::*kSteps[])(std::size_t, TimePs) = {&RunFaults::begin, &RunFaults::reroute,
                                                                &RunFaults::end};
  (this->*kSteps[what % kKinds])(what / kKinds, now);
}

void RunFaults::begin(std::size_t k, TimePs now) {
  const config::RunFaultSpec& fault = run_.faults[k];
  if (fault.is_loss() && run_.on_fault == config::OnFault::stop)
    throw PartLost(fmt::format("{} {} at {} ({}), and run.on_fault is stop", fault.part(),
                               fault.dies ? "died" : "went down for good", format_time(now), key_of(k)),
                   now);
  courses_[k].has_begun = true;
  for (Way& way : courses_[k].ways) {
    const std::uint64_t rate = *fault.rate_percent;
    way.from.set_rate(way.link.output,
                      rate == 0 ? 0 : std::max<std::uint64_t>(1, way.bytes_per_s * rate / 100), now);
    way.at_begin = way.from.counters(way.link.output);
  }
}

void RunFaults::reroute(std::size_t k, TimePs now) {
  for (Way& way : courses_[k].ways) {
    fabric_.avoid(way.link, true);
    way.from.route_again(way.link.output, now);
  }
}

void RunFaults::end(std::size_t k, TimePs now) {
  courses_[k].has_ended = true;
  for (Way& way : courses_[k].ways) {
    way.from.set_rate(way.link.output, way.bytes_per_s, now);
    way.at_end = way.from.counters(way.link.output);
  }
}

RunFaultCounts RunFaults::counts(std::size_t k, const ComputeEngine* compute) const {
  const config::RunFaultSpec& fault = run_.faults[k];
  const Course& course = courses_[k];
  RunFaultCounts counts;
  if (!course.has_begun) return counts;
  for (const Way& way : course.ways)
    add_between(counts, way.at_begin, course.has_ended ? way.at_end : way.from.counters(way.link.output),
                way.bytes_per_s, *fault.rate_percent);
  if (compute)
    for (const ComputeEngine::Slowed& slowed : compute->slowed())
      if (slowed.from_ps == fault.at_ps) {
        counts.computations = slowed.computations;
        counts.longer_s = static_cast<double>(slowed.longer_ps) / kPsPerSecond;
      }
  return counts;
}

std::vector<std::string> RunFaults::pending() const {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < courses_.size(); ++k) {
    if (!courses_[k].has_begun || !run_.faults[k].is_loss()) continue;
    for (const Way& way : courses_[k].ways)
      if (const std::uint64_t packets = way.from.queued(); packets != 0)
        lines.push_back(fmt::format(
            "link {} is down for good since {} ({}), and {} packets are where it begins; with run.on_fault: "
            "reroute they go around it, stop ends the run at the fault",
            way.link.name, format_time(run_.faults[k].at_ps), key_of(k), packets));
  }
  return lines;
}

}  // namespace wafertlm
