// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

struct TimedAccess {
  bool write = false;
  std::uint64_t address = 0, bytes = 0;
};

/// When accesses to a memory are done. One of: flow, burst, command.
class MemoryTiming {
 public:
  using Id = std::uint32_t;
  struct Answer {
    bool known;
    TimePs at;  ///< done then; or, if not known yet: ask again then, it is not done before
  };

  MemoryTiming() = default;
  MemoryTiming(const MemoryTiming&) = delete;
  MemoryTiming& operator=(const MemoryTiming&) = delete;
  virtual ~MemoryTiming() = default;

  /// Takes in an access that arrives at `now`. 0 bytes take no time in the memory.
  virtual Id submit(const TimedAccess& access, TimePs now) = 0;
  virtual Answer ask(Id id, TimePs now) = 0;
  /// When the access is done if nothing else arrives before.
  virtual TimePs wait_for(Id id) = 0;
  /// The access is over; its number may be given again.
  virtual void end(Id id) = 0;
};

}  // namespace wafertlm
