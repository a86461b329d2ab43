// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/hbm_engine.h"

#include <algorithm>

namespace wafertlm {

HbmEngine::HbmEngine(const HbmEngineParams& params)
    : directions_{{{Line(params.read_bandwidth_bytes_per_s), {}},
                   {Line(params.write_bandwidth_bytes_per_s), {}}}},
      latency_ps_(params.latency_ps) {}

TimePs HbmEngine::advance(const HbmRequest& request, TimePs now) {
  Direction& direction = directions_[static_cast<std::size_t>(request.command)];
  const TimePs free = direction.line.free_ps();
  const TimePs start = std::max(now, free);
  // Requests arrive at whole picoseconds.
  const TimePs end = direction.line.send(request.bytes, start, now < free ? Line::kUnbound : 0).end;

  HbmCounters& counters = direction.counters;
  if (counters.requests++ == 0)
    counters.first_ps = start;
  else
    counters.idle_ps += start - free;
  counters.bytes += request.bytes;
  counters.busy_ps += end - start;
  counters.longest_wait_ps = std::max(counters.longest_wait_ps, start - now);
  return end + latency_ps_;
}

}  // namespace wafertlm
