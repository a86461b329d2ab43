// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wafertlm {

namespace {

/// Simulated time is a signed 64-bit number of picoseconds to SystemC's users.
TimePs checked(Uint128 time) {
  if (time >> 63 != 0) throw std::invalid_argument("an operation takes longer than simulated time can hold");
  return static_cast<TimePs>(time);
}

}  // namespace

TimePs ComputeEngine::roofline(std::uint64_t operations, std::uint64_t bytes) const {
  if (operations != 0 && params_.operations_per_s == 0)
    throw std::invalid_argument("no compute rate is known for the precision that is used: set npu.compute");
  const auto time = [](std::uint64_t amount, std::uint64_t per_s) {
    return amount == 0 ? Uint128{0} : (Uint128{amount} * kPsPerSecond + per_s - 1) / per_s;
  };
  return checked(
      std::max(time(operations, params_.operations_per_s), time(bytes, params_.memory_bytes_per_s)));
}

/// From 0 to 1, the same with every standard library.
double ComputeEngine::uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

TimePs ComputeEngine::duration(std::uint64_t operations, std::uint64_t bytes, TimePs duration_ps) {
  const bool known = operations != 0 || bytes != 0;
  TimePs time = known && (params_.roofline || duration_ps == 0) ? roofline(operations, bytes) : duration_ps;
  if (params_.slowdown_percent != 100) time = checked((Uint128{time} * params_.slowdown_percent + 99) / 100);
  if (params_.jitter == Jitter::none) return time;
  double spread = 0;
  if (params_.jitter == Jitter::uniform) {
    spread = 2 * uniform() - 1;
  } else {
    for (int i = 0; i < 12; ++i) spread += uniform();
    spread -= 6;
  }
  const double factor = std::max(0.0, 1 + spread * params_.jitter_percent / 100);
  const double product = static_cast<double>(time) * factor;
  return product < 0x1p63 ? static_cast<TimePs>(std::llround(product)) : checked(Uint128{1} << 63);
}

}  // namespace wafertlm
