// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/flow_memory.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/hbm/dram/address_map.h"

namespace wafertlm {

FlowMemoryParams flow_memory_params(EfficiencyTable table, const DramTiming& timing, std::uint32_t stacks) {
  return {std::move(table), timing.stack_bytes_per_s(), stacks, timing.access_bytes,
          AddressMap(timing, {}).piece_bytes()};
}

FlowMemory::FlowMemory(const FlowMemoryParams& params)
    : stacks_(params.stacks),
      stack_bytes_per_s_(params.stack_bytes_per_s),
      access_bytes_(params.access_bytes) {
  if (params.table.rows.empty() || params.stacks == 0 || params.stack_bytes_per_s == 0 ||
      params.access_bytes == 0 || params.piece_bytes == 0)
    throw std::invalid_argument(
        "a memory by flow needs a bandwidth, a stack, the size of an access and of a piece, and a table of "
        "efficiencies with rows");
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
  if (walk.regular < 2 && recent_ > 4) return grids_.front().has_random() ? 0 : 1;
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
  RequestPattern pattern;
  pattern.stride = stride_of(access);
  pattern.writes_percent = 100.0 * __builtin_popcountll(recent_writes_) / recent_;
  pattern.depth = static_cast<double>(underway_.size() + 1);
  // The accesses that it touches.
  const std::uint64_t from = access.address / access_bytes_ * access_bytes_;
  const std::uint64_t last = (access.address + access.bytes - 1) / access_bytes_ * access_bytes_;
  const std::uint64_t end = last + access_bytes_;
  pattern.bytes = static_cast<double>(end - from);
  pattern.alignment = (from | end) & (~(from | end) + 1);

  underway_bytes_ += end - from;
  const double rate = static_cast<double>(bytes_per_s()) * efficiency(pattern);
  const double time = static_cast<double>(underway_bytes_) / rate * static_cast<double>(kPsPerSecond);
  ends_[id] = now + static_cast<TimePs>(std::ceil(time));
  last_end_ps_ = std::max(last_end_ps_, ends_[id]);
  underway_.push({ends_[id], end - from});
  return id;
}

}  // namespace wafertlm
