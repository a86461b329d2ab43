// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm::statistics {

/// On what grid a source writes durations: the coarsest of 1 us, 1 ns and 1 ps of which at least nine of ten
/// durations, those of 0 aside, are multiples. Profilers write whole microseconds or nanoseconds, so what is
/// near to such a duration gives it away.
class DurationGrid {
 public:
  void add(TimePs duration_ps);
  /// 1 without durations.
  TimePs step_ps() const;

 private:
  static constexpr std::array<TimePs, 2> kSteps = {1'000'000, 1000};
  std::uint64_t durations_ = 0;
  std::array<std::uint64_t, kSteps.size()> multiples_{};
};

/// The nearest multiple of the step.
TimePs on_grid(TimePs duration_ps, TimePs step_ps);

/// An attack: durations that are taken for the nearest on the source's grid, place by place.
struct RoundedBack {
  std::uint64_t durations = 0, right = 0;
  void add(TimePs source_ps, TimePs made_ps, TimePs step_ps) {
    if (source_ps == 0) return;
    ++durations;
    if (on_grid(made_ps, step_ps) == on_grid(source_ps, step_ps)) ++right;
  }
};

/// The duration, changed by more than half a step and at most `bound` of it or two steps, whichever is more,
/// evenly drawn, up or down; down only as far as up, and something stays something. So its multiple of the
/// step is another one, and several durations could have become this. 0 stays.
TimePs off_grid(TimePs duration_ps, TimePs step_ps, double bound, std::uint64_t key);

}  // namespace wafertlm::statistics
