// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "models/rtl/bench.h"
#include "models/rtl/scoreboard.h"
#include "models/rtl/stress/coverage.h"
#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

struct RtlStressParams {
  RtlClock clock;
  /// Makes the words of entries, anew for each play.
  std::function<RtlConfiguration()> configuration;
  /// Flits of an input and channel whose credit may come back before they have left by all outputs.
  std::uint32_t early_credits = 0;
  /// Asked now and then: true ends the play, which has passed as far as it came.
  std::function<bool()> is_enough = {};
  RtlPinWatch* watch = nullptr;
  std::function<void()> begins = {};  ///< what comes before a reset in the middle is over, if there is one
};

struct RtlStressOutcome {
  bool passed() const { return !failure; }
  std::optional<RtlDivergence> failure;  ///< the first
  std::uint64_t failed_in_cycle = 0;     ///< from the reset on
  std::uint64_t cycles = 0, packets = 0;
  std::int64_t most_early = 0;                      ///< credits, see RtlBench::Returned
  std::uint64_t wait_cycles = 0;                    ///< of all heads, from arrival to departure
  std::uint64_t longest_wait = 0, most_passed = 0;  ///< cycles; packets, see RtlService
};

/// Resets the RTL, plays a stimulus and stops at the first thing that is wrong: other bytes, a packet that is
/// lost, doubled or at another output, a broken rule of the pins, credits that do not come home, or that come
/// before their flits have left, and what the stimulus judges of time. In the end of a stimulus of
/// credit_stream that judges none outputs get no credits until they have used all they have. No SystemC.
RtlStressOutcome play_stimulus(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                               const RtlStimulus& stimulus, RtlStressCoverage* coverage = nullptr);

}  // namespace wafertlm
