// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/access_streams.h"

#include <algorithm>

namespace wafertlm {

AccessStreams::Pattern AccessStreams::next(std::uint64_t address, std::uint64_t bytes, double outstanding) {
  ++count_;
  const std::uint64_t step = step_in_sizes(address, bytes);
  if (!goes_on(address, address + bytes)) return {step, 0};
  std::uint32_t streams = 0;
  for (const std::uint64_t last : last_)
    streams += last != 0 && static_cast<double>(last) + outstanding > static_cast<double>(count_);
  return {1, streams < 2 ? 0 : std::min((streams - 1) / (outstanding - 1), 1.0)};
}

bool AccessStreams::goes_on(std::uint64_t address, std::uint64_t end) {
  const auto found = std::find(ends_.begin(), ends_.end(), address);
  const bool known = found != ends_.end();
  const std::size_t stream = known ? static_cast<std::size_t>(found - ends_.begin()) : oldest_;
  if (!known) oldest_ = (oldest_ + 1) % kStreams;
  ends_[stream] = end;
  last_[stream] = count_;
  return known;
}

/// Of one stream; 0 if the last accesses were not one step apart.
std::uint64_t AccessStreams::step_in_sizes(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t step = address - previous_;
  if (address == end_ || count_ == 1) {
    regular_ = std::min(regular_ + 1, 16U);  // goes on where the last one ended
    step_ = bytes;
  } else if (step == step_) {
    regular_ = std::min(regular_ + 1, 16U);
  } else {
    regular_ /= 2;
    if (regular_ == 0) step_ = step;
  }
  previous_ = address;
  end_ = address + bytes;
  if (regular_ < 2 && count_ > kUnknown) return 0;
  const std::uint64_t back = step_ > ~step_ ? ~step_ + 1 : step_;
  return std::max<std::uint64_t>((back + bytes / 2) / std::max<std::uint64_t>(bytes, 1), 1);
}

}  // namespace wafertlm
