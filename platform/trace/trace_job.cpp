// SPDX-License-Identifier: Apache-2.0
#include "platform/trace/trace_job.h"

#include <map>
#include <optional>

#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

constexpr std::size_t kMostDigits = 9;

struct RankFile {
  std::string prefix;
  std::uint32_t rank;
};

/// "traces/job.12.et" → "traces/job" and 12.
std::optional<RankFile> split(const std::string& file) {
  std::string stem = file;
  for (const char* suffix : chakra::kTraceSuffixes) {
    const std::string end = suffix;
    if (file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0)
      stem = file.substr(0, file.size() - end.size());
  }
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string::npos || dot + 1 == stem.size() || stem.size() - dot - 1 > kMostDigits ||
      stem.find_first_not_of("0123456789", dot + 1) != std::string::npos)
    return std::nullopt;
  return RankFile{stem.substr(0, dot), static_cast<std::uint32_t>(std::stoul(stem.substr(dot + 1)))};
}

TraceJob job_of(const std::string& prefix, const std::map<std::uint32_t, std::string>& by_rank) {
  TraceJob job{prefix, {}, by_rank.size() > 1, by_rank.begin()->first};
  for (const auto& [rank, file] : by_rank) {
    if (job.is_whole && rank != job.files.size())
      throw chakra::TraceError(prefix + ": rank " + std::to_string(job.files.size()) + " is missing; rank " +
                               std::to_string(rank) + " is " + file);
    job.files.push_back(file);
  }
  return job;
}

}  // namespace

std::vector<TraceJob> find_trace_jobs(const std::vector<std::string>& arguments) {
  std::vector<TraceJob> jobs;
  std::map<std::string, std::map<std::uint32_t, std::string>> by_prefix;
  for (const std::string& argument : arguments) {
    if (!chakra::is_trace_file(argument)) {
      jobs.push_back({argument, chakra::find_rank_files(argument), true, 0});
    } else if (const auto part = split(argument)) {
      const auto [place, is_new] = by_prefix[part->prefix].emplace(part->rank, argument);
      if (!is_new)
        throw chakra::TraceError(part->prefix + ": rank " + std::to_string(part->rank) +
                                 " is given twice: " + place->second + " and " + argument);
    } else {
      jobs.push_back({argument, {argument}, false, 0});
    }
  }
  for (const auto& [prefix, by_rank] : by_prefix) jobs.push_back(job_of(prefix, by_rank));
  return jobs;
}

}  // namespace wafertlm
