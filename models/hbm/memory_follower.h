// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hbm/dram/memory_timing.h"

namespace wafertlm {

/// Gets the accesses that a memory serves, and when each is done there.
class MemoryFollower {
 public:
  using Id = MemoryTiming::Id;
  /// In the order of `at`, but for b_transport. Returns a number for ended().
  virtual Id began(const TimedAccess& access, TimePs at) = 0;
  /// `at` may lie ahead.
  virtual void ended(Id id, TimePs at) = 0;

 protected:
  ~MemoryFollower() = default;
};

}  // namespace wafertlm
