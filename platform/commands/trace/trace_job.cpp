// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_job.h"

#include <fmt/core.h>

#include <map>
#include <stdexcept>

#include "workloads/astra_text/training_job.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/recorded_groups.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

TraceJob job_of(const std::string& prefix, const std::map<std::uint64_t, std::string>& by_rank) {
  TraceJob job{prefix, {}, by_rank.size() > 1, static_cast<std::uint32_t>(by_rank.begin()->first)};
  for (const auto& [rank, file] : by_rank) {
    if (job.is_whole && rank != job.files.size())
      throw chakra::TraceError(
          fmt::format("{}: rank {} is missing; rank {} is {}", prefix, job.files.size(), rank, file));
    job.files.push_back(file);
  }
  return job;
}

}  // namespace

chakra::Dependencies dependencies_of(const std::string& name) {
  if (name == "existing") return chakra::Dependencies::existing;
  return name == "data" ? chakra::Dependencies::data : chakra::Dependencies::all;
}

std::vector<TraceJob> find_trace_jobs(const std::vector<std::string>& arguments) {
  std::vector<TraceJob> jobs;
  std::map<std::string, std::map<std::uint64_t, std::string>> by_prefix;
  for (const std::string& argument : arguments) {
    if (astra_text::is_text_workload(argument))
      throw chakra::TraceError(argument +
                               ": a text workload, of which `wafertlm trace convert --replicate RANKS` makes "
                               "traces");
    if (!chakra::is_trace_file(argument)) {
      jobs.push_back({argument, chakra::find_rank_files(argument), true, 0});
    } else if (const auto part = chakra::split_rank_file(argument)) {
      if (!part->is_plain)
        throw chakra::TraceError(argument +
                                 ": looks like a rank's trace, but ranks are written without leading "
                                 "zeros and with at most nine digits; rename it");
      const auto [known, is_new] = by_prefix[part->prefix].emplace(part->rank, argument);
      if (!is_new)
        throw chakra::TraceError(fmt::format("{}: rank {} is given twice: {} and {}", part->prefix,
                                             part->rank, known->second, argument));
    } else {
      jobs.push_back({argument, {argument}, false, 0});
    }
  }
  for (const auto& [prefix, by_rank] : by_prefix) jobs.push_back(job_of(prefix, by_rank));
  return jobs;
}

chakra::CommGroups groups_of(const std::string& file, std::uint32_t ranks,
                             const std::vector<std::string>& traces) {
  return file.empty() ? chakra::recorded_groups(traces, ranks) : chakra::CommGroups::from_file(file, ranks);
}

}  // namespace wafertlm
