// SPDX-License-Identifier: Apache-2.0
#include "platform/config/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace wafertlm::config {

namespace {
char lower(char character) { return static_cast<char>(std::tolower(static_cast<unsigned char>(character))); }
}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()] == 0 && a != b ? 1 : last[b.size()];
}

std::string nearest(const std::string& text, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = text.size();
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    const bool close = 2 * distance <= std::max(text.size(), candidate.size());
    if (close && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& text, const std::vector<std::string>& candidates) {
  const std::string best = nearest(text, candidates);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

std::string suggestion(const std::string& text, const std::vector<std::string>& candidates,
                       const std::string& what) {
  const std::string hint = did_you_mean(text, candidates);
  return fmt::format("{} {}: {}", hint.empty() ? ";" : hint, what, listed(candidates));
}

std::string listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace wafertlm::config
