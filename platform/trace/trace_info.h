// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "platform/trace/trace_job.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// What is in the traces of a job, as it stands there: nothing is judged.
struct TraceInfo {
  struct Collectives {
    std::uint64_t count = 0, bytes = 0;
  };
  std::uint64_t ranks = 0, nodes = 0, cpu_ops = 0, dependencies = 0;
  std::array<std::uint64_t, chakra::kNodeTypes> by_type{};
  std::map<std::string, Collectives> collectives;  ///< by type; bytes as the nodes give them
  std::uint64_t launches = 0;                      ///< COMM_COLL nodes that are the CPU side of one
  std::uint64_t sent_bytes = 0, received_bytes = 0, memory_bytes = 0, operations = 0;
  std::uint64_t cpu_ps = 0;                                 ///< durations of CPU operations, all ranks
  std::uint64_t compute_ps = 0;                             ///< of COMP nodes that are not, all ranks
  std::uint64_t least_compute_ps = 0, most_compute_ps = 0;  ///< of one rank
  std::uint64_t least_nodes = 0, most_nodes = 0;
};

/// Reads the job's files, one after the other. @throws chakra::TraceError for what cannot be read.
TraceInfo read_info(const TraceJob& job);
std::string info_text(const TraceJob& job, const TraceInfo& info);

}  // namespace wafertlm
