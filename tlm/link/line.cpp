// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/line.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {

Line::Line(std::uint64_t bytes_per_s)
    : rate_(bytes_per_s),
      early_per_slack_(bytes_per_s ? 4294967296.0 / static_cast<double>(bytes_per_s) : 0) {
  if (bytes_per_s == 0 || bytes_per_s >> 53 != 0)
    throw std::invalid_argument("line rate of " + std::to_string(bytes_per_s) +
                                " B/s: must be 1 B/s to 9 PB/s");
}

std::uint64_t Line::slack_of(Earliness early) const {
  const auto slack = static_cast<std::uint64_t>((Uint128{early} * rate_ + 0xFFFFFFFFU) >> 32);
  return std::min(slack, rate_ - 1);
}

Earliness Line::earliness_of(std::uint64_t slack) const {
  if (slack == 0) return 0;
  return static_cast<Earliness>(std::min(static_cast<double>(slack) * early_per_slack_ + 1, 4294967294.0));
}

Line::Slot Line::send(std::uint64_t bytes, TimePs start, Earliness early) {
  if (start > free_ps_)
    slack_ = early == kUnbound ? 0 : slack_of(early);
  else if (early != kUnbound && slack_ != 0)
    slack_ = std::min(slack_, slack_of(early));
  const Earliness start_early = earliness_of(slack_);

  if (bytes != cached_bytes_) {  // nearly all packets have one size: one 128-bit division per change of size
    const Uint128 product = Uint128{bytes} * kPsPerSecond;
    cached_bytes_ = bytes;
    cached_whole_ps_ = static_cast<std::uint64_t>(product / rate_);
    cached_remainder_ = static_cast<std::uint64_t>(product % rate_);
  }
  free_ps_ = start + cached_whole_ps_;
  if (cached_remainder_ > slack_) {
    ++free_ps_;
    slack_ += rate_;
  }
  slack_ -= cached_remainder_;
  return {free_ps_, start_early};
}

}  // namespace wafertlm
