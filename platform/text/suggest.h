// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wafertlm::config {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between two texts
/// (optimal string alignment). Upper and lower case count as the same letter.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `text`; "" when none is close enough to be what was meant.
std::string nearest(const std::string& text, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(const std::string& text, const std::vector<std::string>& candidates);

/// "; did you mean 'x'? valid keys: x, y" with `what` = "valid keys".
std::string suggestion(const std::string& text, const std::vector<std::string>& candidates,
                       const std::string& what);

/// "a, b, c".
std::string listed(const std::vector<std::string>& words);

}  // namespace wafertlm::config
