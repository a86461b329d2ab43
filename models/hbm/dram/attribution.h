// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/hbm/dram/dram_memory.h"

namespace wafertlm {

/// Where the time of all data buses of a memory went, from 0 to the end of the last transfer or `total_fs`:
/// channels · total_fs = busy + all losses + too few outstanding + channel imbalance, exactly.
struct MemoryLosses {
  std::uint32_t channels = 0;
  std::uint64_t total_fs = 0;  ///< of each channel
  DramTime sum;                ///< of all channels; its `no_request` is split into:
  std::uint64_t too_few_outstanding_fs = 0;
  /// A channel had nothing to do, while the busiest one had: so much less than that one did each do.
  std::uint64_t channel_imbalance_fs = 0;
};

/// Lets the writes that are still buffered out before.
MemoryLosses attribute_losses(DramMemory& memory, TimePs until_ps);

}  // namespace wafertlm
