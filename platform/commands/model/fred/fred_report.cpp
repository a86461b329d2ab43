// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/fred/fred_report.h"

#include <fmt/format.h>

#include "platform/text/format.h"

namespace wafertlm {
namespace {

constexpr std::size_t kStepsShown = 2;

Placement placement_of(const FredRoutesQuery& query, const Parallelism& parallelism) {
  return place_on_fred(query.placement, parallelism, query.shape, query.seed);
}

std::vector<std::uint32_t> numbers(const std::vector<NpuId>& npus) {
  std::vector<std::uint32_t> found;
  for (const NpuId npu : npus) found.push_back(static_cast<std::uint32_t>(npu));
  return found;
}

std::string flow_text(const WaferFlow& flow) {
  return to_string(FredFlow{numbers(flow.from), numbers(flow.to)});
}

/// A line for each switch: its flows, each with the wafer's flow that it is part of.
std::string switches_text(const WaferRouting& routing) {
  std::string text;
  for (const RoutedSwitch& each : routing.switches) {
    std::string line = fmt::format("    {:<6} ", each.flows.name);
    for (std::size_t i = 0; i < each.flows.flows.size(); ++i)
      line += fmt::format(" #{}: {} ", each.flows.wafer_flow[i], to_string(each.flows.flows[i]));
    while (line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string configurations_text(const WaferRouting& routing, const FredWaferRouter& router, std::uint32_t m) {
  std::string text;
  for (const RoutedSwitch& each : routing.switches) {
    text += fmt::format("\n    {} = FRED_{}({}), {} µswitch stages\n", each.flows.name, m, each.flows.ports,
                        FredNetwork::stages(each.flows.ports));
    if (!each.routing.routed()) {
      text += fmt::format("      {}: {}\n", to_string(each.routing.status), each.routing.reason);
      continue;
    }
    for (std::size_t i = 0; i < each.flows.flows.size(); ++i)
      text += fmt::format("      #{}: {}\n", each.flows.wafer_flow[i], to_string(each.flows.flows[i]));
    const std::string lines =
        describe(router.network(each.flows.ports).netlist(), each.routing.configuration);
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      text += "      " + lines.substr(at, end - at + 1);
      at = end + 1;
    }
  }
  return text;
}

std::string phase_text(const FredRoutesQuery& query, const FredPhase& phase,
                       const std::vector<FredWaferRouter>& routers) {
  std::string text = fmt::format("\n{}: {}, {}, {}\n", phase.name, phase.what, counted(phase.groups, "group"),
                                 counted(phase.steps.size(), "step"));
  for (std::size_t s = 0; s < phase.steps.size(); ++s) {
    if (s == kStepsShown && !query.print_configurations) {
      text += fmt::format("  … {}; --json has all\n", counted(phase.steps.size() - s, "more step"));
      break;
    }
    text += fmt::format("  step {}, from NPUs -> to NPUs:\n   ", s);
    for (std::size_t i = 0; i < phase.steps[s].size(); ++i)
      text += fmt::format(" #{}: {} ", i, flow_text(phase.steps[s][i]));
    while (text.back() == ' ') text.pop_back();
    text += "\n  ports in -> ports out of each switch:\n";
    const WaferRouting routing = routers.back().route(phase.steps[s], kBestWay);
    text += switches_text(routing);
    if (!query.print_configurations) continue;
    for (const FredWaferRouter& router : routers)
      text += configurations_text(router.route(phase.steps[s], kBestWay), router, router.m());
  }
  return text;
}

}  // namespace

std::string shape_text(const FredWaferShape& shape) {
  return fmt::format(
      "{} L1 switches of {} NPUs, {} uplinks and {} I/O controllers; {} L2 switch{}; {} plane{}",
      shape.l1_switches, shape.npus_per_l1, shape.uplinks,
      shape.io_per_l1.empty() ? "no" : fmt::format("{}", fmt::join(shape.io_per_l1, ",")), shape.l2_switches,
      shape.l2_switches == 1 ? "" : "es", shape.planes, shape.planes == 1 ? "" : "s, all alike");
}

nlohmann::json shape_json(const FredWaferShape& shape) {
  return {{"l1_switches", shape.l1_switches}, {"npus_per_l1", shape.npus_per_l1},
          {"io_per_l1", shape.io_per_l1},     {"uplinks", shape.uplinks},
          {"l2_switches", shape.l2_switches}, {"planes", shape.planes}};
}

std::string routes_text(const FredRoutesQuery& query, const Parallelism& parallelism) {
  std::string text =
      fmt::format("{}, {} placement\n{}\n", to_string(parallelism), query.placement, shape_text(query.shape));
  std::vector<FredWaferRouter> routers;
  for (const std::uint32_t m : query.ms) routers.emplace_back(query.shape, m);
  const auto phases = fred_phases(parallelism, placement_of(query, parallelism), query.type);
  for (const FredPhase& phase : phases) text += phase_text(query, phase, routers);

  text += fmt::format("\n{:<7}{:>7}{:>7}", "phase", "groups", "steps");
  for (const std::uint32_t m : query.ms)
    for (const FredWay& way : kFredWays) text += fmt::format("  {:>20}", fmt::format("m={} {}", m, way.name));
  text += "\n";
  std::string reasons;
  for (const FredPhase& phase : phases) {
    text += fmt::format("{:<7}{:>7}{:>7}", phase.name, phase.groups, phase.steps.size());
    for (const FredWaferRouter& router : routers)
      for (const FredWay& way : kFredWays) {
        const PhaseOutcome outcome = route_phase(phase, router, way.options);
        text += fmt::format("  {:>20}", to_string(outcome.status));
        if (outcome.step)
          reasons += fmt::format("{}, m = {}, {}: step {}: {}\n", phase.name, router.m(), way.name,
                                 *outcome.step, outcome.reason);
      }
    text += "\n";
  }
  return text + reasons;
}

nlohmann::json routes_json(const FredRoutesQuery& query, const Parallelism& parallelism) {
  nlohmann::json phases = nlohmann::json::array();
  std::vector<FredWaferRouter> routers;
  for (const std::uint32_t m : query.ms) routers.emplace_back(query.shape, m);
  for (const FredPhase& phase : fred_phases(parallelism, placement_of(query, parallelism), query.type)) {
    nlohmann::json steps = nlohmann::json::array(), routes = nlohmann::json::array();
    for (const WaferStep& step : phase.steps) {
      nlohmann::json flows = nlohmann::json::array(), switches = nlohmann::json::array();
      for (const WaferFlow& flow : step)
        flows.push_back({{"from", numbers(flow.from)}, {"to", numbers(flow.to)}});
      for (const RoutedSwitch& each : routers.back().route(step, kBestWay).switches) {
        nlohmann::json ports = nlohmann::json::array();
        for (std::size_t i = 0; i < each.flows.flows.size(); ++i)
          ports.push_back({{"flow", each.flows.wafer_flow[i]},
                           {"inputs", each.flows.flows[i].inputs},
                           {"outputs", each.flows.flows[i].outputs}});
        switches.push_back({{"name", each.flows.name}, {"ports", each.flows.ports}, {"flows", ports}});
      }
      steps.push_back({{"flows", flows}, {"switches", switches}});
    }
    for (const FredWaferRouter& router : routers)
      for (const FredWay& way : kFredWays) {
        const PhaseOutcome outcome = route_phase(phase, router, way.options);
        nlohmann::json route = {{"m", router.m()}, {"way", way.name}, {"status", to_string(outcome.status)}};
        if (outcome.step) {
          route["step"] = *outcome.step;
          route["reason"] = outcome.reason;
        }
        routes.push_back(std::move(route));
      }
    phases.push_back({{"name", phase.name},
                      {"what", phase.what},
                      {"groups", phase.groups},
                      {"steps", steps},
                      {"routes", routes}});
  }
  return {{"parallelism", to_string(parallelism)},
          {"placement", query.placement},
          {"shape", shape_json(query.shape)},
          {"phases", phases}};
}

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
