// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/hbm/dram/dram_params.h"

namespace wafertlm {

/// What the pseudo-channels of a memory at the burst level have in common: sums of tCK in femtoseconds, and
/// limits.
struct BurstTimes {
  using Fs = std::uint64_t;
  static constexpr Fs kNeverFs = ~Fs{0};
  static constexpr std::uint32_t kMaxBanks = 64, kGroups = 4;

  /// @throws std::invalid_argument that says what to change.
  BurstTimes(const DramTiming& timing, const DramQueueParams& queue);

  Fs to_data[2], to_end[2];  ///< column to its data, and to their end: of reads and of writes
  Fs rcd[2];
  Fs spacing[3];        ///< of accesses, by log2 of the visit's groups
  Fs next_any[2][2];    ///< last column of a direction, to the first of a direction: any group
  Fs next_group[2][2];  ///< the same group
  Fs to_free[2];        ///< column to precharge
  Fs rp, ras, rc, rrd_short, rrd_long, faw;
  Fs burst, rfc, refi, put_off_most, write_idle;
  Fs to_column;             ///< from a bank's use to its column, with room for other rows
  std::uint32_t places[2];  ///< of reads and of writes
  std::uint32_t write_low;
  std::uint32_t banks, banks_per_group;
};

}  // namespace wafertlm
