// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Slots of bytes / bytes_per_s each, which need not be a whole number of picoseconds. Slot n begins at the
/// first whole picosecond not before its exact time, so any number of slots is less than 1 ps too long.
class SlotClock {
 public:
  /// Requires both > 0.
  SlotClock(std::uint64_t bytes, std::uint64_t bytes_per_s)
      : rate_(bytes_per_s),
        whole_ps_(static_cast<TimePs>(Uint128{bytes} * kPsPerSecond / bytes_per_s)),
        remainder_(static_cast<std::uint64_t>(Uint128{bytes} * kPsPerSecond % bytes_per_s)) {}

  TimePs begin_ps(std::uint64_t slot) const {
    const TimePs whole = slot * whole_ps_;
    if (remainder_ == 0) return whole;
    return whole + static_cast<TimePs>((Uint128{slot} * remainder_ + rate_ - 1) / rate_);
  }
  double period_ps() const {
    return static_cast<double>(whole_ps_) + static_cast<double>(remainder_) / static_cast<double>(rate_);
  }

 private:
  std::uint64_t rate_;
  TimePs whole_ps_;
  std::uint64_t remainder_;  // of bytes × ps per second / rate_
};

}  // namespace wafertlm
