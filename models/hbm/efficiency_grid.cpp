// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/efficiency_grid.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wafertlm {
namespace {

template <typename T>
void insert(std::vector<T>& values, T value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) values.insert(at, value);
}

std::size_t index_in(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

double mix(double a, double b, double part) { return a + (b - a) * part; }

}  // namespace

std::vector<std::uint32_t> EfficiencyTable::stacks() const {
  std::vector<std::uint32_t> numbers;
  for (const Row& each : rows) insert(numbers, each.stacks);
  return numbers;
}

double EfficiencyGrid::Axis::position(double value) const {
  if (value <= at.front()) return 0;
  if (value >= at.back()) return static_cast<double>(at.size() - 1);
  const std::size_t above =
      static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), value) - at.begin());
  return static_cast<double>(above - 1) + (value - at[above - 1]) / (at[above] - at[above - 1]);
}

EfficiencyGrid::EfficiencyGrid(const EfficiencyTable& table, std::uint32_t stacks) : of_stacks_(stacks) {
  if (table.depths.empty()) throw std::invalid_argument("an efficiency table needs depths");
  for (const std::uint32_t depth : table.depths) insert(depth_.at, static_cast<double>(depth));
  for (const EfficiencyTable::Row& row : table.rows) {
    if (row.stacks != stacks) continue;
    insert(bytes_.at, static_cast<double>(row.bytes));
    insert(writes_.at, static_cast<double>(row.writes_percent));
    if (row.stride == 0)
      random_ = true;
    else
      insert(stride_.at, std::log2(row.stride));
  }
  strides_ = stride_.at.size() + (random_ ? 1 : 0);
  cells_.resize(bytes_.at.size() * strides_ * writes_.at.size());
  for (const EfficiencyTable::Row& each : table.rows) {
    if (each.stacks != stacks) continue;
    if (each.efficiency.size() != table.depths.size() ||
        std::any_of(each.efficiency.begin(), each.efficiency.end(),
                    [](double e) { return !(e > 0 && e <= 1); }))
      throw std::invalid_argument(
          "an efficiency table has a number above 0 and up to 1 for every depth in each row");
    cells_[row(index_in(bytes_.at, static_cast<double>(each.bytes)),
               each.stride == 0 ? strides_ - 1 : index_in(stride_.at, std::log2(each.stride)),
               index_in(writes_.at, each.writes_percent))] = each.efficiency;
  }
  if (stride_.at.empty() ||
      std::any_of(cells_.begin(), cells_.end(), [](const auto& cell) { return cell.empty(); }))
    throw std::invalid_argument(
        "an efficiency table has for each number of stacks a row for every combination of its sizes, strides "
        "and parts of writes");
}

double EfficiencyGrid::at(double bytes, std::uint64_t stride, double writes_percent, double depth) const {
  const double b = bytes_.position(bytes), w = writes_.position(writes_percent), d = depth_.position(depth),
               s = stride == 0 ? static_cast<double>(strides_ - 1) : stride_.position(std::log2(stride));
  const auto cell = [&](std::size_t bi, std::size_t si, std::size_t wi) {
    const std::vector<double>& by_depth = cells_[row(bi, si, wi)];
    const auto di = static_cast<std::size_t>(d);
    return mix(by_depth[di], by_depth[std::min(di + 1, by_depth.size() - 1)], d - std::floor(d));
  };
  const auto bi = static_cast<std::size_t>(b), si = static_cast<std::size_t>(s),
             wi = static_cast<std::size_t>(w);
  const std::size_t b1 = std::min(bi + 1, bytes_.at.size() - 1), s1 = std::min(si + 1, strides_ - 1),
                    w1 = std::min(wi + 1, writes_.at.size() - 1);
  const auto over_writes = [&](std::size_t x, std::size_t y) {
    return 1 / mix(1 / cell(x, y, wi), 1 / cell(x, y, w1), w - std::floor(w));  // times add up
  };
  const auto over_strides = [&](std::size_t x) {
    return mix(over_writes(x, si), over_writes(x, s1), s - std::floor(s));
  };
  if (bi == b1) return over_strides(bi);
  // The time of a request is a latency and a part for each byte.
  const auto request_time = [&](std::size_t x) { return bytes_.at[x] / over_strides(x); };
  const double part = b - std::floor(b);
  return mix(bytes_.at[bi], bytes_.at[b1], part) / mix(request_time(bi), request_time(b1), part);
}

}  // namespace wafertlm
