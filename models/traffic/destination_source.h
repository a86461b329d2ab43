// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Where a node sends its packets.
class DestinationSource {
 public:
  virtual ~DestinationSource() = default;
  virtual NpuId next(NpuId source, std::mt19937_64& random) const = 0;
};

/// A whole number below `limit`, equally likely; the same on every platform.
std::uint64_t uniform_below(std::mt19937_64& random, std::uint64_t limit);

}  // namespace wafertlm
