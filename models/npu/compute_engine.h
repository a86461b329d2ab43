// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>

#include "tlm/units.h"

namespace wafertlm {

enum class Jitter : std::uint8_t {
  none,
  uniform,  ///< from 1 - spread to 1 + spread
  normal,   ///< mean 1, standard deviation `spread`: the sum of twelve uniform numbers, within 6 spreads
};

struct ComputeParams {
  /// Peak × efficiency in the precision that is used; 0: unknown, every operation needs a duration.
  std::uint64_t operations_per_s = 0;
  std::uint64_t memory_bytes_per_s = 0;
  bool roofline = false;                 ///< also for operations that have a duration of their own
  std::uint32_t slowdown_percent = 100;  ///< a straggler has more than 100
  Jitter jitter = Jitter::none;
  std::uint32_t jitter_percent = 0;  ///< spread
  std::uint64_t seed = 1;            ///< of this NPU
};

/// How long an NPU computes. Roofline:
///   time = max(operations / (peak × efficiency), bytes / memory bandwidth), rounded up to the picosecond,
/// then the straggler's factor and a random factor per operation, in the order of the calls.
class ComputeEngine {
 public:
  explicit ComputeEngine(const ComputeParams& params) : params_(params), random_(params.seed) {}

  /// Of an operation with `operations` and `bytes` (0: none), or the `duration_ps` that the trace gives (0:
  /// none). @throws std::invalid_argument when there are operations and no rate is known.
  TimePs duration(std::uint64_t operations, std::uint64_t bytes, TimePs duration_ps);

 private:
  TimePs roofline(std::uint64_t operations, std::uint64_t bytes) const;
  double uniform();

  ComputeParams params_;
  std::mt19937_64 random_;
};

}  // namespace wafertlm
