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

bool power_of_two(std::uint64_t value) { return (value & (value - 1)) == 0; }
bool third_of_power(std::uint64_t value) { return value % 3 == 0 && power_of_two(value / 3); }

}  // namespace

std::vector<std::uint32_t> EfficiencyTable::stacks() const {
  std::vector<std::uint32_t> numbers;
  for (const Row& each : rows) insert(numbers, each.stacks);
  return numbers;
}

double EfficiencyRows::Axis::position(double value) const {
  if (value <= at.front()) return 0;
  if (value >= at.back()) return static_cast<double>(at.size() - 1);
  const std::size_t above =
      static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), value) - at.begin());
  return static_cast<double>(above - 1) + (value - at[above - 1]) / (at[above] - at[above - 1]);
}

EfficiencyRows::EfficiencyRows(const std::vector<const EfficiencyTable::Row*>& rows,
                               const std::vector<std::uint32_t>& depths, bool apart) {
  const auto strides = [&](std::uint64_t stride) -> Strides& {
    return apart && !power_of_two(stride) ? others_ : powers_;
  };
  for (const std::uint32_t depth : depths) insert(depth_.at, static_cast<double>(depth));
  for (const EfficiencyTable::Row* row : rows) {
    insert(bytes_.at, static_cast<double>(row->bytes));
    insert(writes_.at, static_cast<double>(row->writes_percent));
    if (row->stride == 0)
      random_ = true;
    else
      insert(strides(row->stride).at, std::log2(row->stride));
  }
  for (Strides* each : {&powers_, &others_})
    for (std::size_t k = 0; k < each->at.size(); ++k) each->column.push_back(strides_++);
  if (random_) ++strides_;
  cells_.resize(bytes_.at.size() * strides_ * writes_.at.size());
  for (const EfficiencyTable::Row* row : rows) {
    if (row->efficiency.size() != depths.size() || std::any_of(row->efficiency.begin(), row->efficiency.end(),
                                                               [](double e) { return !(e > 0 && e <= 1); }))
      throw std::invalid_argument(
          "an efficiency table has a number above 0 and up to 1 for every depth in each row");
    std::size_t column = strides_ - 1;
    if (row->stride != 0) {
      const Strides& of = strides(row->stride);
      column = of.column[index_in(of.at, std::log2(row->stride))];
    }
    cells_[(index_in(bytes_.at, static_cast<double>(row->bytes)) * strides_ + column) * writes_.at.size() +
           index_in(writes_.at, row->writes_percent)] = row->efficiency;
  }
  if (powers_.at.empty() ||
      std::any_of(cells_.begin(), cells_.end(), [](const auto& each) { return each.empty(); }))
    throw std::invalid_argument(
        "an efficiency table has for each number of stacks and kind of size a row for every combination of "
        "its sizes, strides and parts of writes");
}

double EfficiencyRows::of_size(std::size_t bytes, const RequestPattern& of) const {
  const double d = depth_.position(of.depth), w = writes_.position(of.writes_percent);
  const auto over_writes = [&](std::size_t column) {
    const auto efficiency = [&](std::size_t writes) {
      const std::vector<double>& by_depth = cell(bytes, column, writes);
      const auto at = static_cast<std::size_t>(d);
      return mix(by_depth[at], by_depth[std::min(at + 1, by_depth.size() - 1)], d - std::floor(d));
    };
    const auto at = static_cast<std::size_t>(w);
    return 1 / mix(1 / efficiency(at), 1 / efficiency(std::min(at + 1, writes_.at.size() - 1)),
                   w - std::floor(w));  // times add up
  };
  if (of.stride == 0) return over_writes(strides_ - 1);
  const Strides& among = others_.at.empty() || power_of_two(of.stride) ? powers_ : others_;
  const double s = among.position(std::log2(of.stride));
  const auto at = static_cast<std::size_t>(s);
  return mix(over_writes(among.column[at]), over_writes(among.column[std::min(at + 1, among.at.size() - 1)]),
             s - std::floor(s));
}

double EfficiencyRows::time(const RequestPattern& of) const {
  const auto time = [&](std::size_t x) { return bytes_.at[x] / of_size(x, of); };
  const double b = bytes_.position(of.bytes);
  const auto at = static_cast<std::size_t>(b);
  if (at + 1 == bytes_.at.size()) return time(at) * of.bytes / bytes_.at[at];
  // The time of a request is a latency and a part for each byte.
  const double part = (of.bytes - bytes_.at[at]) / (bytes_.at[at + 1] - bytes_.at[at]);
  return std::max(mix(time(at), time(at + 1), part), part < 0 ? time(at) * of.bytes / bytes_.at[at] : 0.0);
}

EfficiencyGrid::EfficiencyGrid(const EfficiencyTable& table, std::uint32_t stacks, std::uint64_t piece_bytes)
    : of_stacks_(stacks), piece_bytes_(static_cast<double>(piece_bytes)) {
  if (table.depths.empty()) throw std::invalid_argument("an efficiency table needs depths");
  std::vector<const EfficiencyTable::Row*> powers, thirds, ragged;
  for (const EfficiencyTable::Row& row : table.rows)
    if (row.stacks == stacks)
      (power_of_two(row.bytes) ? powers : third_of_power(row.bytes) ? thirds : ragged).push_back(&row);
  if (!powers.empty()) powers_.emplace_back(powers, table.depths, true);
  if (!thirds.empty()) thirds_.emplace_back(thirds, table.depths, false);
  if (!ragged.empty()) ragged_.emplace_back(ragged, table.depths, false);
  if (powers_.empty() && ragged_.empty())
    throw std::invalid_argument("an efficiency table needs sizes that are no third of a power of two");
}

bool EfficiencyGrid::has_random() const {
  return (powers_.empty() || powers_.front().has_random()) &&
         (thirds_.empty() || thirds_.front().has_random()) &&
         (ragged_.empty() || ragged_.front().has_random());
}

double EfficiencyGrid::at(const RequestPattern& of) const {
  const auto alignment = static_cast<double>(of.alignment);
  if (!thirds_.empty() && 3 * alignment == of.bytes && thirds_.front().covers(of.bytes))
    return of.bytes / thirds_.front().time(of);
  // A request that may begin at every multiple of the alignment: how much less often it goes over the end of
  // a piece than one that may begin anywhere; and, of more than a piece, over the end of the channels' row.
  double aligned = alignment / of.bytes;
  if (of.bytes > piece_bytes_) aligned = (alignment - piece_bytes_) / (of.bytes - piece_bytes_);
  aligned = alignment >= of.bytes ? 1 : std::clamp(aligned, 0.0, 1.0);
  if (powers_.empty()) aligned = 0;
  if (ragged_.empty()) aligned = 1;
  double time = 0;
  if (aligned > 0) time += aligned * powers_.front().time(of);
  if (aligned < 1) time += (1 - aligned) * ragged_.front().time(of);
  return of.bytes / time;
}

}  // namespace wafertlm
