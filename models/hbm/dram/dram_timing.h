// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Timings of an HBM generation, in clock cycles (JEDEC's names in small letters), and its shape.
struct DramTiming {
  std::string name;
  std::string provenance;
  std::uint64_t clock_fs = 1'000'000;  ///< tCK in femtoseconds
  std::uint32_t cl = 0, cwl = 0;       ///< column command to data, read and write
  std::uint32_t rcd_read = 0, rcd_write = 0;
  std::uint32_t rp = 0, ras = 0, rc = 0;
  std::uint32_t wr = 0, rtp = 0;              ///< write data end, read command to precharge
  std::uint32_t ccd_short = 0, ccd_long = 0;  ///< column to column: other, same bank group
  std::uint32_t rrd_short = 0, rrd_long = 0;  ///< activate to activate
  std::uint32_t faw = 0;                      ///< four activates
  std::uint32_t wtr_short = 0, wtr_long = 0;  ///< end of write data to read command: other, same bank group
  std::uint32_t rtw = 0;                      ///< read command to write command
  std::uint32_t rfc_bank = 0, rfc_all = 0;    ///< refresh of a bank, of all banks …
  std::uint32_t refi = 0;                     ///< … and how often each bank has one
  std::uint32_t burst = 2;                    ///< of one access on the data bus

  std::uint32_t pseudo_channels = 32;                  ///< of a stack
  std::uint32_t bank_groups = 4, banks_per_group = 4;  ///< of a pseudo-channel
  std::uint32_t row_bytes = 1024, access_bytes = 32;
  std::uint64_t stack_bytes = 0;

  std::uint64_t fs(std::uint32_t cycles) const { return cycles * clock_fs; }
  /// The first clock edge that, rounded up to picoseconds, is at `now` or later. Times leave the memory
  /// rounded up: what answers one of its edges comes back at that edge, and not one later.
  std::uint64_t edge(TimePs now) const { return (now * 1000 + clock_fs - 1000) / clock_fs; }
  std::uint32_t banks() const { return bank_groups * banks_per_group; }
  /// The same cells behind another interface: times in nanoseconds stay, in more or fewer cycles; what is
  /// counted in clock cycles (tCCD, the burst) stays.
  DramTiming with_clock(std::uint64_t fs) const;
  /// @throws std::invalid_argument that says which times contradict each other.
  void check() const;
  /// Data pins of a pseudo-channel and of a stack, without any loss.
  std::uint64_t channel_bytes_per_s() const;
  std::uint64_t stack_bytes_per_s() const { return pseudo_channels * channel_bytes_per_s(); }
};

/// A time by its name in a configuration: JEDEC's.
struct DramTimingKey {
  const char* name;
  std::uint32_t DramTiming::*cycles;
  const char* meaning;
};
const std::array<DramTimingKey, 20>& dram_timing_keys();

/// HBM2, HBM2E, HBM3 and HBM3E by name: "hbm2", "hbm2e", "hbm3", "hbm3e". Community values (README.md).
/// @throws std::invalid_argument for another name.
const DramTiming& dram_timing(std::string_view generation);
std::vector<std::string> dram_generations();

}  // namespace wafertlm
