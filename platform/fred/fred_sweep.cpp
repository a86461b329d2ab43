// SPDX-License-Identifier: Apache-2.0
#include "platform/fred/fred_sweep.h"

#include <fmt/format.h>

namespace wafertlm {
namespace {

constexpr const char* kAny = "any";

std::vector<std::pair<std::uint32_t, FredRouteMode>> ways_of(const FredRoutesQuery& query) {
  std::vector<std::pair<std::uint32_t, FredRouteMode>> ways;
  for (const std::uint32_t m : query.ms)
    for (const FredRouteMode mode : kFredModes) ways.emplace_back(m, mode);
  return ways;
}

SweepRow& row_of(FredSweep& sweep, const std::string& placement, const std::string& phase, std::size_t ways) {
  for (SweepRow& row : sweep.rows)
    if (row.placement == placement && row.phase == phase) return row;
  sweep.rows.push_back({placement, phase, 0, std::vector<SweepCount>(ways)});
  return sweep.rows.back();
}

void count(SweepRow& row, const std::vector<FredRouteStatus>& statuses) {
  ++row.cases;
  for (std::size_t way = 0; way < statuses.size(); ++way) {
    row.counts[way].conflicts += statuses[way] != FredRouteStatus::routed;
    row.counts[way].impossible += statuses[way] == FredRouteStatus::impossible;
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
    const Placement npus = place_workers(placement, parallelism, query.routes.grid(), seed);
    std::vector<FredRouteStatus> whole(ways.size(), FredRouteStatus::routed);
    for (const FredPhase& phase : fred_phases(parallelism, npus, query.routes.type)) {
      std::vector<FredRouteStatus> statuses;
      std::string reason;
      for (std::size_t way = 0; way < ways.size(); ++way) {
        const PhaseOutcome outcome =
            route_phase(phase, routers[way / std::size(kFredModes)], {ways[way].second});
        statuses.push_back(outcome.status);
        if (outcome.status == FredRouteStatus::routed) continue;
        if (reason.empty()) reason = outcome.reason;
        if (whole[way] != FredRouteStatus::impossible) whole[way] = outcome.status;
      }
      count(row_of(sweep, placement, phase.name, ways.size()), statuses);
      if (!reason.empty())
        sweep.conflicts.push_back({to_string(parallelism), placement, phase.name, seed, statuses, reason});
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
  for (const auto& [m, mode] : ways)
    text += fmt::format("  {:>20}", fmt::format("m={} {}", m, to_string(mode)));
  text += "\n";
  for (const SweepRow& row : sweep.rows) {
    text += fmt::format("{:<12}{:<6}{:>6}", row.placement, row.phase, row.cases);
    for (const SweepCount& each : row.counts)
      text += fmt::format("  {:>11} {:>8}", each.conflicts, rate(each.conflicts, row.cases));
    text += "\n";
  }
  text += fmt::format(
      "\nA case is a phase of one parallelism with one placement ({} random ones each, seeds from {}); all\n"
      "groups of the phase communicate at once. 'any' counts parallelisms with a conflict in any phase.\n",
      query.seeds, query.routes.seed);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::uint64_t conflicts = 0, impossible = 0, cases = 0;
    for (const SweepRow& row : sweep.rows) {
      if (row.phase == kAny) continue;
      cases += row.cases;
      conflicts += row.counts[way].conflicts;
      impossible += row.counts[way].impossible;
    }
    text += fmt::format("m = {}, {}: {} of {} cases conflict ({}), {} of them proven impossible.\n",
                        ways[way].first, to_string(ways[way].second), conflicts, cases,
                        rate(conflicts, cases), impossible);
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
                        {"mode", to_string(ways[way].second)},
                        {"conflicts", row.counts[way].conflicts},
                        {"impossible", row.counts[way].impossible}});
    rows.push_back(
        {{"placement", row.placement}, {"phase", row.phase}, {"cases", row.cases}, {"counts", counts}});
  }
  for (const SweepConflict& each : sweep.conflicts) {
    nlohmann::json statuses = nlohmann::json::array();
    for (std::size_t way = 0; way < ways.size(); ++way)
      statuses.push_back({{"m", ways[way].first},
                          {"mode", to_string(ways[way].second)},
                          {"status", to_string(each.statuses[way])}});
    nlohmann::json entry = {{"parallelism", each.parallelism},
                            {"placement", each.placement},
                            {"phase", each.phase},
                            {"routes", statuses},
                            {"reason", each.reason}};
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
