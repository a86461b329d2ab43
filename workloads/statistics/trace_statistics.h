// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "workloads/statistics/distribution.h"
#include "workloads/statistics/trace_graph.h"

namespace wafertlm::statistics {

/// The class of a node: "kernel", "cpu", "delay", "memory", "send", "receive", or a collective's type.
std::string class_of(const chakra::Node& node);

/// What a trace is made of; of several ranks all together.
struct TraceStatistics {
  std::uint64_t ranks = 0, nodes = 0, edges = 0;
  std::map<std::string, Distribution> durations_ps;  ///< by class
  std::map<std::string, Distribution> bytes;         ///< by class: of communications and memory accesses
  Distribution parents, children;                    ///< of a node: their number
  Distribution intensity;                            ///< operations per byte, of nodes that tell both
  std::uint64_t depth = 0;                           ///< nodes on the longest chain; of the ranks the most
  /// With communication as recorded, of the rank where it is longest: the longest chain by time, and the time
  /// with units that take one node at a time.
  std::uint64_t critical_path_ps = 0, scheduled_ps = 0;
  std::uint64_t work_ps = 0;  ///< durations of all computations, all ranks

  using Kind = std::tuple<std::string, std::uint64_t, std::string>;  ///< type, bytes, group
  std::map<Kind, std::uint64_t> collectives;

  /// Bytes and messages of a traffic class in sizes from 2^k to 2^(k+1) - 1, by k (0 for no bytes).
  struct SizeClass {
    std::uint64_t messages = 0, bytes = 0;
  };
  std::map<std::string, std::map<unsigned, SizeClass>> sizes;  ///< by traffic class
};

TraceStatistics statistics_of(const std::vector<TraceGraph>& ranks);

/// How far two traces are apart in one respect.
struct Difference {
  std::string what;  ///< "duration of kernel"
  std::size_t count_a = 0, count_b = 0;
  double ks = 0;           ///< Kolmogorov-Smirnov distance
  double earth_mover = 0;  ///< in the unit of the values
  double mean_a = 0, mean_b = 0;
};
std::vector<Difference> compare(const TraceStatistics& a, const TraceStatistics& b);

}  // namespace wafertlm::statistics
