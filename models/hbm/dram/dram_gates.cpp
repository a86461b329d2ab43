// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_gates.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace wafertlm {

DramGates::DramGates(const DramTiming& timing)
    : t_(timing),
      banks_(timing.banks()),
      rrd_group_(timing.bank_groups),
      column_group_(timing.bank_groups),
      write_to_read_group_(timing.bank_groups) {}

DramGates::Cycle DramGates::column_gate(bool write, std::uint32_t bank) const {
  const Bank& at = banks_[bank];
  const std::uint32_t group = bank / t_.banks_per_group;
  const Cycle gate = std::max({write ? at.column_write : at.column_read, column_any_, column_group_[group]});
  return std::max(gate, write ? read_to_write_ : std::max(write_to_read_any_, write_to_read_group_[group]));
}

/// Precharge of all that are open; refresh, when none is.
DramGates::Cycle DramGates::all_banks_gate(bool open) const {
  Cycle gate = 0;
  bool any_open = false;
  for (const Bank& bank : banks_) {
    any_open |= bank.open;
    if (bank.open == open) gate = std::max(gate, open ? bank.precharge : bank.activate);
  }
  return any_open == open ? gate : kNeverCycle;
}

DramGates::Cycle DramGates::earliest(DramCommand command, std::uint32_t bank) const {
  const Bank& at = banks_[bank];
  switch (command) {
    case DramCommand::activate: {
      if (at.open) return kNeverCycle;
      Cycle gate = std::max({at.activate, rrd_any_, rrd_group_[bank / t_.banks_per_group]});
      if (activated_ >= 4) gate = std::max(gate, activates_[activated_ % 4] + t_.faw);
      return gate;
    }
    case DramCommand::precharge:
      return at.open ? at.precharge : kNeverCycle;
    case DramCommand::read:
      return at.open ? column_gate(false, bank) : kNeverCycle;
    case DramCommand::write:
      return at.open ? column_gate(true, bank) : kNeverCycle;
    case DramCommand::refresh:
      return at.open ? kNeverCycle : at.activate;
    case DramCommand::precharge_all:
      return all_banks_gate(true);
    case DramCommand::refresh_all:
      return all_banks_gate(false);
  }
  return kNeverCycle;
}

void DramGates::issue(DramCommand command, std::uint32_t bank, Cycle at, std::uint32_t row) {
  if (const Cycle gate = earliest(command, bank); at < gate)
    throw std::logic_error("a DRAM command at cycle " + std::to_string(at) + " is not allowed before " +
                           (gate == kNeverCycle ? std::string("the bank is in another state")
                                                : "cycle " + std::to_string(gate)));
  Bank& of = banks_[bank];
  const std::uint32_t group = bank / t_.banks_per_group;
  switch (command) {
    case DramCommand::activate:
      of.open = true;
      of.row = row;
      of.activate = at + t_.rc;
      of.precharge = at + t_.ras;
      of.column_read = at + t_.rcd_read;
      of.column_write = at + t_.rcd_write;
      rrd_any_ = at + t_.rrd_short;
      rrd_group_[group] = at + t_.rrd_long;
      activates_[activated_++ % 4] = at;
      return;
    case DramCommand::precharge:
      of.open = false;
      of.activate = std::max(of.activate, at + t_.rp);
      return;
    case DramCommand::refresh:
      of.activate = at + t_.rfc_bank;
      return;
    case DramCommand::precharge_all:
      for (Bank& each : banks_)
        if (std::exchange(each.open, false)) each.activate = std::max(each.activate, at + t_.rp);
      return;
    case DramCommand::refresh_all:
      for (Bank& each : banks_) each.activate = at + t_.rfc_all;
      return;
    case DramCommand::read:
    case DramCommand::write:
      break;
  }
  const bool write = command == DramCommand::write;
  column_any_ = at + t_.ccd_short;
  column_group_[group] = at + t_.ccd_long;
  if (write) {
    write_to_read_any_ = at + t_.cwl + t_.burst + t_.wtr_short;
    write_to_read_group_[group] = at + t_.cwl + t_.burst + t_.wtr_long;
  } else {
    read_to_write_ = at + t_.rtw;
  }
  of.precharge = std::max(of.precharge, write ? at + t_.cwl + t_.burst + t_.wr : at + t_.rtp);
}

}  // namespace wafertlm
