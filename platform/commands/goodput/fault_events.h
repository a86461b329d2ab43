// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "platform/commands/goodput/long_run.h"

namespace wafertlm::goodput {

/// What follows a failure.
enum class Policy : std::uint8_t {
  restart,  ///< detect, replace, reload the last checkpoint, do the work since then again
  retry,    ///< repeat the step; if that does not help, restart
  shrink,   ///< go on without a data-parallel group, whose state others have, until it is repaired
  spares,   ///< restart with a spare in the dead part's place; none left: wait for the next repair
};
const char* to_string(Policy policy);

/// A run's time by the clock is divided into these, in seconds.
struct Account {
  double useful_s = 0;      ///< work that was not lost, at full speed
  double checkpoint_s = 0;  ///< writing, also in vain
  double lost_s = 0;        ///< work that is done again
  double down_s = 0;        ///< detecting, replacing, reloading, waiting
  double slower_s = 0;      ///< work that groups left out would have done
  std::uint64_t failures = 0;

  double total_s() const { return useful_s + checkpoint_s + lost_s + down_s + slower_s; }
  double goodput() const { return useful_s / total_s(); }
};

/// Simulates a run, failure by failure. Failures come at times by the clock that depend on `seed` alone:
/// equal for all intervals and policies.
/// @param interval_s work at full speed between checkpoints. A policy's part of `run` must be given.
Account simulate(const LongRun& run, Policy policy, double interval_s, std::uint64_t seed);

}  // namespace wafertlm::goodput
