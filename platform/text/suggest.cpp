// SPDX-License-Identifier: Apache-2.0
#include "platform/text/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace wafertlm::config {

namespace {
char lower(char character) { return static_cast<char>(std::tolower(static_cast<unsigned char>(character))); }

/// Letters that are not the same at the same position, cases told apart: decides between GB and Gb.
std::size_t different_letters(std::string_view a, std::string_view b) {
  std::size_t count = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] == b[i] ? 0U : 1U;
  return count;
}
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
  return last[b.size()];
}

std::string nearest(const std::string& text, const std::vector<std::string>& candidates) {
  std::string best;
  std::pair<std::size_t, std::size_t> best_distance;
  for (const std::string& candidate : candidates) {
    const std::pair distance(edit_distance(text, candidate), different_letters(text, candidate));
    const bool is_start = text.size() > 1 && candidate.compare(0, text.size(), text) == 0;
    const bool close = is_start || 2 * distance.first <= std::max(text.size(), candidate.size());
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
