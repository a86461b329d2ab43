// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/node_source.h"

namespace wafertlm::statistics {

/// All nodes of a rank at once, for what must look at a trace as a whole.
struct TraceGraph {
  std::string name;                 ///< of the source
  std::vector<chakra::Node> nodes;  ///< in the order of the file
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      edges;                         ///< (child, parent), by positions; sorted, no doubles
  std::vector<std::uint32_t> order;  ///< positions, parents first; else as in the file

  /// The edges of a child: from first to last.
  std::pair<std::size_t, std::size_t> parents(std::uint32_t child) const;
};

/// Reads a source from its first node. Dependencies count as `dependencies` says.
/// @throws chakra::TraceError: two nodes with one id, a dependency on a node that is not there (unless they
/// may be missing), a cycle.
TraceGraph read_graph(chakra::NodeSource& source,
                      chakra::Dependencies dependencies = chakra::Dependencies::all);

/// When each node runs if communication takes as long as recorded: units (Node::unit; 0 is the rank's compute
/// unit or CPU) take one node at a time, in the order of the graph.
struct Schedule {
  std::vector<std::uint64_t> start_ps, end_ps;  ///< by position
  std::uint64_t total_ps = 0;
};
Schedule schedule(const TraceGraph& graph);

}  // namespace wafertlm::statistics
