// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "tlm/units.h"

namespace wafertlm {

/// Why a data bus moved nothing.
enum class DramLoss : std::uint8_t {
  no_request,     ///< nothing to do
  row_conflict,   ///< another row was open, or its bank in use: precharge and activate
  row_closed,     ///< no row was open: activate
  activate_rate,  ///< tRRD and tFAW
  bank_group,     ///< tCCD_L: successive accesses of one bank group
  turnaround,     ///< between reads and writes
  refresh,
  not_told,  ///< of the command level: one of the above
};
constexpr std::size_t kDramLosses = 8;
constexpr std::array<const char*, kDramLosses> kDramLossNames = {
    "no_request", "row_conflict", "row_closed", "activate_rate",
    "bank_group", "turnaround",   "refresh",    "not_told"};

/// Time of one data bus or, summed, of several, from 0 to the end of the last transfer: busy + all losses.
/// In femtoseconds, so that nothing is rounded.
struct DramTime {
  std::uint64_t busy_fs = 0;
  std::array<std::uint64_t, kDramLosses> lost_fs{};
  std::uint64_t row_visits = 0, row_hits = 0, activates = 0, refreshes = 0, turns = 0;
  std::uint64_t accesses_read = 0, accesses_written = 0;

  std::uint64_t& lost(DramLoss why) { return lost_fs[static_cast<std::size_t>(why)]; }
  std::uint64_t lost(DramLoss why) const { return lost_fs[static_cast<std::size_t>(why)]; }
  std::uint64_t span_fs() const {
    std::uint64_t sum = busy_fs;
    for (const std::uint64_t each : lost_fs) sum += each;
    return sum;
  }
  /// Modulo 2^64: `time += other` undoes it.
  DramTime& operator-=(const DramTime& other) {
    busy_fs -= other.busy_fs;
    for (std::size_t k = 0; k < kDramLosses; ++k) lost_fs[k] -= other.lost_fs[k];
    row_visits -= other.row_visits;
    row_hits -= other.row_hits;
    activates -= other.activates;
    refreshes -= other.refreshes;
    turns -= other.turns;
    accesses_read -= other.accesses_read;
    accesses_written -= other.accesses_written;
    return *this;
  }
  DramTime& operator+=(const DramTime& other) {
    busy_fs += other.busy_fs;
    for (std::size_t k = 0; k < kDramLosses; ++k) lost_fs[k] += other.lost_fs[k];
    row_visits += other.row_visits;
    row_hits += other.row_hits;
    activates += other.activates;
    refreshes += other.refreshes;
    turns += other.turns;
    accesses_read += other.accesses_read;
    accesses_written += other.accesses_written;
    return *this;
  }
};

}  // namespace wafertlm
