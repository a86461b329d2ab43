// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/fred/fred_sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace wafertlm {
namespace {

constexpr const char* kAny = "any";

/// Each m with each way.
std::vector<std::pair<std::uint32_t, const FredWay*>> ways_of(const FredRoutesQuery& query) {
  std::vector<std::pair<std::uint32_t, const FredWay*>> ways;
  for (const std::uint32_t m : query.ms)
    for (const FredWay& way : kFredWays) ways.emplace_back(m, &way);
  return ways;
}

SweepRow& row_of(FredSweep& sweep, const std::string& placement, const std::string& phase, std::size_t ways) {
  for (SweepRow& row : sweep.rows)
    if (row.placement == placement && row.phase == phase) return row;
  sweep.rows.push_back({placement, phase, 0, std::vector<SweepCount>(ways)});
  return sweep.rows.back();
}

void count(SweepRow& row, const std::vector<PhaseOutcome>& outcomes) {
  ++row.cases;
  for (std::size_t way = 0; way < outcomes.size(); ++way) {
    SweepCount& sum = row.counts[way];
    sum.conflicts += outcomes[way].status != FredRouteStatus::routed;
    sum.impossible += outcomes[way].status == FredRouteStatus::impossible;
    sum.uplinks += outcomes[way].conflict == WaferRouting::Conflict::uplinks;
    sum.l1 += outcomes[way].conflict == WaferRouting::Conflict::l1;
    sum.l2 += outcomes[way].conflict == WaferRouting::Conflict::l2;
  }
}

std::string rate(std::uint64_t part, std::uint64_t all) {
  return all ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all)) : "-";
}

}  // namespace

FredSweep sweep_routes(const FredSweepQuery& query) {
  FredSweep sweep;
  const auto ways = ways_of(query.routes);
  std::vector<FredWaferRouter> routers;
  for (const std::uint32_t m : query.routes.ms) routers.emplace_back(query.routes.shape, m);
  for (const std::string& placement : query.placements)
    for (const char* phase : {"mp", "pp", "dp", kAny}) row_of(sweep, placement, phase, ways.size());

  const auto run_one = [&](const Parallelism& parallelism, const std::string& placement, std::uint64_t seed) {
    const Placement npus = place_on_fred(placement, parallelism, query.routes.shape, seed);
    std::vector<PhaseOutcome> whole(ways.size());
    for (const FredPhase& phase : fred_phases(parallelism, npus, query.routes.type)) {
      std::vector<PhaseOutcome> outcomes;
      bool conflict = false;
      for (std::size_t way = 0; way < ways.size(); ++way) {
        outcomes.push_back(
            route_phase(phase, routers[way / std::size(kFredWays)], ways[way].second->options));
        if (outcomes.back().status == FredRouteStatus::routed) continue;
        conflict = true;
        if (whole[way].status != FredRouteStatus::impossible) whole[way] = outcomes.back();
      }
      count(row_of(sweep, placement, phase.name, ways.size()), outcomes);
      if (conflict)
        sweep.conflicts.push_back({to_string(parallelism), placement, phase.name, seed, outcomes});
    }
    count(row_of(sweep, placement, kAny, ways.size()), whole);
  };
  for (std::uint32_t workers = query.fewest_workers; workers <= query.most_workers; ++workers)
    for (const Parallelism& parallelism : all_parallelisms(workers)) {
      ++sweep.parallelisms;
      for (const std::string& placement : query.placements)
        for (std::uint64_t i = 0; i < (placement == "random" ? query.seeds : 1); ++i)
          run_one(parallelism, placement, query.routes.seed + i);
    }
  return sweep;
}

std::string sweep_text(const FredSweepQuery& query, const FredSweep& sweep) {
  const auto ways = ways_of(query.routes);
  std::string text = fmt::format(
      "{}\n{} parallelisms MP x DP x PP of {} workers; {} of MP and DP groups, multicasts between stages\n"
      "Cases that do not route, and the part of all cases:\n\n{:<12}{:<6}{:>6}",
      shape_text(query.routes.shape), sweep.parallelisms,
      query.fewest_workers == query.most_workers
          ? std::to_string(query.most_workers)
          : fmt::format("{} to {}", query.fewest_workers, query.most_workers),
      to_string(query.routes.type), "placement", "phase", "cases");
  for (const auto& [m, way] : ways) text += fmt::format("  {:>19}", fmt::format("m={} {}", m, way->name));
  text += "\n";
  for (const SweepRow& row : sweep.rows) {
    text += fmt::format("{:<12}{:<6}{:>6}", row.placement, row.phase, row.cases);
    for (const SweepCount& each : row.counts)
      text += fmt::format("  {:>10} {:>8}", each.conflicts, rate(each.conflicts, row.cases));
    text += "\n";
  }
  const bool random = std::count(query.placements.begin(), query.placements.end(), "random") != 0;
  text += fmt::format(
      "\nA case is a phase of one parallelism with one placement{}; all groups of the phase communicate at\n"
      "once. 'any' counts parallelisms with a conflict in any phase. 'first colouring' is the paper's way;\n"
      "'backtracking' tries all colourings of each switch; 'uplinks too' also all ways to spread the flows\n"
      "over the uplinks.\n",
      random ? fmt::format(" ({} random ones, seeds from {})", query.seeds, query.routes.seed) : "");
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SweepCount sum;
    std::uint64_t cases = 0;
    for (const SweepRow& row : sweep.rows) {
      if (row.phase == kAny) continue;
      cases += row.cases;
      sum.conflicts += row.counts[way].conflicts;
      sum.impossible += row.counts[way].impossible;
      sum.uplinks += row.counts[way].uplinks;
      sum.l1 += row.counts[way].l1;
      sum.l2 += row.counts[way].l2;
    }
    text += fmt::format(
        "m = {}, {:<16} {:>5} of {} cases conflict ({}): {} in L1, {} in L2, {} on the uplinks; "
        "{} proven impossible\n",
        ways[way].first, std::string(ways[way].second->name) + ":", sum.conflicts, cases,
        rate(sum.conflicts, cases), sum.l1, sum.l2, sum.uplinks, sum.impossible);
  }
  return text;
}

nlohmann::json sweep_json(const FredSweepQuery& query, const FredSweep& sweep) {
  const auto ways = ways_of(query.routes);
  nlohmann::json rows = nlohmann::json::array(), conflicts = nlohmann::json::array();
  for (const SweepRow& row : sweep.rows) {
    nlohmann::json counts = nlohmann::json::array();
    for (std::size_t way = 0; way < ways.size(); ++way)
      counts.push_back({{"m", ways[way].first},
                        {"way", ways[way].second->name},
                        {"conflicts", row.counts[way].conflicts},
                        {"impossible", row.counts[way].impossible},
                        {"in_l1", row.counts[way].l1},
                        {"in_l2", row.counts[way].l2},
                        {"on_uplinks", row.counts[way].uplinks}});
    rows.push_back(
        {{"placement", row.placement}, {"phase", row.phase}, {"cases", row.cases}, {"counts", counts}});
  }
  for (const SweepConflict& each : sweep.conflicts) {
    nlohmann::json routes = nlohmann::json::array();
    for (std::size_t way = 0; way < ways.size(); ++way)
      routes.push_back({{"m", ways[way].first},
                        {"way", ways[way].second->name},
                        {"status", to_string(each.outcomes[way].status)},
                        {"reason", each.outcomes[way].reason}});
    nlohmann::json entry = {{"parallelism", each.parallelism},
                            {"placement", each.placement},
                            {"phase", each.phase},
                            {"routes", routes}};
    if (each.placement == "random") entry["seed"] = each.seed;
    conflicts.push_back(std::move(entry));
  }
  return {{"shape", shape_json(query.routes.shape)},
          {"workers", {query.fewest_workers, query.most_workers}},
          {"parallelisms", sweep.parallelisms},
          {"type", to_string(query.routes.type)},
          {"seed", query.routes.seed},
          {"seeds", query.seeds},
          {"rows", rows},
          {"conflicts", conflicts}};
}

}  // namespace wafertlm
