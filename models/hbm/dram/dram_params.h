// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "models/hbm/dram/dram_timing.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

struct AddressMapParams {
  std::uint32_t stacks = 1;
  /// Fields of an address from the highest bits to the lowest: row, bank, group, column, channel and, with
  /// more than one stack (a power of two then), stack. Below the lowest are the bytes of an access. A field
  /// may be in several pieces: "column:2" is so many bits of it, a field without a number what is left of it.
  /// Rows take what the others leave. Empty: the hashed map.
  std::string given;
};

/// JEDEC's two refresh commands: of a bank, while the others go on; of all banks of a pseudo-channel at once.
enum class DramRefresh : std::uint8_t { per_bank, all_bank };

/// The controller of a pseudo-channel, the same at both levels.
struct DramQueueParams {
  std::uint32_t queue_visits = 32;  ///< reads that it sees at a time; others wait in order
  std::uint32_t write_high = 32;    ///< places for writes; when one finds none, they are drained …
  std::uint32_t write_low = 8;      ///< … until so few are left whose rows are not open
  /// They go out, too, when no read waits, and all of them when reads have kept them waiting for so long; so
  /// long, too, either direction waits at most for the data bus.
  TimePs write_age_ps = 1'000'000;
  DramRefresh refresh = DramRefresh::per_bank;
  std::uint32_t postponed_refreshes = 8;  ///< of a bank, at most

  /// @throws std::invalid_argument that says what to change.
  void check() const {
    if (queue_visits == 0 || queue_visits > 1024 || write_high == 0 || write_high > 1024 ||
        write_low >= write_high)
      throw std::invalid_argument(
          "a memory channel needs 1 to 1024 places for reads and for writes, and a low mark below the places "
          "for writes");
  }
};

/// Rows and banks by bursts, or command by command.
enum class DramLevel : std::uint8_t { burst, command };

struct DramParams {
  DramTiming timing;
  DramLevel level = DramLevel::burst;
  AddressMapParams map;
  DramQueueParams queue;
  /// Of the burst level: visits that find nobody waiting take no queue, and channels to which the same has
  /// happened are one. The same times without, later.
  bool shortcuts = true;
};

}  // namespace wafertlm
