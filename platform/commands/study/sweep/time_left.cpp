// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/time_left.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace wafertlm {
namespace {

struct Known {
  double took_s = 0;         ///< the attempt that ended
  double running_since = 0;  ///< of the last attempt, if it runs
  bool ended = false, runs = false;
};

std::map<std::string, Known> known_by_id(const std::vector<Attempt>& attempts) {
  std::map<std::string, Known> known;
  for (const Attempt& attempt : attempts) {
    Known& of = known[attempt.id];
    of.runs = attempt.state == Attempt::State::running;
    of.running_since = attempt.started_unix_s;
    if (attempt.state != Attempt::State::done && attempt.state != Attempt::State::failed) continue;
    of.ended = true;
    of.took_s = attempt.seconds;
  }
  return known;
}

}  // namespace

std::optional<double> seconds_left(const std::vector<PlannedCell>& cells,
                                   const std::vector<Attempt>& attempts, const CellFiles::Ended& ended,
                                   double now_unix_s, unsigned at_a_time, bool expects) {
  const std::map<std::string, Known> known = known_by_id(attempts);
  double expected_s = 0, took_s = 0;
  for (const PlannedCell& cell : cells)
    if (const auto of = known.find(cell.id); ended.has(cell.id) && of != known.end() && of->second.ended) {
      expected_s += cell.expected_s;
      took_s += of->second.took_s;
    }
  if (expected_s <= 0 && !expects) return std::nullopt;
  const double scale = expected_s > 0 ? took_s / expected_s : 1;
  double left_s = 0, longest_s = 0;
  unsigned running = 0;
  for (const PlannedCell& cell : cells) {
    if (ended.has(cell.id)) continue;
    double own_s = scale * cell.expected_s;
    if (const auto of = known.find(cell.id); of != known.end() && of->second.runs) {
      ++running;
      own_s = std::max(0.0, own_s - (now_unix_s - of->second.running_since));
    }
    left_s += own_s;
    longest_s = std::max(longest_s, own_s);
  }
  return std::max(left_s / std::max(1U, running > 0 ? running : at_a_time), longest_s);
}

std::string in_words(const std::optional<double>& left) {
  if (!left) return "";
  return *left < 100 ? fmt::format(", about {:.0f} s left", *left)
                     : fmt::format(", about {:.0f} min left", *left / 60);
}

}  // namespace wafertlm
