// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "models/npu/compute_model.h"
#include "models/npu/compute_params.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// How long an NPU computes: by the first model that the operation tells enough for, in the order given
/// duration, systolic array or tiles (if there are any), roofline; with `ignores_durations` the given
/// duration comes last. Then the factors of a straggler and of a slow NPU, a random factor per operation, in
/// the order of the calls, and that of a change of speed.
class ComputeEngine {
 public:
  explicit ComputeEngine(const ComputeParams& params);

  /// Of a computation that starts at `start`; 0 if no model can tell. @throws std::invalid_argument when
  /// there are operations and no rate is known, or simulated time cannot hold it.
  TimePs duration(const ComputeWork& work, TimePs start = 0);

  /// Of a CPU operation, whose trace gives `duration_ps`; with a time step it is replayed.
  TimePs cpu_duration(TimePs duration_ps) const {
    return params_.time_step_ps == 0 ? duration_ps
                                     : ReplayedDuration::replayed_ps(duration_ps, params_.time_step_ps);
  }

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

  /// What a change of speed did, in the order of ComputeParams::speed_changes.
  struct Slowed : SpeedChange {
    std::uint64_t computations = 0;
    TimePs longer_ps = 0;  ///< that they took, all together
  };
  const std::vector<Slowed>& slowed() const { return slowed_; }

 private:
  TimePs stretched(TimePs time);
  TimePs slowed_down(TimePs time, TimePs start);
  /// From 0 to 1, the same with every standard library.
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  ComputeParams params_;
  std::vector<Use> uses_;
  std::vector<Slowed> slowed_;
  std::mt19937_64 random_;
};

}  // namespace wafertlm
