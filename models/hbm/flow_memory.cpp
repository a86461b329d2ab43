// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/flow_memory.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

void insert(std::vector<double>& values, double value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) values.insert(at, value);
}

std::size_t index_in(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

double mix(double a, double b, double part) { return a + (b - a) * part; }

}  // namespace

double FlowMemory::Axis::position(double value) const {
  if (value <= at.front()) return 0;
  if (value >= at.back()) return static_cast<double>(at.size() - 1);
  const std::size_t above =
      static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), value) - at.begin());
  return static_cast<double>(above - 1) + (value - at[above - 1]) / (at[above] - at[above - 1]);
}

FlowMemory::FlowMemory(const FlowMemoryParams& params) : params_(params) {
  const EfficiencyTable& table = params.table;
  if (table.rows.empty() || table.depths.empty() || params.stacks == 0 || params.stack_bytes_per_s == 0)
    throw std::invalid_argument(
        "a memory by flow needs a bandwidth, a stack and an efficiency table with rows");
  for (const std::uint32_t depth : table.depths) insert(depth_.at, depth);
  for (const EfficiencyTable::Row& row : table.rows) {
    insert(bytes_.at, static_cast<double>(row.bytes));
    insert(writes_.at, row.writes_percent);
    if (row.stride == 0)
      random_ = true;
    else
      insert(stride_.at, std::log2(row.stride));
  }
  strides_ = stride_.at.size() + (random_ ? 1 : 0);
  cells_.resize(bytes_.at.size() * strides_ * writes_.at.size());
  for (const EfficiencyTable::Row& each : table.rows) {
    if (each.efficiency.size() != table.depths.size() ||
        std::any_of(each.efficiency.begin(), each.efficiency.end(),
                    [](double e) { return !(e > 0 && e <= 1); }))
      throw std::invalid_argument(
          "an efficiency table has a number above 0 and up to 1 for every depth in each row");
    cells_[row(index_in(bytes_.at, static_cast<double>(each.bytes)),
               each.stride == 0 ? strides_ - 1 : index_in(stride_.at, std::log2(each.stride)),
               index_in(writes_.at, each.writes_percent))] = each.efficiency;
  }
  for (const auto& cell : cells_)
    if (cell.empty() || stride_.at.empty())
      throw std::invalid_argument(
          "an efficiency table has a row for every combination of the sizes, strides and parts of writes in "
          "it");
}

double FlowMemory::efficiency(std::uint64_t bytes, std::uint64_t stride, double writes_percent,
                              double depth) const {
  const double b = bytes_.position(static_cast<double>(bytes)), w = writes_.position(writes_percent),
               d = depth_.position(depth),
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
  return mix(over_strides(bi), over_strides(b1), b - std::floor(b));
}

/// In sizes; 0 if the last requests were not one step apart.
std::uint64_t FlowMemory::stride_of(const MemoryAccess& access) {
  Walk& walk = walks_[access.write];
  const std::uint64_t step = access.address - walk.last;
  if (access.address == walk.next) {
    walk.regular = std::min(walk.regular + 1, 16U);  // goes on where the last one ended
    walk.step = access.bytes;
  } else if (step == walk.step) {
    walk.regular = std::min(walk.regular + 1, 16U);
  } else {
    walk.regular /= 2;
    if (walk.regular == 0) walk.step = step;
  }
  walk.last = access.address;
  walk.next = access.address + access.bytes;
  if (walk.regular < 2 && recent_ > 4) return random_ ? 0 : 1;
  const std::uint64_t back = walk.step > ~walk.step ? ~walk.step + 1 : walk.step;
  return std::max<std::uint64_t>((back + access.bytes / 2) / std::max<std::uint64_t>(access.bytes, 1), 1);
}

MemoryTiming::Id FlowMemory::submit(const MemoryAccess& access, TimePs now) {
  Id id = static_cast<Id>(ends_.size());
  if (free_.empty()) {
    ends_.push_back(now);
  } else {
    id = free_.back();
    free_.pop_back();
    ends_[id] = now;
  }
  if (access.bytes == 0) return id;
  for (; !underway_.empty() && underway_.top().end <= now; underway_.pop())
    underway_bytes_ -= underway_.top().bytes;
  if (underway_.empty() && now > last_end_ps_) idle_ps_ += now - last_end_ps_;
  recent_writes_ = recent_writes_ << 1 | (access.write ? 1 : 0);
  recent_ = std::min(recent_ + 1, 64U);
  const double writes = 100.0 * __builtin_popcountll(recent_writes_) / recent_;
  const std::uint64_t stride = stride_of(access);

  // Neighbouring requests share a piece, so a stream of small ones keeps only some of the stacks at work.
  const double bytes = static_cast<double>(access.bytes), piece = static_cast<double>(params_.piece_bytes);
  const auto requests = static_cast<double>(underway_.size() + 1);
  const double apart =
      stride == 0 ? std::max(piece, bytes) : std::max(bytes * static_cast<double>(stride), bytes);
  const double pieces = requests * std::max(std::min(apart / piece, 1.0), bytes / piece);
  const double working = std::clamp(pieces, 1.0, static_cast<double>(params_.stacks));
  const double part = std::max(bytes / params_.stacks, std::min(bytes, piece));
  const double depth = requests * bytes / (part * working);
  underway_bytes_ += access.bytes;
  const double rate = working * static_cast<double>(params_.stack_bytes_per_s) *
                      efficiency(static_cast<std::uint64_t>(part), stride, writes, depth);
  const double time = static_cast<double>(underway_bytes_) / rate * static_cast<double>(kPsPerSecond);
  ends_[id] = now + static_cast<TimePs>(std::ceil(time));
  last_end_ps_ = std::max(last_end_ps_, ends_[id]);
  underway_.push({ends_[id], access.bytes});
  return id;
}

}  // namespace wafertlm
