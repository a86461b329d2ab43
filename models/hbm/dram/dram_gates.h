// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/hbm/dram/dram_timing.h"

namespace wafertlm {

enum class DramCommand : std::uint8_t {
  activate,
  precharge,
  read,
  write,
  refresh,
  precharge_all,
  refresh_all
};

/// The rules of a pseudo-channel: when a command may be given, in clock cycles. A bank's number is group ·
/// banks per group + bank.
class DramGates {
 public:
  using Cycle = std::uint64_t;
  static constexpr Cycle kNeverCycle = ~Cycle{0};

  explicit DramGates(const DramTiming& timing);

  /// The first cycle in which `command` may be given; kNeverCycle if the bank is not in the state for it:
  /// columns need an open row, activate and refresh a closed one. Commands to all banks do not look at
  /// `bank`.
  Cycle earliest(DramCommand command, std::uint32_t bank) const;
  /// Of a column, as far as only the activate of its open row is concerned.
  Cycle earliest_by_row(bool write, std::uint32_t bank) const {
    return write ? banks_[bank].column_write : banks_[bank].column_read;
  }
  /// @throws std::logic_error before earliest(). `row` of an activate.
  void issue(DramCommand command, std::uint32_t bank, Cycle at, std::uint32_t row = 0);

  bool is_open(std::uint32_t bank) const { return banks_[bank].open; }
  std::uint32_t row(std::uint32_t bank) const { return banks_[bank].row; }

 private:
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    Cycle activate = 0, precharge = 0, column_read = 0, column_write = 0;  // not before
  };
  Cycle all_banks_gate(bool open) const;
  Cycle column_gate(bool write, std::uint32_t bank) const;

  const DramTiming t_;
  std::vector<Bank> banks_;
  Cycle rrd_any_ = 0;
  std::vector<Cycle> rrd_group_;
  Cycle activates_[4] = {0, 0, 0, 0};
  std::uint64_t activated_ = 0;
  // Not before: after columns of any group, and of the same.
  Cycle column_any_ = 0, read_to_write_ = 0, write_to_read_any_ = 0;
  std::vector<Cycle> column_group_, write_to_read_group_;
};

}  // namespace wafertlm
