// SPDX-License-Identifier: Apache-2.0
#include "platform/trace/stale_ranks.h"

#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "platform/command/format.h"

namespace wafertlm {

void require_no_stale_ranks(const std::vector<std::string>& stale, bool force) {
  if (stale.empty()) return;
  constexpr std::size_t kMaxNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < stale.size() && i < kMaxNamed; ++i) names += (i == 0 ? "" : ", ") + stale[i];
  if (stale.size() > kMaxNamed) names += ", …";
  if (!force)
    throw std::invalid_argument(fmt::format(
        "{} of an earlier job would stand beside the new ones and be taken for ranks of theirs: {}; "
        "remove them, choose another --out, or give --force to have them removed",
        counted(stale.size(), "trace"), names));
  for (const std::string& file : stale) {
    std::error_code error;
    if (!std::filesystem::remove(file, error))
      throw std::invalid_argument(file + ": cannot be removed: " + error.message());
  }
  fmt::print("removed {} of an earlier job: {}\n", counted(stale.size(), "trace"), names);
}

}  // namespace wafertlm
