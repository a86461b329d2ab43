// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/hbm/memory_timing.h"

namespace wafertlm {

/// Requests of `bytes` each, `outstanding` at a time, their addresses `stride` apart (0: random, aligned to
/// `bytes`), `writes_percent` of them writes. Reads and writes walk through a half of `span_bytes` each, and
/// begin again at its end.
struct ClosedLoop {
  std::uint64_t bytes = 65'536;
  std::uint64_t stride = 65'536;
  std::uint32_t writes_percent = 0;
  std::uint32_t outstanding = 16;
  std::uint64_t span_bytes = std::uint64_t{1} << 34;
  std::uint64_t seed = 1;
  std::uint32_t streams =
      1;  ///< of each direction, in turns, each in a part of the half; random ones have none

  struct Result {
    std::uint64_t bytes;
    TimePs time_ps;     ///< from the end of the warm-up to the end of the last measured request
    TimePs latency_ps;  ///< mean, from submission to end
    double bytes_per_s() const { return static_cast<double>(bytes) / static_cast<double>(time_ps) * 1e12; }
  };
  /// Measures `requests` of them, after `warm_up`.
  Result run(MemoryTiming& memory, std::uint64_t requests, std::uint64_t warm_up) const;
  /// After an eighth as many.
  Result run(MemoryTiming& memory, std::uint64_t requests) const {
    return run(memory, requests, requests / 8);
  }
};

}  // namespace wafertlm
