// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/flow_memory.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/hbm/dram/address_map.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

FlowMemoryParams flow_memory_params(EfficiencyTable table, const DramTiming& timing, std::uint32_t stacks) {
  return {std::move(table),    timing.stack_bytes_per_s(),           stacks,
          timing.access_bytes, AddressMap(timing, {}).piece_bytes(), timing.pseudo_channels};
}

FlowMemory::FlowMemory(const FlowMemoryParams& params)
    : stacks_(params.stacks),
      stack_bytes_per_s_(params.stack_bytes_per_s),
      access_bytes_(params.access_bytes),
      piece_bytes_(static_cast<double>(params.piece_bytes)),
      channels_(1.0 * params.stacks * params.stack_channels) {
  if (params.table.rows.empty() || params.stacks == 0 || params.stack_bytes_per_s == 0 ||
      params.access_bytes == 0 || params.piece_bytes == 0 || params.stack_channels == 0)
    throw std::invalid_argument(
        "a memory by flow needs a bandwidth, stacks, channels, the size of an access and of a piece, and "
        "efficiencies");
  const std::vector<std::uint32_t> numbers = params.table.stacks();
  const auto above = std::lower_bound(numbers.begin(), numbers.end(), stacks_);
  if (above == numbers.end() || (*above != stacks_ && above != numbers.begin()))
    grids_.emplace_back(params.table, *(above - 1), params.piece_bytes);
  if (above != numbers.end()) grids_.emplace_back(params.table, *above, params.piece_bytes);
}

double FlowMemory::efficiency(const RequestPattern& of) const {
  // Of another number of stacks at the same depth of each.
  const auto by = [&](const EfficiencyGrid& grid) {
    const double depth = of.depth * grid.stacks() / stacks_;
    RequestPattern each = of;
    each.depth = std::max(depth, 1.0);
    return std::min(depth, 1.0) * grid.at(each);
  };
  const double first = by(grids_.front());
  if (grids_.size() == 1) return first;
  const double from = grids_[0].stacks(), to = grids_[1].stacks();
  return first + (by(grids_[1]) - first) * (stacks_ - from) / (to - from);
}

/// In the time that the pins need for a byte. What is random among several streams are the channels that they
/// meet, not the rows: these are as open as to one stream.
double FlowMemory::time_per_byte(RequestPattern of, double random_part) const {
  const auto time = [&](std::uint64_t stride, double depth) {
    of.stride = stride;
    of.depth = depth;
    return 1 / efficiency(of);
  };
  const double depth = of.depth;
  if (!grids_.front().has_random()) return time(std::max<std::uint64_t>(of.stride, 1), depth);
  const double in_a_row = time(of.stride, depth);
  if (random_part == 0) return in_a_row;
  const double open_rows = std::min(time(1, 1) / time(0, 1), 1.0);
  return in_a_row + random_part * (std::max(time(0, depth) * open_rows, 1.0) - in_a_row);
}

/// Bytes of a request alone, times the channels: in the time that the pins of all need for them, those of the
/// busiest pass.
double FlowMemory::on_the_busiest_channel(double bytes) const {
  const double pieces = std::ceil(bytes / (piece_bytes_ * channels_));
  return std::max(bytes, std::min(bytes, pieces * piece_bytes_) * channels_);
}

MemoryTiming::Id FlowMemory::submit(const TimedAccess& access, TimePs now) {
  const Id id = take_number(ends_, free_);
  ends_[id] = now;
  if (access.bytes == 0) return id;
  for (; !underway_.empty() && underway_.top().end <= now; underway_.pop())
    underway_bytes_ -= underway_.top().bytes;
  if (underway_.empty() && now > last_end_ps_) idle_ps_ += now - last_end_ps_;
  recent_writes_ = recent_writes_ << 1 | (access.write ? 1 : 0);
  recent_ = std::min(recent_ + 1, 64U);
  RequestPattern pattern;
  const double writes = 1.0 * __builtin_popcountll(recent_writes_) / recent_;
  pattern.writes_percent = 100 * writes;
  pattern.depth = static_cast<double>(underway_.size() + 1);
  const auto [stride, random_part] = streams_[access.write].next(
      access.address, access.bytes, pattern.depth * (access.write ? writes : 1 - writes));
  pattern.stride = stride;
  // The accesses that it touches.
  const std::uint64_t from = access.address / access_bytes_ * access_bytes_;
  const std::uint64_t last = (access.address + access.bytes - 1) / access_bytes_ * access_bytes_;
  const std::uint64_t end = last + access_bytes_;
  pattern.alignment = (from | end) & (~(from | end) + 1);
  underway_bytes_ += end - from;
  pattern.bytes = static_cast<double>(underway_bytes_) / pattern.depth;  // the mean, as they go side by side
  const double pins_ps = static_cast<double>(kPsPerSecond) / static_cast<double>(bytes_per_s());
  const double time = static_cast<double>(underway_bytes_) * pins_ps * time_per_byte(pattern, random_part);
  const auto bytes = static_cast<double>(end - from), at = static_cast<double>(now);
  if (underway_.empty()) moved_ps_ = at + std::max(time - on_the_busiest_channel(bytes) * pins_ps, 0.0);
  moved_ps_ = std::max(moved_ps_, at) + bytes * pins_ps;
  ends_[id] = static_cast<TimePs>(std::ceil(std::max(at + time, moved_ps_)));
  last_end_ps_ = std::max(last_end_ps_, ends_[id]);
  underway_.push({ends_[id], end - from});
  return id;
}

}  // namespace wafertlm
