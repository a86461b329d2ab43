// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {
namespace {

namespace fs = std::filesystem;

std::string rank_file(const std::string& prefix, std::uint64_t rank) {
  return prefix + "." + std::to_string(rank) + ".et";
}

/// 12 for "job.12.et" and the prefix "job"; nothing for a name of another form ("job.012.et").
std::optional<std::uint64_t> rank_in(const std::string& file_name, const std::string& prefix_name) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t start = prefix_name.size() + 1;
  const std::size_t end = file_name.find_first_not_of("0123456789", start);
  if (end == std::string::npos || end == start || end - start > kMostDigits) return std::nullopt;
  const std::uint64_t rank = std::stoull(file_name.substr(start, end - start));
  if (file_name != rank_file(prefix_name, rank)) return std::nullopt;
  return rank;
}

}  // namespace

std::vector<std::string> find_rank_files(const std::string& prefix) {
  constexpr std::size_t kMostNamed = 5;
  const fs::path path(prefix);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::set<std::uint64_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const auto rank = rank_in(entry.path().filename().string(), path.filename().string()))
      found.insert(*rank);
  if (error) throw TraceError(folder.string() + ": " + error.message());
  if (found.empty()) throw TraceError(prefix + ": there is no file " + rank_file(prefix, 0));

  const std::uint64_t ranks = *found.rbegin() + 1;
  std::vector<std::string> files;
  std::string missing;
  std::size_t named = 0;
  files.reserve(found.size());
  for (const std::uint64_t rank : found) files.push_back(rank_file(prefix, rank));
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
