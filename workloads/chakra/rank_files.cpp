// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <system_error>

#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {

std::vector<std::string> find_rank_files(const std::string& prefix) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostNamed = 5;
  const fs::path path(prefix);
  const std::string start = path.filename().string() + ".";
  const std::string end = ".et";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::map<std::uint64_t, std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= start.size() + end.size() || name.rfind(start, 0) != 0 ||
        name.compare(name.size() - end.size(), end.size(), end) != 0)
      continue;
    const std::string rank = name.substr(start.size(), name.size() - start.size() - end.size());
    constexpr std::size_t kMostDigits = 9;
    const bool canonical = rank.find_first_not_of("0123456789") == std::string::npos &&
                           rank.size() <= kMostDigits && (rank.front() != '0' || rank.size() == 1);
    if (canonical) files.emplace(std::stoull(rank), prefix + "." + rank + end);
  }
  if (error) throw TraceError(folder.string() + ": " + error.message());
  if (files.empty())
    throw TraceError(prefix + ": no file " + prefix + ".<rank>.et, for example " + prefix + ".0.et");

  const std::uint64_t ranks = files.rbegin()->first + 1;
  if (files.size() < ranks) {
    std::string text;
    std::size_t named = 0;
    for (std::uint64_t rank = 0; rank < ranks && named < kMostNamed; ++rank) {
      if (files.count(rank) != 0) continue;
      text += (named++ == 0 ? "" : ", ") + prefix + "." + std::to_string(rank) + end;
    }
    const std::uint64_t missing = ranks - files.size();
    throw TraceError(prefix + ": " + std::to_string(files.size()) + " of " + std::to_string(ranks) +
                     " rank files are there; missing: " + text + (missing > named ? ", …" : ""));
  }
  std::vector<std::string> result;
  for (auto& [rank, file] : files) result.push_back(std::move(file));
  return result;
}

}  // namespace wafertlm::chakra
