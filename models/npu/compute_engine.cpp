// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace wafertlm {

namespace {

/// Simulated time is a signed 64-bit number of picoseconds to SystemC's users.
TimePs checked(Uint128 time) {
  if (time >> 63 != 0) throw std::invalid_argument("an operation takes longer than simulated time can hold");
  return static_cast<TimePs>(time);
}

}  // namespace

ComputeEngine::ComputeEngine(const ComputeParams& params) : params_(params), random_(params.seed) {
  const auto add = [this](std::unique_ptr<const ComputeModel> model) { uses_.push_back({std::move(model)}); };
  for (const SpeedChange& change : params.speed_changes) slowed_.push_back({change});
  if (params.replays) {
    add(std::make_unique<ReplayedDuration>(params.time_step_ps));
    return;
  }
  if (!params.ignores_durations) add(std::make_unique<GivenDuration>());
  if (params.systolic)
    add(std::make_unique<Systolic>(params.systolic->array, params.systolic->clock_hz,
                                   params.memory_bytes_per_s));
  if (params.tiled) add(std::make_unique<Tiled>(params));
  add(std::make_unique<Roofline>(params.operations_per_s, params.memory_bytes_per_s, params.time_step_ps));
  if (params.ignores_durations) add(std::make_unique<GivenDuration>());
}

ComputeEngine::Nominal ComputeEngine::nominal(const ComputeWork& work) const {
  for (const Use& use : uses_)
    if (const auto time = use.model->time_ps(work)) return {*time, use.model.get()};
  return {};
}

TimePs ComputeEngine::duration(const ComputeWork& work, TimePs start) {
  const Nominal nominal = this->nominal(work);
  const TimePs time = slowed_down(stretched(checked(nominal.time_ps)), start);
  for (Use& use : uses_) {
    if (use.model.get() != nominal.model) continue;
    ++use.operations;
    use.time_ps += time;
  }
  return time;
}

TimePs ComputeEngine::slowed_down(TimePs time, TimePs start) {
  for (Slowed& change : slowed_) {
    if (start < change.from_ps || start >= change.until_ps) continue;
    const TimePs slow = checked((Uint128{time} * 100 + change.percent - 1) / change.percent);
    ++change.computations;
    change.longer_ps += slow - time;
    return slow;
  }
  return time;
}

TimePs ComputeEngine::stretched(TimePs time) {
  time =
      checked((Uint128{time} * params_.slowdown_percent + params_.speed_percent - 1) / params_.speed_percent);
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
