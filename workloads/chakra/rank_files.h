// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

constexpr std::array<const char*, 3> kTraceSuffixes = {".et", ".et.gz", ".json"};

/// The files `PREFIX.<rank>.et` in rank order, or all `.et.gz`, or all `.json`. @throws TraceError when there
/// are none, when the ranks do not run from 0 to the highest (names the missing ones), when a rank or the
/// whole job is there in two forms, and for a file that looks like a rank and is none (PREFIX.01.et).
std::vector<std::string> find_rank_files(const std::string& prefix);
/// Whether there is one, or something that looks like one.
bool has_rank_files(const std::string& prefix);
/// All files that find_rank_files() would look at, by name.
std::vector<std::string> all_rank_files(const std::string& prefix);

/// A file name taken apart: "traces/job.12.et" is the prefix "traces/job", 12 and ".et".
struct RankFileName {
  std::string prefix;
  std::uint64_t rank = 0;
  std::string suffix;
  bool is_plain = true;  ///< else the number has leading zeros or more than nine digits
};
/// Nothing for names of another form.
std::optional<RankFileName> split_rank_file(const std::string& file);

/// Whether a file's name has this suffix.
inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace wafertlm::chakra
