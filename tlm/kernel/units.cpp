// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/units.h"

#include <stdexcept>
#include <string>

namespace wafertlm {

TimePs transfer_time_ps(std::uint64_t bytes, std::uint64_t bytes_per_s) {
  const Uint128 time = (Uint128{bytes} * kPsPerSecond + bytes_per_s - 1) / bytes_per_s;
  if (time >> 63 != 0)
    throw std::overflow_error(std::to_string(bytes) + " B at " + std::to_string(bytes_per_s) +
                              " B/s takes longer than the 106 days that simulated time can hold");
  return static_cast<TimePs>(time);
}

}  // namespace wafertlm
