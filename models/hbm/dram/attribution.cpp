// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/attribution.h"

#include <algorithm>

namespace wafertlm {

MemoryLosses attribute_losses(DramMemory& memory, TimePs until_ps) {
  memory.run_until(kNever);
  MemoryLosses losses;
  losses.channels = memory.channels();
  losses.total_fs = until_ps * 1000;
  for (std::uint32_t c = 0; c < losses.channels; ++c)
    losses.total_fs = std::max(losses.total_fs, memory.time(c).span_fs());
  const auto idle = [&](const DramTime& time) {
    return time.lost(DramLoss::no_request) + losses.total_fs - time.span_fs();
  };
  std::uint64_t least_idle = losses.total_fs;
  for (std::uint32_t c = 0; c < losses.channels; ++c) least_idle = std::min(least_idle, idle(memory.time(c)));
  for (std::uint32_t c = 0; c < losses.channels; ++c) {
    const DramTime time = memory.time(c);
    losses.too_few_outstanding_fs += least_idle;
    losses.channel_imbalance_fs += idle(time) - least_idle;
    losses.sum += time;
  }
  losses.sum.lost(DramLoss::no_request) = losses.too_few_outstanding_fs + losses.channel_imbalance_fs;
  return losses;
}

}  // namespace wafertlm
