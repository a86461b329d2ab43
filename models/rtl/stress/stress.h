// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "models/rtl/stress/player.h"

namespace wafertlm {

struct RtlStressOptions {
  std::uint64_t seed = 1;       ///< of the first case; the next ones count on
  std::uint32_t cases = 0;      ///< 0: as many as fit into two thirds of `seconds`
  double seconds = 60;          ///< of processor time; shrinking may take as many again; 0: no limit
  std::uint32_t packets = 300;  ///< of a case
  std::uint64_t long_cycles = 1'000'000;  ///< of the last case, if `seconds` allow; 0: there is none
  std::uint32_t shrink_plays = 2000;
};

/// A line for people about once a second.
using RtlStressProgress = std::function<void(const std::string& line)>;

struct RtlStressResult {
  explicit RtlStressResult(RtlStressCoverage empty) : coverage(std::move(empty)) {}
  bool passed() const { return outcome.passed(); }
  std::uint64_t cases = 0, packets = 0, cycles = 0;
  std::uint64_t long_cycles = 0;  ///< of the last case
  std::uint64_t failed_seed = 0;
  RtlStressOutcome outcome;  ///< of the shrunk stimulus, if something failed
  RtlStimulus stimulus;      ///< shrunk
  std::uint32_t plays = 0;   ///< that shrinking took
  /// The stimulus failed when played again. If not, what failed depends on what the module held before its
  /// reset.
  bool repeats = false;
  std::int64_t most_early = 0;
  std::uint64_t wait_cycles = 0, longest_wait = 0;
  std::uint64_t most_passed = 0;  ///< packets, by one that waited for its turn
  RtlStressCoverage coverage;
};

/// What a design does alone, at full rate and when all want the same; random cases until one fails; and a
/// long case. What fails is shrunk. No SystemC.
RtlStressResult stress(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                       const RtlFlowRules& rules, const RtlStressOptions& options,
                       const RtlStressProgress& progress = {});

}  // namespace wafertlm
