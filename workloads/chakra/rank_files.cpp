// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/rank_files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

namespace wafertlm::chakra {
namespace {

namespace fs = std::filesystem;

std::string rank_file(const std::string& prefix, std::uint64_t rank, const std::string& suffix = ".et") {
  return prefix + "." + std::to_string(rank) + suffix;
}

/// 12 for "job.12.et", the prefix "job" and the suffix ".et"; nothing for another form ("job.012.et").
std::optional<std::uint64_t> rank_in(const std::string& file_name, const std::string& prefix_name,
                                     const std::string& suffix) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t start = prefix_name.size() + 1;
  const std::size_t end = file_name.find_first_not_of("0123456789", start);
  if (end == std::string::npos || end == start || end - start > kMostDigits) return std::nullopt;
  const std::uint64_t rank = std::stoull(file_name.substr(start, end - start));
  if (file_name != rank_file(prefix_name, rank, suffix)) return std::nullopt;
  return rank;
}

/// The files of the prefix in its folder, by rank, in the first form of which there is one.
std::map<std::uint64_t, std::string> files_of(const std::string& prefix, std::error_code& error) {
  const fs::path path(prefix);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::map<std::uint64_t, std::string> files;
  for (const char* suffix : kTraceSuffixes) {
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (const auto rank = rank_in(entry.path().filename().string(), path.filename().string(), suffix))
        files.emplace(*rank, rank_file(prefix, *rank, suffix));
    if (!files.empty()) break;
  }
  return files;
}

}  // namespace

bool has_rank_files(const std::string& prefix) {
  std::error_code error;
  return !files_of(prefix, error).empty();
}

std::vector<std::string> find_rank_files(const std::string& prefix) {
  constexpr std::size_t kMostNamed = 5;
  std::error_code error;
  const auto found = files_of(prefix, error);
  if (error) throw TraceError(fs::path(prefix).parent_path().string() + ": " + error.message());
  if (found.empty()) throw TraceError(prefix + ": there is no file " + rank_file(prefix, 0));

  const std::uint64_t ranks = found.rbegin()->first + 1;
  std::vector<std::string> files;
  std::string missing;
  std::size_t named = 0;
  files.reserve(found.size());
  for (const auto& [rank, file] : found) files.push_back(file);
  for (std::uint64_t rank = 0; rank < ranks && named < kMostNamed; ++rank) {
    if (found.count(rank) != 0) continue;
    missing.append(named++ == 0 ? "" : ", ").append(rank_file(prefix, rank));
  }
  if (named > 0)
    throw TraceError(prefix + ": " + std::to_string(found.size()) + " of " + std::to_string(ranks) +
                     " rank files are there; missing: " + missing +
                     (ranks - found.size() > named ? ", …" : ""));
  return files;
}

}  // namespace wafertlm::chakra
