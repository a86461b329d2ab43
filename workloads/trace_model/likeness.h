// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/statistics/trace_graph.h"
#include "workloads/statistics/trace_statistics.h"
#include "workloads/trace_model/generate.h"

namespace wafertlm::trace_model {

using Ranks = std::vector<statistics::TraceGraph>;

/// No connected part of `made` that has more nodes than this is also in `source`: with equal dependencies
/// between nodes of equal class, unit, duration on the source's grid, sizes and operations. (Of the
/// dependencies in `made` those are kept of which there is an equal one in `source`; a common part lies
/// within what they connect.)
std::uint64_t most_identical_nodes(const Ranks& source, const Ranks& made);

/// An attack: for each node that computes or communicates, the one of the source of the same class that is
/// nearest in duration and size, its own and those of the nodes before and behind it.
struct LayersFound {
  std::uint64_t nodes = 0;
  std::uint64_t layers = 0;     ///< the guess has the name of what the node was made after
  std::uint64_t operators = 0;  ///< it has that name but for the numbers in it
  /// Right if the most frequent name of the class, or operator, were the guess.
  double layers_by_chance = 0, operators_by_chance = 0;
};
/// Looks at one rank of each of the model's behaviours, and at most 1000 nodes of it.
LayersFound attack_layers(const Ranks& source, const Model& model, const Generated& made,
                          const Ranks& graphs);

/// What tells families of models apart, each from 0 to 1: shares of classes of nodes, of types and classes of
/// communication in bytes and messages, how uneven durations and sizes are, how much depends on what.
std::vector<double> family_features(const statistics::TraceStatistics& of);
/// An attack: which of the known traces has the nearest features. @returns its place in `known`, not empty.
std::size_t nearest_family(const std::vector<double>& features,
                           const std::vector<std::vector<double>>& known);

}  // namespace wafertlm::trace_model
