// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "models/hbm/hbm_params.h"
#include "tlm/kernel/units.h"
#include "tlm/link/line.h"

namespace wafertlm {

enum class HbmCommand : std::uint8_t { read, write };

struct HbmRequest {
  HbmCommand command = HbmCommand::read;
  std::uint64_t bytes = 0;  ///< 0 (refused, ignored) takes the latency and no bandwidth
};

/// Of one direction. first_ps + busy_ps + idle_ps is the end of the last transfer.
struct HbmCounters {
  std::uint64_t requests = 0, bytes = 0;
  TimePs first_ps = 0;         ///< start of the first transfer
  TimePs busy_ps = 0;          ///< data moved
  TimePs idle_ps = 0;          ///< lost between the first and the last transfer: too few outstanding requests
  TimePs longest_wait_ps = 0;  ///< from the request's arrival to the start of its transfer
};

/// Bandwidth and latency of a memory. Reads and writes have a line each; a line serves requests in the order
/// of the calls:
///   start = max(now, line free);  line free = start + bytes / bandwidth;  done = line free + latency.
class HbmEngine {
 public:
  /// @throws std::invalid_argument unless both bandwidths are 1 B/s to 9 PB/s.
  explicit HbmEngine(const HbmEngineParams& params);

  /// Takes in a request that arrives at `now`; returns when it is done. Exact over any number of requests:
  /// fractions of a picosecond are carried while the line is busy. `now` may go backwards (b_transport).
  TimePs advance(const HbmRequest& request, TimePs now);

  const HbmCounters& counters(HbmCommand command) const { return direction(command).counters; }

 private:
  struct Direction {
    Line line;
    HbmCounters counters;
  };
  const Direction& direction(HbmCommand command) const {
    return directions_[static_cast<std::size_t>(command)];
  }

  std::array<Direction, 2> directions_;
  TimePs latency_ps_;
};

}  // namespace wafertlm
