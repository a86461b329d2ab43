// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "models/npu/compute_model.h"
#include "tlm/units.h"

namespace wafertlm {

enum class Jitter : std::uint8_t {
  none,
  uniform,  ///< from 1 - spread to 1 + spread
  normal,   ///< mean 1, standard deviation `spread`: the sum of twelve uniform numbers, within 6 spreads
};

struct SystolicParams {
  SystolicArray array;
  std::uint64_t clock_hz = 0;
};

struct ComputeParams {
  /// Peak × efficiency in the precision that is used; 0: unknown, every operation needs a duration.
  std::uint64_t operations_per_s = 0;
  std::uint64_t memory_bytes_per_s = 0;
  std::optional<SystolicParams> systolic;  ///< for operations that name their matrix products
  bool ignores_durations = false;          ///< of operations that tell enough to compute one
  std::uint32_t slowdown_percent = 100;    ///< a straggler has more than 100
  Jitter jitter = Jitter::none;
  std::uint32_t jitter_percent = 0;  ///< spread
  std::uint64_t seed = 1;            ///< of this NPU
};

/// How long an NPU computes: by the first model that the operation tells enough for, in the order given
/// duration, systolic array (if there is one), roofline; with `ignores_durations` the given duration comes
/// last. Then the straggler's factor and a random factor per operation, in the order of the calls.
class ComputeEngine {
 public:
  explicit ComputeEngine(const ComputeParams& params);

  /// 0 if no model can tell. @throws std::invalid_argument when there are operations and no rate is known, or
  /// simulated time cannot hold it.
  TimePs duration(const ComputeWork& work);

  /// Before the factors; `model` is null if no model can tell.
  struct Nominal {
    Uint128 time_ps = 0;
    const ComputeModel* model = nullptr;
  };
  Nominal nominal(const ComputeWork& work) const;

  /// What duration() has used, in the engine's order.
  struct Use {
    std::unique_ptr<const ComputeModel> model;
    std::uint64_t operations = 0;
    TimePs time_ps = 0;  ///< with the factors
  };
  const std::vector<Use>& uses() const { return uses_; }

 private:
  TimePs stretched(TimePs time);
  double uniform();

  ComputeParams params_;
  std::vector<Use> uses_;
  std::mt19937_64 random_;
};

}  // namespace wafertlm
