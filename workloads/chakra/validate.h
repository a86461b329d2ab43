// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/communication_numbers.h"
#include "workloads/chakra/footprint.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// The most that a communication or a memory access may move: 2^50 B. What is larger is a damaged size.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;

struct ValidateOptions {
  Dependencies dependencies = Dependencies::all;
  /// Traffic classes that the platform has; empty: any will do.
  std::vector<std::string> classes = {};
  /// The most bytes that a rank may hold of a communication, or move in a memory access, and what sets the
  /// limit: "the memory of an NPU, npu.hbm.capacity".
  std::uint64_t max_bytes = kMaxBytes;
  std::string max_bytes_of = {};
  /// How long a node may compute on the platform, in picoseconds and over all iterations; its duration if not
  /// given.
  std::function<double(const Node&)> longest_ps = {};
};

/// What the plan of a collective depends on.
struct CollectiveKind {
  std::uint64_t group;  ///< CommGroups::number()
  CollectiveType type;
  bool io_stream;
  std::uint64_t bytes;
  friend bool operator<(const CollectiveKind& a, const CollectiveKind& b) {
    return std::tie(a.group, a.type, a.io_stream, a.bytes) < std::tie(b.group, b.type, b.io_stream, b.bytes);
  }
};

/// The collectives of one kind in a trace.
struct CollectivesOfAKind {
  Node first;  ///< without its dependencies
  std::uint64_t count = 0;
};

struct TraceSummary {
  std::uint64_t nodes = 0;
  std::array<std::uint64_t, kNodeTypes> by_type{};  ///< indexed by NodeType
  std::uint64_t collectives = 0;                    ///< COMM_COLL nodes that are collectives
  std::uint64_t io_streams = 0;                     ///< collectives that are streams, see Node::io_stream
  std::uint64_t launches = 0;                       ///< COMM_COLL nodes that are their CPU side
  std::uint64_t cpu_ops = 0;
  std::uint64_t missing_ctrl_deps = 0;  ///< also with Dependencies::data, which leaves them out
  std::uint64_t missing_data_deps = 0;
  std::uint64_t left_out_ctrl_deps = 0;                           ///< with Dependencies::data
  std::uint64_t comp_duration_ps = 0;                             ///< sum over the COMP nodes
  double operations = 0;                                          ///< the same of num_ops, on the NPU
  double loaded_bytes = 0;                                        ///< of loads and stores
  std::uint64_t computations_without_operations = 0;              ///< on the NPU, that take time all the same
  std::uint64_t message_bytes = 0;                                ///< as the nodes give them
  std::map<CollectiveKind, CollectivesOfAKind> collective_kinds;  ///< those that need a plan
  std::set<std::string> classes;                                  ///< that communications name
  std::set<std::size_t> groups;        ///< CommGroups::number() of those that nodes name
  std::set<std::uint32_t> sends_to;    ///< ranks, in messages of their own
  std::vector<std::uint64_t> missing;  ///< ids that dependencies name and no node has, if they are accepted
  NumberExceptions numbers;            ///< for CommunicationNumbers
  AttributeCounts unknown_attributes;  ///< NodeSource::unknown_attributes() at the end
  Footprint footprint;                 ///< what the source tells (NodeSource::memory_bytes) or its tensors
};

/// Reads the trace of `rank` from its first node to its last; leaves it rewound. Memory: a bit per node, the
/// nodes that come before a parent of theirs, 32 bytes per communication, and 24 per tensor that nodes name.
/// @throws TraceError, naming the source and the nodes: node type INVALID, two nodes with one id, a
/// dependency on a missing node (how many, up to 5 named), a cycle or a node that needs itself (in order), a
/// collective in an unknown group or one that does not hold the rank, a peer outside the job, a send that
/// claims to come from another rank (and the reverse), a traffic class that the platform does not have, a
/// size or a time beyond the options, a trace in which nothing runs.
///
/// Something runs if a node takes time by itself: a computation with a duration, or on the NPU with
/// operations, products or bytes; a CPU operation or launch with a duration; a collective of more than one
/// rank with bytes, or a barrier; a memory access with bytes; a message, also of no bytes (its latency
/// remains).
TraceSummary validate(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                      const ValidateOptions& options = {});

/// validate() of every rank (`ranks[r]` is rank r's trace), and then what takes two of them. Of several
/// errors the first in rank order is reported. Collectives and messages belong together by their numbers, see
/// CommunicationNumbers. @throws TraceError: ranks of two sets (OneSet); naming both ranks and both nodes:
/// another type, size, class, order or number of collectives within a group; a send without its receive, or
/// the reverse, or of another size, by (source, destination, tag).
std::vector<TraceSummary> validate_job(const std::vector<NodeSource*>& ranks, const CommGroups& groups,
                                       const ValidateOptions& options = {});

/// @param count CommGroups::count() of the file. @throws TraceError: no node of the ranks names a group of
/// it.
void require_group_of_file(const std::vector<TraceSummary>& ranks, std::size_t count,
                           const std::string& file);

/// The names of the nodes with these ids, in this order: reads the source once more and leaves it rewound.
std::vector<std::string> node_names(NodeSource& source, const std::vector<std::uint64_t>& ids);

}  // namespace wafertlm::chakra
