// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/undirected.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace wafertlm::bounds {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;
constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};

std::map<Pair, std::uint64_t> weights_of(const LinkGraph& fabric) {
  std::map<Pair, std::uint64_t> weights;
  for (const LinkGraph::Link& link : fabric.links)
    weights[std::minmax(link.from, link.to)] += link.bytes_per_s;
  return weights;
}

/// A vertex that passes on goes with its neighbour if it has half of its weight to it, so that the cut round
/// both is not the larger one. Only to NPUs: then no two of these steps meet.
std::vector<std::uint32_t> joined_to(const LinkGraph& fabric, const std::map<Pair, std::uint64_t>& weights,
                                     const std::set<std::uint32_t>& members) {
  std::vector<std::uint64_t> degree(fabric.vertices.size(), 0);
  for (const auto& [ends, weight] : weights) {
    degree[ends.first] += weight;
    degree[ends.second] += weight;
  }
  std::vector<std::uint32_t> joined(fabric.vertices.size());
  std::iota(joined.begin(), joined.end(), 0U);
  for (const auto& [ends, weight] : weights)  // NPUs are the lower vertices
    if (ends.first < fabric.npus && ends.second >= fabric.npus && members.count(ends.first) != 0 &&
        2 * weight >= degree[ends.second])
      joined[ends.second] = ends.first;
  return joined;
}

}  // namespace

Undirected undirected(const LinkGraph& fabric, const std::vector<std::uint32_t>& members) {
  const std::map<Pair, std::uint64_t> weights = weights_of(fabric);
  const std::vector<std::uint32_t> joined =
      joined_to(fabric, weights, std::set<std::uint32_t>(members.begin(), members.end()));
  Undirected made;
  std::vector<std::uint32_t> number(fabric.vertices.size(), kUnnumbered);
  for (const std::uint32_t vertex : joined) {
    if (number[vertex] == kUnnumbered) number[vertex] = made.graph.vertices++;
    made.vertex_of.push_back(number[vertex]);
  }
  for (const std::uint32_t member : members) made.graph.terminals.push_back(made.vertex_of[member]);
  for (const auto& [ends, weight] : weights) {
    const std::uint32_t a = made.vertex_of[ends.first], b = made.vertex_of[ends.second];
    if (a != b) made.graph.edges.push_back({a, b, weight});
  }
  return made;
}

}  // namespace wafertlm::bounds
