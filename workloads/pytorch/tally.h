// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wafertlm::pytorch {

using Counts = std::map<std::string, std::uint64_t, std::less<>>;  ///< how many, by name

inline void count(Counts& counts, std::string_view name, std::uint64_t more = 1) {
  if (more == 0) return;
  const auto found = counts.find(name);
  if (found == counts.end())
    counts.emplace(name, more);
  else
    found->second += more;
}

inline std::uint64_t sum(const Counts& counts) {
  std::uint64_t total = 0;
  for (const auto& [name, number] : counts) total += number;
  return total;
}

/// What became of all that a trace gives of a kind: it is used, left out by a rule, or an error.
struct Tally {
  std::uint64_t given = 0, used = 0;
  Counts left_out;  ///< by the rule
  Counts errors;    ///< by what is wrong; they count against the limit

  void leave_out(std::string_view rule, std::uint64_t more = 1) { count(left_out, rule, more); }
  void refuse(std::string_view what, std::uint64_t more = 1) { count(errors, what, more); }
  void add(const Tally& other) {
    given += other.given;
    used += other.used;
    for (const auto& [rule, number] : other.left_out) leave_out(rule, number);
    for (const auto& [what, number] : other.errors) refuse(what, number);
  }
  /// @throws std::logic_error: it does not.
  void require_sum(const std::string& of) const {
    if (used + sum(left_out) + sum(errors) != given)
      throw std::logic_error("the account of " + of + " does not add up: " + std::to_string(given) +
                             " given, " + std::to_string(used) + " used, " + std::to_string(sum(left_out)) +
                             " left out, " + std::to_string(sum(errors)) + " errors");
  }
};

}  // namespace wafertlm::pytorch
