// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/tuning_table.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

namespace wafertlm::backends {
namespace {

Group sorted(Group group) {
  std::sort(group.begin(), group.end());
  return group;
}

}  // namespace

std::string group_text(const Group& group) {
  std::string text;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t last = i;
    while (last + 1 < group.size() && index_of(group[last + 1]) == index_of(group[last]) + 1) ++last;
    text += (i == 0 ? "" : ",") + std::to_string(index_of(group[i]));
    if (last > i) text += "-" + std::to_string(index_of(group[last]));
    i = last + 1;
  }
  return text;
}

TuningTable::TuningTable(std::vector<TunedRow> rows) : rows_(std::move(rows)) {
  if (rows_.empty()) throw std::invalid_argument("the table has no rows");
  std::set<std::tuple<CollectiveType, Group, std::uint64_t>> seen;
  for (const TunedRow& row : rows_)
    if (!seen.emplace(row.type, sorted(row.npus), row.bytes).second)
      throw std::invalid_argument(std::string("the table has two rows of ") + to_string(row.type) +
                                  " on NPUs " + group_text(row.npus) + " of " + std::to_string(row.bytes) +
                                  " B; leave one out");
}

const TunedRow& TuningTable::look_up(CollectiveType type, const Group& group, std::uint64_t bytes) const {
  const Group wanted = sorted(group);
  const Group* taken = nullptr;  // whose rows are looked at
  bool has_type = false;
  for (const TunedRow& row : rows_) {
    if (row.type != type) continue;
    has_type = true;
    const Group has = sorted(row.npus);
    if (has == wanted) {
      taken = &row.npus;
      break;
    }
    if (!taken && has.size() == wanted.size()) taken = &row.npus;
  }
  const std::string what = std::string(to_string(type)) + " of " + std::to_string(group.size()) + " NPUs";
  if (!has_type)
    throw std::invalid_argument("the table has no " + std::string(to_string(type)) + "; tune it");
  if (!taken) throw std::invalid_argument("the table has no " + what + "; tune a group of that size");
  const TunedRow* best = nullptr;
  std::uint64_t largest = 0;
  for (const TunedRow& row : rows_) {
    if (row.type != type || sorted(row.npus) != sorted(*taken)) continue;
    largest = std::max(largest, row.bytes);
    if (row.bytes >= bytes && (!best || row.bytes < best->bytes)) best = &row;
  }
  if (!best)
    throw std::invalid_argument("the table has " + what + " up to " + std::to_string(largest) + " B, not " +
                                std::to_string(bytes) + " B; tune a size that is not smaller");
  return *best;
}

}  // namespace wafertlm::backends
