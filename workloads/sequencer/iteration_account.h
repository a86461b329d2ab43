// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/sequencer/time_account.h"

namespace wafertlm {

/// Adds up what every rank's time went into, by iteration. Iteration k is the time between the ends of k - 1
/// and k, which are the same for all ranks, so a segment may belong to several.
class IterationAccount {
 public:
  explicit IterationAccount(std::uint32_t ranks) : sums_(ranks) {}

  /// The iteration that is under way ends now; what was added so far does not go beyond.
  void close(TimePs end_ps) { ends_.push_back(end_ps); }
  void add(std::uint32_t rank, const TimeSegment& segment);
  /// Picoseconds of a rank in a category.
  TimePs sum(std::uint32_t rank, std::uint32_t iteration, std::uint8_t category) const;
  const std::vector<TimePs>& ends() const { return ends_; }

 private:
  using ByCategory = std::vector<TimePs>;
  std::vector<TimePs> ends_;
  std::vector<std::vector<ByCategory>> sums_;  // [rank][iteration]
};

}  // namespace wafertlm
