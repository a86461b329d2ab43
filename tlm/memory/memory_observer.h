// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Sees what a memory moves. Without one, a request costs one branch more.
class MemoryObserver {
 public:
  /// Memory `observed` (the number given with the observer) moves `bytes` from `start_ps` to `end_ps`; they
  /// may lie ahead.
  virtual void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps,
                     TimePs end_ps) = 0;

 protected:
  ~MemoryObserver() = default;
};

}  // namespace wafertlm
