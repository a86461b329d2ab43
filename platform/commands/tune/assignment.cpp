// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/assignment.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm::backends {
namespace {

constexpr TimePs kMost = kNever >> 1;

/// Sums stay below 2^63, so that kCannot is never one.
TimePs sum_of(TimePs a, TimePs b) {
  if (a == SequenceCosts::kCannot || b == SequenceCosts::kCannot) return SequenceCosts::kCannot;
  if (a > kMost || b > kMost - a) throw std::overflow_error("the sequence takes more than 2^63 ps");
  return a + b;
}

void require_rectangular(const SequenceCosts& costs) {
  const std::size_t backends = costs.change.size();
  const auto fits = [&](const std::vector<TimePs>& row) { return row.size() == backends; };
  if (backends == 0) throw std::invalid_argument("there are no backends");
  if (!std::all_of(costs.change.begin(), costs.change.end(), fits) ||
      !std::all_of(costs.operations.begin(), costs.operations.end(), fits))
    throw std::invalid_argument("every operation needs a time, and every backend a price, for each backend");
}

}  // namespace

std::vector<std::vector<TimePs>> SequenceCosts::equal_change(std::size_t backends, TimePs price) {
  std::vector<std::vector<TimePs>> change(backends, std::vector<TimePs>(backends, price));
  for (std::size_t i = 0; i < backends; ++i) change[i][i] = 0;
  return change;
}

Assignment priced(const SequenceCosts& costs, std::vector<std::size_t> backend) {
  require_rectangular(costs);
  if (backend.size() != costs.operations.size())
    throw std::invalid_argument("a choice has a backend for each operation");
  Assignment made{std::move(backend), 0, 0};
  for (std::size_t i = 0; i < made.backend.size(); ++i) {
    const TimePs time = costs.operations[i].at(made.backend[i]);
    if (time == SequenceCosts::kCannot)
      throw std::invalid_argument("backend " + std::to_string(made.backend[i]) + " cannot do operation " +
                                  std::to_string(i));
    made.time_ps = sum_of(made.time_ps, time);
    if (i == 0 || made.backend[i] == made.backend[i - 1]) continue;
    made.time_ps = sum_of(made.time_ps, costs.change[made.backend[i - 1]][made.backend[i]]);
    ++made.changes;
  }
  return made;
}

Assignment shortest_path(const SequenceCosts& costs) {
  require_rectangular(costs);
  const std::size_t count = costs.operations.size(), backends = costs.change.size();
  if (count == 0) return {};
  // best[b]: the shortest path that does the operations so far and ends with b; before[i][b]: what it did
  // operation i - 1 with.
  std::vector<TimePs> best = costs.operations.front();
  std::vector<std::vector<std::size_t>> before(count, std::vector<std::size_t>(backends, 0));
  for (std::size_t i = 1; i < count; ++i) {
    std::vector<TimePs> next(backends, SequenceCosts::kCannot);
    for (std::size_t to = 0; to < backends; ++to)
      for (std::size_t from = 0; from < backends; ++from) {
        const TimePs change = from == to ? 0 : costs.change[from][to];
        const TimePs time = sum_of(sum_of(best[from], change), costs.operations[i][to]);
        if (time >= next[to]) continue;
        next[to] = time;
        before[i][to] = from;
      }
    best = std::move(next);
  }
  const auto least = std::min_element(best.begin(), best.end());
  if (*least == SequenceCosts::kCannot) return {};
  std::vector<std::size_t> chosen(count);
  chosen.back() = static_cast<std::size_t>(least - best.begin());
  for (std::size_t i = count; i-- > 1;) chosen[i - 1] = before[i][chosen[i]];
  return priced(costs, std::move(chosen));
}

Assignment fastest_of_each(const SequenceCosts& costs) {
  require_rectangular(costs);
  std::vector<std::size_t> chosen;
  for (const std::vector<TimePs>& operation : costs.operations) {
    const auto least = std::min_element(operation.begin(), operation.end());
    if (*least == SequenceCosts::kCannot) return {};
    chosen.push_back(static_cast<std::size_t>(least - operation.begin()));
  }
  return priced(costs, std::move(chosen));
}

Assignment single(const SequenceCosts& costs, std::size_t backend) {
  require_rectangular(costs);
  for (const std::vector<TimePs>& operation : costs.operations)
    if (operation.at(backend) == SequenceCosts::kCannot) return {};
  return priced(costs, std::vector<std::size_t>(costs.operations.size(), backend));
}

}  // namespace wafertlm::backends
