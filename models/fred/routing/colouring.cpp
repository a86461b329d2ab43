// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/colouring.h"

#include <algorithm>
#include <random>

namespace wafertlm {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::vector<std::uint32_t> component_of(const ConflictGraph& graph, std::uint32_t start,
                                        std::vector<bool>& seen) {
  std::vector<std::uint32_t> found{start};
  seen[start] = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::uint32_t next : graph[found[i]])
      if (!seen[next]) {
        seen[next] = true;
        found.push_back(next);
      }
  std::sort(found.begin(), found.end());
  return found;
}

/// DSATUR with backtracking over one component.
class ExactSearch {
 public:
  ExactSearch(const ConflictGraph& graph, const std::vector<std::uint32_t>& component, std::uint32_t colours,
              std::uint64_t budget, std::vector<std::uint32_t>& colour)
      : graph_(graph), component_(component), colours_(colours), budget_(budget), colour_(colour) {}

  Colouring::Answer run() {
    if (assign(0, 0)) return Colouring::Answer::found;
    return budget_ ? Colouring::Answer::impossible : Colouring::Answer::not_found;
  }

 private:
  std::vector<bool> taken_by_neighbours(std::uint32_t vertex) const {
    std::vector<bool> taken(colours_);
    for (const std::uint32_t neighbour : graph_[vertex])
      if (colour_[neighbour] != kNone) taken[colour_[neighbour]] = true;
    return taken;
  }

  /// The vertex with most colours around it, then most neighbours, then the lowest number.
  std::uint32_t most_constrained() const {
    std::uint32_t best = kNone;
    std::pair<std::ptrdiff_t, std::size_t> most{-1, 0};
    for (const std::uint32_t vertex : component_) {
      if (colour_[vertex] != kNone) continue;
      const std::vector<bool> taken = taken_by_neighbours(vertex);
      const std::pair<std::ptrdiff_t, std::size_t> now{std::count(taken.begin(), taken.end(), true),
                                                       graph_[vertex].size()};
      if (now > most) {
        most = now;
        best = vertex;
      }
    }
    return best;
  }

  /// Colours are alike: of those not in use yet only the first is tried.
  bool assign(std::size_t done, std::uint32_t used) {
    if (done == component_.size()) return true;
    const std::uint32_t vertex = most_constrained();
    const std::vector<bool> taken = taken_by_neighbours(vertex);
    for (std::uint32_t c = 0; c < std::min(used + 1, colours_); ++c) {
      if (taken[c]) continue;
      if (budget_ == 0) break;
      --budget_;
      colour_[vertex] = c;
      if (assign(done + 1, std::max(used, c + 1))) return true;
    }
    colour_[vertex] = kNone;
    return false;
  }

  const ConflictGraph& graph_;
  const std::vector<std::uint32_t>& component_;
  std::uint32_t colours_;
  std::uint64_t budget_;
  std::vector<std::uint32_t>& colour_;
};

/// Starts from any colouring and repairs it: the move that leaves fewest conflicts, unless it undoes a recent
/// one.
bool tabu_search(const ConflictGraph& graph, const std::vector<std::uint32_t>& component,
                 std::uint32_t colours, std::vector<std::uint32_t>& colour) {
  std::mt19937_64 random(1);
  for (const std::uint32_t vertex : component)
    colour[vertex] = static_cast<std::uint32_t>(random() % colours);
  std::vector<std::vector<std::uint64_t>> tabu_until(graph.size(), std::vector<std::uint64_t>(colours));
  const std::uint64_t rounds = 2000 + 20 * component.size();
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    std::uint32_t vertex = kNone, to = 0;
    std::int64_t best = 0;
    bool conflict = false;
    for (const std::uint32_t v : component) {
      std::vector<std::int64_t> around(colours);
      for (const std::uint32_t neighbour : graph[v]) ++around[colour[neighbour]];
      if (around[colour[v]] == 0) continue;
      conflict = true;
      for (std::uint32_t c = 0; c < colours; ++c) {
        const std::int64_t change = around[c] - around[colour[v]];
        if (c == colour[v] || tabu_until[v][c] > round) continue;
        if (vertex == kNone || change < best) {
          vertex = v;
          to = c;
          best = change;
        }
      }
    }
    if (!conflict) return true;
    if (vertex == kNone) continue;  // all moves are tabu for now
    tabu_until[vertex][colour[vertex]] = round + 7 + random() % 10;
    colour[vertex] = to;
  }
  for (const std::uint32_t vertex : component) colour[vertex] = kNone;
  return false;
}

}  // namespace

Colouring colour_graph(const ConflictGraph& graph, std::uint32_t colours, std::uint64_t budget) {
  Colouring result;
  result.colour.assign(graph.size(), kNone);
  std::vector<bool> seen(graph.size());
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) {
    if (seen[vertex]) continue;
    const std::vector<std::uint32_t> component = component_of(graph, vertex, seen);
    result.answer = ExactSearch(graph, component, colours, budget, result.colour).run();
    if (result.answer == Colouring::Answer::not_found) {
      result.heuristic = true;
      if (tabu_search(graph, component, colours, result.colour)) result.answer = Colouring::Answer::found;
    }
    if (result.answer != Colouring::Answer::found) {
      result.component = component;
      return result;
    }
  }
  return result;
}

}  // namespace wafertlm
