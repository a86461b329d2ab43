// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// What --dependencies says: all, existing or data.
chakra::Dependencies dependencies_of(const std::string& name);

/// Trace files that a user named, put together to jobs.
struct TraceJob {
  std::string name;                ///< the prefix, or the file
  std::vector<std::string> files;  ///< by rank
  bool is_whole = false;           ///< all ranks are there; else one file, whose rank may be any
  std::uint32_t rank = 0;          ///< of a single file
};

/// Each argument is a trace file or the PREFIX of PREFIX.<rank>.et. Several files of one prefix are a job.
/// @throws chakra::TraceError: no such file, a rank that is missing.
std::vector<TraceJob> find_trace_jobs(const std::vector<std::string>& arguments);

/// The groups in the file; "": those that the traces define. @throws chakra::TraceError.
chakra::CommGroups groups_of(const std::string& file, std::uint32_t ranks,
                             const std::vector<std::string>& traces);

}  // namespace wafertlm
