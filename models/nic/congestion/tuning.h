// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "models/nic/congestion/schemes.h"

namespace wafertlm::nic {

/// Values in place of a preset's. What several schemes have under one name is one value here.
struct Tuning {
  static constexpr double kPresets = -1;  ///< of a number: as the preset has it

  std::optional<TimePs> cnp_interval_ps, alpha_timer_ps, decrease_interval_ps, increase_timer_ps;  // DCQCN
  std::optional<std::uint64_t> byte_counter, fast_recovery;                                        // DCQCN
  std::optional<std::uint64_t> additive_bytes_per_s, least_bytes_per_s;  // DCQCN, TIMELY
  std::optional<std::uint64_t> hyper_bytes_per_s;                        // DCQCN
  std::optional<TimePs> low_ps, high_ps;                                 // TIMELY
  std::optional<TimePs> target_ps;                                       // Swift
  double g = kPresets;                                                   // DCQCN, DCTCP
  double beta = kPresets;                                                // TIMELY, Swift, NSCC
  double eta = kPresets;                                                 // HPCC
  double gamma = kPresets;                                               // PowerTCP
};

/// @return `scheme` with what `tuning` has; into `without_effect` where the values lie that it has no use
/// for.
SchemeParams tuned(SchemeParams scheme, const Tuning& tuning, std::vector<const void*>& without_effect);

/// Increments and least rates that are for lines of `bytes_per_s` grow with the line (DCQCN, TIMELY).
/// @return whether the scheme has any
bool scale_rates_from(SchemeParams& scheme, std::uint64_t bytes_per_s);

}  // namespace wafertlm::nic
