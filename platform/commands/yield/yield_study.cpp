// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/yield/yield_study.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "platform/commands/yield/repair.h"
#include "platform/defects/sampled_wafer.h"

namespace wafertlm::wafer_yield {
namespace {

/// What is expected of each cell alone.
struct CellDefects {
  std::vector<double> npu;   ///< with its router
  std::vector<double> cell;  ///< and the links that begin there
};

CellDefects cell_defects(const YieldSpec& spec, const std::vector<Region>& regions) {
  CellDefects made{std::vector<double>(spec.cells()), std::vector<double>(spec.cells())};
  for (const Region& region : regions)
    for (const Part& part : region.parts) {
      made.cell[part.cell] += part.defects;
      if (part.kind != PartKind::link) made.npu[part.cell] += part.defects;
    }
  return made;
}

std::uint64_t links(const YieldSpec& spec) {
  return std::uint64_t{spec.columns - 1} * spec.rows + std::uint64_t{spec.columns} * (spec.rows - 1);
}

std::vector<PartRow> part_rows(const YieldSpec& spec, const std::vector<Region>& regions) {
  const std::array<std::pair<const PartSpec*, std::uint64_t>, 3> kinds{
      {{&spec.npu, spec.cells()}, {&spec.router, spec.cells()}, {&spec.link, links(spec)}}};
  std::vector<PartRow> rows;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    PartRow row{static_cast<PartKind>(i), kinds[i].second, 0, 0, yield_of(spec, kinds[i].first->defects())};
    row.area_mm2 = kinds[i].first->area_mm2 * static_cast<double>(row.count);
    for (const Region& region : regions)
      for (const Part& part : region.parts)
        if (part.kind == row.kind) row.defects += part.defects;
    if (row.area_mm2 > 0) rows.push_back(row);
  }
  return rows;
}

/// Of what is the same of each wafer drawn.
struct Moments {
  double mean = 0, variance = 0, error = 0, variance_error = 0;
};

Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Moments made;
  for (const double each : values) made.mean += each;
  made.mean /= n;
  double fourth = 0;
  for (const double each : values) {
    const double square = (each - made.mean) * (each - made.mean);
    made.variance += square / (n - 1);
    fourth += square * square / n;
  }
  made.error = std::sqrt(made.variance / n);
  made.variance_error =
      std::sqrt(std::max(0.0, fourth - made.variance * made.variance * (n - 3) / (n - 1)) / n);
  return made;
}

/// One way to use spares.
struct Scheme {
  RepairRow row;
  std::function<bool(const DeadGrid& cells, std::uint32_t dead_npus)> repairs;
};

/// Independent lines, each of which fails if any of its cells does.
double lines_at_most(const YieldSpec& spec, const std::vector<double>& cells, std::uint32_t most,
                     bool is_row) {
  std::vector<double> expected(is_row ? spec.rows : spec.columns);
  for (std::uint32_t cell = 0; cell < spec.cells(); ++cell)
    expected[is_row ? cell / spec.columns : cell % spec.columns] += cells[cell];
  std::vector<std::pair<std::uint32_t, double>> trials;
  for (const double each : expected) trials.emplace_back(1, -std::expm1(-each));
  return at_most(most, trials);
}

std::vector<Scheme> schemes_of(const YieldSpec& spec, const CellDefects& expected, double whole) {
  const Spares& spares = spec.spares;
  const bool is_independent = spec.law == Law::poisson;
  const auto cost = [&](std::uint32_t rows, std::uint32_t columns) {
    return static_cast<double>(spec.cells()) /
               ((spec.rows - rows) * static_cast<double>(spec.columns - columns)) -
           1;
  };
  const auto row = [](std::string text, std::optional<double> formula, double area_cost) {
    return RepairRow{std::move(text), 0, 0, 0, formula, area_cost, std::nullopt};
  };
  const auto by_lines = [](std::uint32_t rows, std::uint32_t columns) {
    return [=](const DeadGrid& cells, std::uint32_t) { return repaired_by_lines(cells, rows, columns); };
  };
  const auto exact = [&](std::uint32_t most, bool is_row) {
    return is_independent ? std::optional<double>(lines_at_most(spec, expected.cell, most, is_row))
                          : std::nullopt;
  };
  const auto counted = [](std::uint32_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::vector<Scheme> made;
  made.push_back({row("none", whole, 0), by_lines(0, 0)});
  if (spares.npus > 0) {
    std::map<double, std::uint32_t> equal;
    for (const double each : expected.npu) ++equal[-std::expm1(-each)];
    std::vector<std::pair<std::uint32_t, double>> trials;
    for (const auto& [failure, count] : equal) trials.emplace_back(count, failure);
    made.push_back({row(counted(spares.npus, "NPU"),
                        is_independent ? std::optional<double>(at_most(spares.npus, trials)) : std::nullopt,
                        static_cast<double>(spec.cells()) / (spec.cells() - spares.npus) - 1),
                    [most = spares.npus](const DeadGrid&, std::uint32_t dead) { return dead <= most; }});
  }
  if (spares.rows > 0)
    made.push_back({row(counted(spares.rows, "row"), exact(spares.rows, true), cost(spares.rows, 0)),
                    by_lines(spares.rows, 0)});
  if (spares.columns > 0)
    made.push_back(
        {row(counted(spares.columns, "column"), exact(spares.columns, false), cost(0, spares.columns)),
         by_lines(0, spares.columns)});
  if (spares.rows > 0 && spares.columns > 0)
    made.push_back({row(counted(spares.rows, "row") + ", " + counted(spares.columns, "column"), std::nullopt,
                        cost(spares.rows, spares.columns)),
                    by_lines(spares.rows, spares.columns)});
  if (spares.repair_links_mm2) {
    const double cell = (spec.npu.area_mm2 + spec.router.area_mm2) * spec.cells() +
                        spec.link.area_mm2 * static_cast<double>(links(spec));
    const double links_cost = *spares.repair_links_mm2 * spec.cells() / cell;
    made.push_back({row(counted(spares.rows, "row") + ", 2-hop links", std::nullopt,
                        (1 + cost(spares.rows, 0)) * (1 + links_cost) - 1),
                    [most = spares.rows](const DeadGrid& cells, std::uint32_t) {
                      return repaired_by_jumps(cells, most);
                    }});
  }
  return made;
}

}  // namespace

YieldStudy yield_study(const YieldSpec& spec, const Sampler& sampler) {
  const CellDefects expected = cell_defects(spec, sampler.regions());
  YieldStudy study;
  study.npus = spec.cells();
  study.parts = part_rows(spec, sampler.regions());
  for (const PartRow& row : study.parts) study.area_mm2 += row.area_mm2;
  study.yield = 1;
  double variance = 0;
  for (const Region& region : sampler.regions()) {
    study.defects += region.defects;
    study.yield *= yield_of(spec, region.defects);
    variance += variance_of(spec, region.defects);
  }
  for (std::uint32_t cell = 0; cell < spec.cells(); ++cell) {
    study.working_npus += yield_of(spec, expected.npu[cell]);
    study.edge_npus += distance_to_edge_mm(spec, cell) < spec.edge_mm ? 1 : 0;
  }

  std::vector<Scheme> schemes = schemes_of(spec, expected, study.yield);
  std::vector<double> defects, working;
  double none = 0;
  for (std::uint32_t wafer = 0; wafer < spec.wafers; ++wafer) {
    const SampledWafer drawn = sampler.wafer(wafer);
    const std::vector<bool> dead = dead_npus(spec, drawn);
    const auto holes = static_cast<std::uint32_t>(std::count(dead.begin(), dead.end(), true));
    defects.push_back(static_cast<double>(drawn.defects));
    working.push_back(spec.cells() - holes);
    none += drawn.defects == 0 ? 1 : 0;
    const DeadGrid grid{spec.columns, spec.rows, dead_cells(spec, drawn)};
    for (Scheme& each : schemes) each.row.yield += each.repairs(grid, holes) ? 1 : 0;
  }

  const double wafers = spec.wafers;
  const auto probability = [&](const std::string& of, double formula, double drawn) {
    study.compared.push_back({of, formula, drawn, std::sqrt(formula * (1 - formula) / wafers)});
  };
  const Moments of_defects = moments_of(defects), of_working = moments_of(working);
  // Wafers that are all equal have no error to show: that of rare events takes its place.
  const auto mean = [&](const std::string& of, double formula, double drawn, double error, double rare) {
    study.compared.push_back({of, formula, drawn, error > 0 ? error : std::sqrt(rare / wafers)});
  };
  mean("defects of a wafer", study.defects, of_defects.mean, of_defects.error, variance);
  mean("their variance", variance, of_defects.variance, of_defects.variance_error, variance);
  mean("working NPUs", study.working_npus, of_working.mean, of_working.error,
       std::min(study.working_npus, spec.cells() - study.working_npus));
  probability("yield without a defect", study.yield, none / wafers);
  for (Scheme& each : schemes) {
    RepairRow row = each.row;
    std::tie(row.low, row.high) = wilson_interval(row.yield, wafers);
    row.yield /= wafers;
    if (study.yield > 0) row.gain = row.formula.value_or(row.yield) / (1 + row.area_cost) / study.yield;
    if (row.formula && row.spares != "none") probability("yield with " + row.spares, *row.formula, row.yield);
    study.repairs.push_back(std::move(row));
  }
  return study;
}

}  // namespace wafertlm::wafer_yield
