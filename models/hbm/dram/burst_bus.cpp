// SPDX-License-Identifier: Apache-2.0
// The data bus of a BurstChannel: which visit comes next, and what it loses before.
#include <algorithm>

#include "models/hbm/dram/burst_channel.h"

namespace wafertlm {

void BurstChannel::new_opened(const Opened& opened) {
  opened_.push_back(opened);
  const bool write = opened.visit.write;
  const bool none_before = ++opened_of_[write] == 1;
  if (write != wrote_ && opened_of_[wrote_] != 0) return;
  const Fs at = std::max(opened.ready, bus_gate(opened.visit));
  if (none_before || at < column_.at || (at == column_.at && opened.order < opened_[column_.number].order))
    column_ = {at, opened_.size() - 1};
}

/// The first that can come, of the same direction as the last one as long as there is any.
void BurstChannel::find_column() {
  column_ = {};
  const bool write = opened_of_[wrote_] != 0 ? wrote_ : !wrote_;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    const Opened& each = opened_[i];
    if (each.visit.write != write) continue;
    const Fs at = std::max(each.ready, bus_gate(each.visit));
    if (at < column_.at || (at == column_.at && each.order < opened_[column_.number].order))
      column_ = {at, i};
  }
}

/// The next column.
void BurstChannel::move() {
  const Opened opened = opened_[column_.number];
  opened_[column_.number] = opened_.back();
  opened_.pop_back();
  --opened_of_[opened.visit.write];
  const Fs end = move(opened, column_.at);
  if (!opened.visit.write) done.push_back({opened.tag, (end + 999) / 1000});
  find_column();
}

/// Gives a visit its place on the data bus; returns its end.
BurstChannel::Fs BurstChannel::move(const Opened& opened, Fs column) {
  const RowVisit& visit = opened.visit;
  const Direction direction = visit.write ? kWrite : kRead;
  const Fs to_data = t_->to_data[direction], spacing = t_->spacing[visit.groups >> 1];
  const bool turns = visit.write != wrote_ && (time_.accesses_read | time_.accesses_written) != 0;
  const Fs bus = bus_gate(visit);

  Fs cursor = bus_end_;
  const auto wait = [&](Fs until, DramLoss cause) {
    const Fs data = std::min(until, column) + to_data;
    if (data <= cursor) return;
    time_.lost(cause) += data - cursor;
    cursor = data;
  };
  wait(opened.arrival, DramLoss::no_request);
  wait(bus, turns ? DramLoss::turnaround : DramLoss::bank_group);
  if (column > bus) {
    wait(opened.row, opened.conflict ? DramLoss::row_conflict : DramLoss::row_closed);
    wait(opened.refresh, DramLoss::refresh);
    wait(column, DramLoss::activate_rate);
  }

  const std::uint32_t n = visit.accesses;
  const Fs last = column + (n - 1) * spacing;
  const Fs end = last + t_->to_end[direction];
  time_.lost(DramLoss::bank_group) += end - cursor - n * t_->burst;
  time_.turns += turns;
  bus_end_ = end;
  wrote_ = visit.write;
  any_[kRead] = last + t_->next_any[direction][kRead];
  any_[kWrite] = last + t_->next_any[direction][kWrite];
  if (visit.write) {
    time_.accesses_written += n;
  } else {
    last_read_ = last;
    time_.accesses_read += n;
  }
  leaves_[direction].push_back(last);
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const std::uint32_t group = visit.group(k), number = bank_of(visit, k);
    const Fs at = column + (k + ((n - 1 - k) & ~(visit.groups - 1U))) * spacing;
    // Of a visit's groups only the first was asked.
    group_[kRead][group] = std::max(group_[kRead][group], at + t_->next_group[direction][kRead]);
    group_[kWrite][group] = at + t_->next_group[direction][kWrite];
    Bank& bank = banks_[number];
    bank.free = std::max(bank.free, at + t_->to_free[direction]);
    if (--bank.pending != 0) continue;
    if ((queued_[serving_] >> number & 1) == 0) continue;
    const Slot next = chains_[number][serving_].head;
    if (waiting_[next].behind == 0) consider(next);
  }
  return end;
}

}  // namespace wafertlm
