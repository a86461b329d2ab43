// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tlm/cores/core_params.h"

namespace wafertlm::cores {

/// When each of some wavelets is somewhere, in order: runs of one a cycle.
class WaveletTimes {
 public:
  struct Run {
    Cycle first, count;
  };

  WaveletTimes() = default;
  WaveletTimes(Cycle first, Cycle count) : runs_{{first, count}} {}

  Cycle first() const { return runs_.front().first; }
  Cycle last() const { return runs_.back().first + runs_.back().count - 1; }
  Cycle count() const;
  const std::vector<Run>& runs() const { return runs_; }

  void shift(Cycle by);
  /// The same wavelets where one a cycle passes, from `start` on.
  WaveletTimes taken_from(Cycle start) const;

 private:
  std::vector<Run> runs_;
};

}  // namespace wafertlm::cores
