// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/assignment.h"

#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace wafertlm::partition {
namespace {

using Graph = lemon::StaticDigraph;
using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

/// A power of two that makes the largest cost a whole number of 52 bits less those of `count`; 1 at least
/// where the costs are whole and fit.
double scale_of(const std::vector<double>& costs) {
  const double largest = *std::max_element(costs.begin(), costs.end());
  if (largest == 0) return 1;
  const double room = std::ldexp(1.0, 52) / static_cast<double>(costs.size());
  return std::ldexp(1.0, static_cast<int>(std::floor(std::log2(room / largest))));
}

}  // namespace

Owners least_cost_owners(const std::vector<double>& costs, std::uint32_t workers) {
  if (workers == 0 || costs.empty() || costs.size() % workers != 0)
    throw std::invalid_argument("an assignment needs a cost for each worker");
  for (const double cost : costs)
    if (!std::isfinite(cost) || cost < 0)
      throw std::invalid_argument("costs of an assignment must be finite, and 0 or more");
  const std::size_t count = costs.size() / workers;
  const double scale = scale_of(costs);
  // Outputs, then workers, then a sink: every output chooses a worker, every worker hands its outputs on.
  const auto outputs = static_cast<int>(count), sink = outputs + static_cast<int>(workers);
  std::vector<std::pair<int, int>> arcs;
  for (int i = 0; i < outputs; ++i)
    for (int worker = outputs; worker < sink; ++worker) arcs.emplace_back(i, worker);
  for (int worker = outputs; worker < sink; ++worker) arcs.emplace_back(worker, sink);
  Graph graph;
  graph.build(sink + 1, arcs.begin(), arcs.end());
  Graph::ArcMap<std::int64_t> lower(graph, 0), upper(graph, 1), cost(graph, 0);
  Graph::NodeMap<std::int64_t> supply(graph, 0);
  const auto choice = [](std::size_t number) { return Graph::arc(static_cast<int>(number)); };
  for (std::size_t i = 0; i < costs.size(); ++i) cost[choice(i)] = std::llround(scale * costs[i]);
  for (std::size_t p = costs.size(); p < arcs.size(); ++p) {
    lower[choice(p)] = static_cast<std::int64_t>(count / workers);
    upper[choice(p)] = static_cast<std::int64_t>((count + workers - 1) / workers);
  }
  for (int i = 0; i < outputs; ++i) supply[Graph::node(i)] = 1;
  supply[Graph::node(sink)] = -static_cast<std::int64_t>(count);
  Simplex simplex(graph);
  simplex.lowerMap(lower).upperMap(upper).costMap(cost).supplyMap(supply);
  if (simplex.run() != Simplex::OPTIMAL) throw std::logic_error("an assignment without a solution");
  Owners found(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint32_t p = 0; p < workers; ++p)
      if (simplex.flow(choice(i * workers + p)) != 0) found[i] = p;
  return found;
}

}  // namespace wafertlm::partition
