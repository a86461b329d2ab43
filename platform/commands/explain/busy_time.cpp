// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/busy_time.h"

#include <algorithm>
#include <cmath>

namespace wafertlm {

TimePs busy_between(const TimeBuckets& buckets, std::size_t link, TimePs from, TimePs to) {
  double busy = 0;
  TimePs begin = 0;
  for (const double sum : buckets.sums(link)) {
    const TimePs end = begin + buckets.width_ps(), first = std::max(begin, from), last = std::min(end, to);
    if (first < last) busy += std::min(sum, static_cast<double>(last - first));
    begin = end;
  }
  return static_cast<TimePs>(std::ceil(busy));
}

}  // namespace wafertlm
