// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/simulation.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "platform/commands/libra/cell_times.h"
#include "platform/commands/libra/inputs.h"

namespace wafertlm::libra {
namespace {

bool fulfils(const std::vector<LinearConstraint>& constraints, const std::vector<double>& bandwidths) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const LinearConstraint& each) { return each.violation(bandwidths) <= 1e-6; });
}

std::vector<SimulatedDesign> designs_of(const Request& request, const Answer& answer, std::size_t others) {
  std::vector<SimulatedDesign> designs(1);
  designs.front().name = "optimum";
  designs.front().bandwidths = answer.best.bandwidths;
  const auto add = [&](const std::string& name, const std::vector<double>& bandwidths) {
    designs.emplace_back();
    designs.back().name = name;
    designs.back().bandwidths = bandwidths;
  };
  if (answer.equal) add("equal shares", answer.equal->bandwidths);
  for (const std::vector<double>& each : neighbours(request, answer.best.bandwidths, others))
    add("candidate " + std::to_string(designs.size()), each);
  for (SimulatedDesign& each : designs) {
    each.model_ns = answer.problems.front().value(each.bandwidths);
    each.least_ns = least_time_ns(request.loads.front(), each.bandwidths);
  }
  return designs;
}

void rank(Simulation& simulation) {
  std::vector<double> model, simulated;
  for (const SimulatedDesign& each : simulation.designs) {
    if (!each.error.empty()) return;
    model.push_back(each.model_ns);
    simulated.push_back(static_cast<double>(each.time_ps));
  }
  simulation.rank_correlation = model_gap::rank_correlation(model, simulated);
  simulation.swaps = model_gap::swaps(model, simulated);
}

}  // namespace

double least_time_ns(const Load& load, const std::vector<double>& bandwidths) {
  double sum = load.workload.compute_ns();
  for (const LoadCollective& each : collectives_of(load).all) {
    int group = 1;
    double ports = 0;
    for (std::size_t d = 0; d < bandwidths.size(); ++d)
      if (each.groups[d] > 1) {
        group *= each.groups[d];
        ports += bandwidths[d];
      }
    sum += astra_text::bytes_by_dimension(each.type, each.bytes, {group}).front() / ports;
  }
  return sum;
}

std::vector<std::vector<double>> neighbours(const Request& request, const std::vector<double>& optimum,
                                            std::size_t count) {
  constexpr double kFarthest = 0.6931471805599453;  // ln 2
  std::vector<std::vector<double>> found;
  std::mt19937 random(1);
  double sum = 0;
  for (const double each : optimum) sum += each;
  for (std::size_t tries = 0; tries < 50 * count && found.size() < count; ++tries) {
    std::vector<double> point;
    double all = 0;
    for (const double each : optimum) {
      const double part = static_cast<double>(random()) / 4294967295.0;
      point.push_back(each * std::exp(kFarthest * (2 * part - 1)));
      all += point.back();
    }
    for (double& each : point) each *= sum / all;
    if (fulfils(request.constraints, point)) found.push_back(std::move(point));
  }
  return found;
}

Simulation simulate(const Request& request, const Answer& answer, const SimulationOptions& options) {
  Simulation simulation;
  simulation.designs = designs_of(request, answer, options.candidates);
  const auto cell = [&](const SimulatedDesign& design) {
    return cell_of(request, options, options.folder, design.bandwidths);
  };
  model_gap::CellTimes times(cell(simulation.designs.front()).file, options.folder, options.engine);
  std::vector<Cell> cells;
  for (const SimulatedDesign& design : simulation.designs) cells.push_back(cell(design));
  const std::size_t count = cells.size(), with_themis = answer.equal ? 2 : 1;
  for (std::size_t i = 0; i < with_themis; ++i) {
    cells.push_back(cells[i]);
    cells.back().overrides.emplace_back("collectives.dimensions.order=themis");
  }
  const std::vector<model_gap::Run> runs = times.of(cells, "designs");
  for (std::size_t i = 0; i < count; ++i) {
    SimulatedDesign& design = simulation.designs[i];
    design.error = runs[i].error;
    design.time_ps = runs[i].time_ps;
    if (i >= with_themis) continue;
    if (design.error.empty()) design.error = runs[count + i].error;
    design.themis_ps = runs[count + i].time_ps;
  }
  if (!simulation.designs.front().error.empty())
    throw std::runtime_error("the optimum cannot be simulated: " + simulation.designs.front().error);
  rank(simulation);
  model_gap::Question question{cell(simulation.designs.front()),
                               answer.problems.front(),
                               answer.best.bandwidths,
                               {},
                               std::max<std::uint32_t>(options.chunks, 16),
                               model_gap::least_latency(cell(simulation.designs.front())),
                               wire_factors(request.loads.front(), request.network),
                               options.set.empty()};
  for (const NetworkDimension& each : request.network.dimensions)
    question.link_shares.push_back(link_share(each));
  simulation.difference = model_gap::difference(
      question, [&](const std::vector<Cell>& variants) { return times.of(variants, "parts"); });
  return simulation;
}

}  // namespace wafertlm::libra
