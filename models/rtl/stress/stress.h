// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "models/rtl/stress/player.h"

namespace wafertlm {

struct RtlStressOptions {
  std::uint64_t seed = 1;       ///< of the first case; the next ones count on
  std::uint32_t cases = 0;      ///< 0: as many as fit into `seconds`
  double seconds = 60;          ///< of this computer; 0: no limit
  std::uint32_t packets = 300;  ///< of a case
  std::uint32_t shrink_plays = 2000;
};

/// A line for people about once a second.
using RtlStressProgress = std::function<void(const std::string& line)>;

struct RtlStressResult {
  explicit RtlStressResult(RtlStressCoverage empty) : coverage(std::move(empty)) {}
  bool passed() const { return outcome.passed(); }
  std::uint64_t cases = 0, packets = 0, cycles = 0;
  std::uint64_t failed_seed = 0;
  RtlStressOutcome outcome;  ///< of the shrunk stimulus, if something failed
  RtlStimulus stimulus;      ///< shrunk
  std::uint32_t plays = 0;   ///< that shrinking took
  /// The stimulus failed when played again. If not, what failed depends on what the module held before its
  /// reset.
  bool repeats = false;
  std::int64_t most_early = 0;
  std::uint64_t wait_cycles = 0;
  RtlStressCoverage coverage;
};

/// One message alone for each pair of ports.
RtlStimulus one_by_one(const RtlDesign& design);

/// First a message alone for each pair of ports, which takes LATENCY cycles; then random cases until one
/// fails, which is shrunk. No SystemC.
RtlStressResult stress(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                       const RtlFlowRules& rules, const RtlStressOptions& options,
                       const RtlStressProgress& progress = {});

}  // namespace wafertlm
