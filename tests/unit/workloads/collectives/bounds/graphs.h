// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tlm/shape/link_graph.h"

namespace wafertlm::test {

constexpr std::uint64_t kMeshLink = 750'000'000'000;

/// NPUs in rows, without those in `holes`, which do not count in the numbers; no switches.
inline LinkGraph bare_mesh(std::uint32_t width, std::uint32_t height,
                           const std::set<std::uint32_t>& holes = {}) {
  LinkGraph graph;
  std::vector<std::uint32_t> number(std::size_t{width} * height, ~0U);
  for (std::uint32_t at = 0; at < number.size(); ++at)
    if (holes.count(at) == 0) {
      number[at] = graph.npus++;
      graph.vertices.push_back("npu" + std::to_string(at));
    }
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (number[a] == ~0U || number[b] == ~0U) return;
    graph.links.push_back({number[a], number[b], kMeshLink});
    graph.links.push_back({number[b], number[a], kMeshLink});
  };
  for (std::uint32_t at = 0; at < number.size(); ++at) {
    if (at % width + 1 < width) connect(at, at + 1);
    if (at + width < number.size()) connect(at, at + width);
  }
  return graph;
}

/// NPUs and switches with links of unequal rates, also between the two directions; a ring keeps it connected.
inline LinkGraph random_links(std::mt19937_64& random, std::uint32_t vertices, std::uint32_t npus) {
  LinkGraph graph;
  graph.npus = npus;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
    graph.vertices.push_back("v" + std::to_string(vertex));
  const auto rate = [&] { return 1 + random() % (random() % 2 == 0 ? 4 : 1000); };
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    graph.links.push_back({vertex, (vertex + 1) % vertices, rate()});
    graph.links.push_back({(vertex + 1) % vertices, vertex, rate()});
  }
  for (std::uint64_t more = random() % (2 * vertices); more > 0; --more) {
    const auto from = static_cast<std::uint32_t>(random() % vertices),
               to = static_cast<std::uint32_t>(random() % vertices);
    if (from != to) graph.links.push_back({from, to, rate()});
  }
  return graph;
}

inline std::vector<std::uint32_t> first_vertices(std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace wafertlm::test
