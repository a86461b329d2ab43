// SPDX-License-Identifier: Apache-2.0
#include "platform/fred/fred_phases.h"

namespace wafertlm {
namespace {

std::vector<Group> placed(const std::vector<WorkerGroup>& groups, const Placement& placement) {
  std::vector<Group> npus;
  for (const WorkerGroup& group : groups) npus.push_back(npus_of(group, placement));
  return npus;
}

FredPhase collective_phase(const Parallelism& parallelism, ParallelClass of, const Placement& placement,
                           CollectiveType type) {
  const std::vector<Group> groups = placed(groups_of(parallelism, of), placement);
  return {to_string(of), to_string(type), groups.size(), fred_steps(type, groups)};
}

FredPhase pipeline_phase(const Parallelism& parallelism, const Placement& placement) {
  const std::vector<WorkerGroup> forward = stage_multicasts(parallelism);
  // Backward: the receiving stage's first worker sends to the whole MP group of the sender.
  std::vector<WorkerGroup> backward;
  for (const WorkerGroup& group : forward) {
    WorkerGroup back{group[1]};
    for (std::uint32_t m = 0; m < parallelism.mp; ++m) back.push_back(group[0] + m);
    backward.push_back(std::move(back));
  }
  FredPhase phase{"pp", "multicast forward, backward", forward.size(), {}};
  for (const auto& groups : {forward, backward})
    for (WaferStep& step : fred_steps(CollectiveType::broadcast, placed(groups, placement)))
      phase.steps.push_back(std::move(step));
  return phase;
}

}  // namespace

Placement place_on_fred(const std::string& policy, const Parallelism& parallelism,
                        const FredWaferShape& shape, std::uint64_t seed) {
  Placement placement = place_workers(policy, parallelism, {shape.l1_switches, shape.npus_per_l1}, seed);
  if (policy.rfind("file:", 0) == 0) return placement;
  for (NpuId& npu : placement) {
    const auto place = static_cast<std::uint32_t>(npu);
    npu = static_cast<NpuId>(place % shape.l1_switches * shape.npus_per_l1 + place / shape.l1_switches);
  }
  return placement;
}

std::vector<FredPhase> fred_phases(const Parallelism& parallelism, const Placement& placement,
                                   CollectiveType type) {
  std::vector<FredPhase> phases;
  if (parallelism.mp > 1) phases.push_back(collective_phase(parallelism, ParallelClass::mp, placement, type));
  if (parallelism.pp > 1) phases.push_back(pipeline_phase(parallelism, placement));
  if (parallelism.dp > 1) phases.push_back(collective_phase(parallelism, ParallelClass::dp, placement, type));
  return phases;
}

PhaseOutcome route_phase(const FredPhase& phase, const FredWaferRouter& router,
                         const WaferRouteOptions& options) {
  for (std::size_t step = 0; step < phase.steps.size(); ++step) {
    WaferRouting routing = router.route(phase.steps[step], options);
    if (!routing.routed()) return {routing.status, step, routing.conflict, std::move(routing.reason)};
  }
  return {};
}

std::vector<Parallelism> all_parallelisms(std::uint32_t workers) {
  std::vector<Parallelism> all;
  for (std::uint32_t mp = 1; mp <= workers; ++mp)
    for (std::uint32_t dp = 1; mp * dp <= workers; ++dp)
      if (workers % (mp * dp) == 0) all.push_back({mp, dp, workers / (mp * dp)});
  return all;
}

}  // namespace wafertlm
