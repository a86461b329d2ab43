// SPDX-License-Identifier: Apache-2.0
#include "models/cores/wavelets.h"

#include <algorithm>

namespace wafertlm::cores {

Cycle WaveletTimes::count() const {
  Cycle all = 0;
  for (const Run& run : runs_) all += run.count;
  return all;
}

void WaveletTimes::shift(Cycle by) {
  for (Run& run : runs_) run.first += by;
}

WaveletTimes WaveletTimes::taken_from(Cycle start) const {
  WaveletTimes taken;
  Cycle free = start;
  for (const Run& run : runs_) {
    const Cycle first = std::max(run.first, free);
    if (!taken.runs_.empty() && taken.runs_.back().first + taken.runs_.back().count == first)
      taken.runs_.back().count += run.count;
    else
      taken.runs_.push_back({first, run.count});
    free = first + run.count;
  }
  return taken;
}

}  // namespace wafertlm::cores
