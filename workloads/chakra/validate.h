// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

struct ValidateOptions {
  /// True: a dependency on a node that is not in the trace counts as satisfied (and is counted). Real traces
  /// are filtered and have them.
  bool accept_missing_dependencies = false;
};

struct TraceSummary {
  std::uint64_t nodes = 0;
  std::array<std::uint64_t, kNodeTypes> by_type{};  ///< indexed by NodeType
  std::uint64_t collectives = 0;                    ///< COMM_COLL nodes that are collectives
  std::uint64_t launches = 0;                       ///< COMM_COLL nodes that are their CPU side
  std::uint64_t cpu_ops = 0;
  std::uint64_t missing_ctrl_deps = 0;
  std::uint64_t missing_data_deps = 0;
  std::uint64_t comp_duration_ps = 0;  ///< sum over the COMP nodes
};

/// Reads the trace of `rank` from its first node to its last; leaves it rewound. Memory: see DependencyGraph.
/// @throws TraceError, naming the source and the nodes: node type INVALID, two nodes with one id, a
/// dependency on a missing node (how many, up to 5 named), a cycle or a node that needs itself (in order), a
/// collective in an unknown group or one that does not hold the rank, a peer outside the job, a send that
/// claims to come from another rank (and the reverse), a trace in which nothing runs.
TraceSummary validate(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                      const ValidateOptions& options = {});

/// validate() of every rank (`ranks[r]` is rank r's trace), and then what takes two of them. Of several
/// errors the first in rank order is reported. Collectives are compared in the order that dependencies and
/// then the file give them. @throws TraceError naming both ranks and both nodes: another type, size, order or
/// number of collectives within a group; a send without its receive, or the reverse, or of another size, by
/// (source, destination, tag).
std::vector<TraceSummary> validate_job(const std::vector<NodeSource*>& ranks, const CommGroups& groups,
                                       const ValidateOptions& options = {});

/// The files `PREFIX.<rank>.et` in rank order. @throws TraceError when there are none, or when the ranks do
/// not run from 0 to the highest (names the missing ones).
std::vector<std::string> find_rank_files(const std::string& prefix);

}  // namespace wafertlm::chakra
