// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/rank_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace wafertlm::chakra {
namespace {

namespace fs = std::filesystem;

std::string rank_file(const std::string& prefix, std::uint64_t rank, const std::string& suffix) {
  return fmt::format("{}.{}{}", prefix, rank, suffix);
}

std::vector<RankFileName> files_of(const std::string& prefix, std::error_code& error) {
  const fs::path path(prefix);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<RankFileName> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    auto name = split_rank_file(entry.path().filename().string());
    if (!name || name->prefix != path.filename().string()) continue;
    name->prefix = prefix;
    if (!name->is_plain)
      throw TraceError((folder / entry.path().filename()).string() +
                       ": looks like a rank's trace, but ranks are written without leading zeros and with at "
                       "most nine digits; rename it");
    files.push_back(*name);
  }
  std::sort(files.begin(), files.end(), [](const RankFileName& a, const RankFileName& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.suffix < b.suffix;
  });
  return files;
}

/// "; did you mean FOLDER/NAME?", if the folder holds traces.
std::string prefix_in(const fs::path& folder) {
  std::error_code error;
  std::set<std::string> prefixes;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const auto name = split_rank_file(entry.path().filename().string())) prefixes.insert(name->prefix);
  return prefixes.empty() ? "" : "; did you mean " + (folder / *prefixes.begin()).string() + "?";
}

}  // namespace

std::optional<RankFileName> split_rank_file(const std::string& file) {
  constexpr std::size_t kMaxDigits = 9;
  for (const char* suffix : kTraceSuffixes) {
    if (!ends_with(file, suffix)) continue;
    const std::string stem = file.substr(0, file.size() - std::string(suffix).size());
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == stem.size() ||
        stem.find_first_not_of("0123456789", dot + 1) != std::string::npos)
      continue;
    const std::string digits = stem.substr(dot + 1);
    RankFileName name{stem.substr(0, dot), 0, suffix, digits.size() <= kMaxDigits};
    if (name.is_plain) name.rank = std::stoull(digits);
    name.is_plain = name.is_plain && digits == std::to_string(name.rank);
    return name;
  }
  return std::nullopt;
}

bool has_rank_files(const std::string& prefix) {
  try {
    std::error_code error;
    return !files_of(prefix, error).empty();
  } catch (const TraceError&) {
    return true;
  }
}

std::vector<std::string> all_rank_files(const std::string& prefix) {
  std::error_code error;
  std::vector<std::string> files;
  for (const RankFileName& file : files_of(prefix, error))
    files.push_back(rank_file(prefix, file.rank, file.suffix));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> find_rank_files(const std::string& prefix) {
  constexpr std::size_t kMaxNamed = 5;
  std::error_code error;
  const auto all = files_of(prefix, error);
  if (error) throw TraceError(fs::path(prefix).parent_path().string() + ": " + error.message());
  if (all.empty())
    throw TraceError(prefix + ": there is no file " + rank_file(prefix, 0, kTraceSuffixes[0]) +
                     prefix_in(prefix));
  std::map<std::uint64_t, std::string> found;
  for (const RankFileName& file : all) {
    if (file.suffix != all.front().suffix)
      throw TraceError(prefix + " is ambiguous: " + rank_file(prefix, all.front().rank, all.front().suffix) +
                       " stands beside " + rank_file(prefix, file.rank, file.suffix) +
                       "; move the files of one form to another folder");
    found.emplace(file.rank, rank_file(prefix, file.rank, file.suffix));
  }

  const std::uint64_t ranks = found.rbegin()->first + 1;
  std::vector<std::string> files;
  std::string missing;
  std::size_t named = 0;
  files.reserve(found.size());
  for (const auto& [rank, file] : found) files.push_back(file);
  for (std::uint64_t rank = 0; rank < ranks && named < kMaxNamed; ++rank) {
    if (found.count(rank) != 0) continue;
    missing.append(named++ == 0 ? "" : ", ").append(rank_file(prefix, rank, all.front().suffix));
  }
  if (named > 0)
    throw TraceError(fmt::format("{}: {} of {} rank files are there; missing: {}{}", prefix, found.size(),
                                 ranks, missing, ranks - found.size() > named ? ", …" : ""));
  return files;
}

}  // namespace wafertlm::chakra
