// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "platform/commands/validate/training/setup.h"

namespace wafertlm::validate::steps {

/// What a row's unit counts.
enum class Unit : std::uint8_t {
  seconds,
  milliseconds,
  flops,  ///< model TFLOP/s of a rank
  mfu,    ///< the same in percent of the peak
  rank_tokens,
  all_tokens,
  samples,
  rank_samples,
  hours_per_teratoken,  ///< of a rank, for 1e12 tokens
  kilohours_per_teratoken
};
/// None: no unit of training.
std::optional<Unit> unit_of(const std::string& text);

/// A step's time in that unit.
double in_unit(Unit unit, const JobSetup& setup, double seconds);

/// FLOP of a token without recomputation. GPT as Narayanan et al. 2021 count, 72·l·h²·(1 + s/(6h) +
/// V/(12lh)); else 6 per active parameter and attention, of which some frameworks count the causal half.
double model_flops_per_token(const JobSetup& setup);
/// What the ranks' sustained rate needs for that at least.
double roofline(const JobSetup& setup, double sustained);

}  // namespace wafertlm::validate::steps
