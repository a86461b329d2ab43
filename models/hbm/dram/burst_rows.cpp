// SPDX-License-Identifier: Apache-2.0
// Banks and data bus of a BurstChannel: when the rows of the visits are opened, refreshes, which visit comes
// next on the bus, and what the bus loses before.
#include <algorithm>

namespace wafertlm {

/// From `at` on rows are opened for that direction.
void BurstChannel::serve(Direction direction, Fs at) {
  serving_ = direction;
  serving_since_ = at;
  for (std::uint64_t left = queued_[direction]; left != 0; left &= left - 1) {
    Waiting& waiting = waiting_[chains_[static_cast<std::uint32_t>(__builtin_ctzll(left))][direction].head];
    waiting.entered = std::max(waiting.entered, at);
  }
  consider_all();
}

/// Also ends a rest of the writes. When reads wait, all that wait now go before them.
void BurstChannel::turn_to_writes(Fs at) {
  if (reads_wait()) drain_ = undecided_[kWrite];
  serve(kWrite, at);
}

/// Once more, because the banks' states are others now.
void BurstChannel::consider_all() {
  for (const Candidate& each : candidates_) waiting_[each.slot].candidate = false;
  candidates_.clear();
  for (std::uint64_t left = queued_[serving_]; left != 0; left &= left - 1) {
    const auto bank = static_cast<std::uint32_t>(__builtin_ctzll(left));
    const Slot slot = chains_[bank][serving_].head;
    const Waiting& waiting = waiting_[slot];
    if (waiting.behind == 0 && bank_of(waiting.visit, 0) == bank) consider(slot);
  }
}

/// Nobody is before this visit in its banks: from when on can they be used?
void BurstChannel::consider(Slot slot) {
  Waiting& waiting = waiting_[slot];
  if (waiting.candidate) return;
  const std::uint32_t touched = waiting.visit.touched();
  for (std::uint32_t k = 0; k < touched; ++k) {
    const Bank& bank = banks_[bank_of(waiting.visit, k)];
    if (bank.pending != 0 && bank.row != waiting.visit.row) return;
  }
  const Availability banks = available(waiting.visit, std::max(waiting.entered, serving_since_));
  waiting.candidate = true;
  const Fs first = next_candidate();
  if (banks.from < first || (banks.from == first && waiting.order < candidates_[first_].order))
    first_ = candidates_.size();
  candidates_.push_back({banks.from, waiting.order, banks.refreshed, slot});
}

BurstChannel::Availability BurstChannel::available(const RowVisit& visit, Fs entered) {
  Availability banks{entered, 0};
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    Bank& bank = banks_[bank_of(visit, k)];
    if (bank.pending != 0) continue;
    if (is_refreshed(bank, entered)) refresh(bank, entered);
    const Fs from = std::max(entered, bank.row == visit.row ? 0 : bank.free);
    // Only a refresh leaves a row closed, and the bank free after it.
    if (from > banks.from) banks = {from, bank.row == kClosed ? std::min(from - entered, t_->rfc) : 0};
  }
  return banks;
}

/// Catches up with the refreshes of a bank that a visit needs which came in at `entered`.
void BurstChannel::refresh(Bank& bank, Fs entered) {
  const auto once = [&](Fs start) {
    bank.free = start + (bank.row == kClosed ? 0 : t_->rp) + t_->rfc;
    bank.row = kClosed;
    bank.refresh_due += t_->refi;
    ++time_.refreshes;
  };
  while (std::max(bank.refresh_due, bank.free) < entered) {
    once(std::max(bank.refresh_due, bank.free));
    if (bank.free <= bank.refresh_due && entered > bank.refresh_due + 4 * t_->refi) {  // a rest
      const Fs rounds = (entered - bank.refresh_due - 1) / t_->refi;
      bank.refresh_due += rounds * t_->refi;
      time_.refreshes += rounds;
    }
  }
  // Put off while the bank was asked for, but not for ever.
  const Fs now = std::max(entered, bank.free);
  if (now >= bank.refresh_due + t_->put_off_most) once(now);
}

/// All banks, when the visits that have begun are over. Nothing that comes meanwhile is before it.
void BurstChannel::refresh_all() {
  while (column_.at != kNeverFs) move();
  Fs start = refresh_due_, opened = 0;
  bool any_open = false;
  for (std::uint32_t k = 0; k < banks_.count; ++k) {
    const Bank& bank = banks_[k];
    start = std::max(start, bank.free);
    if (bank.row == kClosed) continue;
    any_open = true;
    opened = std::max(opened, bank.opened + t_->rc);
  }
  const Fs end = std::max(start + (any_open ? t_->rp : 0), opened) + t_->rfc;
  for (std::uint32_t k = 0; k < banks_.count; ++k) {
    banks_[k].row = kClosed;
    banks_[k].free = end;
  }
  refresh_due_ += t_->refi;
  ++time_.refreshes;
  consider_all();
}

/// Refreshes of a channel that has nothing else to do.
void BurstChannel::rest_until(Fs at) {
  while (refresh_due_ <= at) {
    refresh_all();
    if (refresh_due_ > at) return;
    const Fs rounds = (at - refresh_due_) / t_->refi;
    refresh_due_ += rounds * t_->refi;
    time_.refreshes += rounds;
  }
}

/// Opens the rows of the first candidate.
void BurstChannel::decide() {
  const Candidate chosen = candidates_[first_];
  candidates_[first_] = candidates_.back();
  candidates_.pop_back();
  first_ = 0;
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    const Candidate &each = candidates_[i], &first = candidates_[first_];
    if (each.from < first.from || (each.from == first.from && each.order < first.order)) first_ = i;
  }
  const Waiting& waiting = waiting_[chosen.slot];
  const Direction direction = waiting.visit.write ? kWrite : kRead;
  Opened opened = open(waiting.visit, {chosen.from, chosen.refreshed}, waiting.entered);
  opened.tag = waiting.tag;
  opened.arrival = waiting.arrival;
  opened.order = begun_++;
  begun_at_ = std::max(begun_at_, chosen.from);
  new_opened(opened);

  --undecided_[direction];
  leave_chains(chosen.slot, direction);
  waiting_[chosen.slot].tag = kNoTag;
  waiting_[chosen.slot].waits = false;
  waiting_[chosen.slot].next[0] = free_slot_;
  free_slot_ = chosen.slot;
  if (serving_ != kWrite) return;
  const bool drained = drain_ != 0 && --drain_ == 0;
  if (undecided_[kWrite] != 0 && !(drained && reads_wait())) return;
  drain_ = 0;
  writes_wait_since_ = chosen.from;
  serve(kRead, chosen.from + t_->clock);
}

/// Gives its activates their times.
BurstChannel::Opened BurstChannel::open(const RowVisit& visit, Availability banks, Fs entered) {
  const Direction direction = visit.write ? kWrite : kRead;
  const Fs spacing = t_->spacing[visit.groups >> 1];
  bool hit = true;
  Opened made{0, 0, banks.from, visit, 0, 0, 0, 0, false};
  Fs before = 0;  // columns of the banks before
  for (std::uint32_t k = 0; k < visit.touched(); ++k, before += spacing) {
    Bank& bank = banks_[bank_of(visit, k)];
    ++bank.pending;
    Fs unlimited = bank.opened;
    if (bank.row != visit.row) {
      hit = false;
      const bool conflict = bank.row != kClosed;
      unlimited = std::max(banks.from + (conflict ? t_->rp : 0), bank.opened + t_->rc);
      Fs& group = rrd_group_[visit.group(k)];
      const Fs activate =
          std::max(std::max(unlimited, rrd_any_), std::max(group, activates_[next_activate_ % 4]));
      rrd_any_ = activate + t_->rrd_short;
      group = activate + t_->rrd_long;
      activates_[next_activate_ % 4] = activate + t_->faw;
      ++next_activate_;
      bank.row = visit.row;
      bank.opened = activate;
      bank.free = activate + t_->ras;
      bank.by_conflict = conflict;
      ++time_.activates;
    }
    unlimited += t_->rcd[direction];
    const Fs ready = std::max(bank.opened + t_->rcd[direction], banks.from);
    const Fs column = ready - std::min(ready, before);
    if (column < made.ready) continue;
    made.ready = column;
    made.refresh = std::min(column, unlimited - std::min(unlimited, before));
    made.row = made.refresh - std::min(made.refresh, banks.refreshed);
    made.conflict = bank.by_conflict || banks.from > entered;
  }
  time_.row_hits += hit;
  ++time_.row_visits;
  return made;
}

void BurstChannel::leave_chains(Slot slot, Direction direction) {
  const Waiting& left = waiting_[slot];
  for (std::uint32_t k = 0; k < left.visit.touched(); ++k) {
    const std::uint32_t bank = bank_of(left.visit, k);
    Chain& chain = chains_[bank][direction];
    chain.head = left.next[k];
    if (chain.head == kNone) {
      chain.tail = kNone;
      queued_[direction] &= ~(std::uint64_t{1} << bank);
    } else if (--waiting_[chain.head].behind == 0) {
      consider(chain.head);
    }
  }
}

// ---------------------------------------------------------------- data bus

void BurstChannel::new_opened(const Opened& opened) {
  opened_.push_back(opened);
  const bool write = opened.visit.write;
  const bool none_before = ++opened_of_[write] == 1;
  if (opened_of_[!write] != 0) return find_column();
  const Fs at = std::max(opened.ready, bus_gate(opened.visit));
  if (none_before || at < column_.at || (at == column_.at && opened.order < opened_[column_.number].order))
    column_ = {at, opened_.size() - 1};
}

/// The first of a direction that can come.
BurstChannel::Column BurstChannel::first_column(bool write, Fs not_before) const {
  Column first;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    const Opened& each = opened_[i];
    if (each.visit.write != write) continue;
    const Fs at = std::max({each.ready, bus_gate(each.visit), not_before});
    if (at < first.at || (at == first.at && each.order < opened_[first.number].order)) first = {at, i};
  }
  return first;
}

/// Of the same direction as the last one as long as there is any, unless it has kept the other waiting.
void BurstChannel::find_column() {
  column_ = first_column(wrote_, 0);
  if (opened_of_[!wrote_] == 0) return;
  Fs begun = kNeverFs;
  for (const Opened& each : opened_)
    if (each.visit.write != wrote_) begun = std::min(begun, each.begun);
  if (opened_of_[wrote_] == 0)
    column_ = first_column(!wrote_, 0);
  else if (begun + t_->write_age <= column_.at)
    column_ = first_column(!wrote_, begun + t_->write_age);
}

void BurstChannel::move() {
  const Opened opened = opened_[column_.number];
  opened_[column_.number] = opened_.back();
  opened_.pop_back();
  --opened_of_[opened.visit.write];
  const Fs end = move(opened, column_.at);
  done.push_back({opened.tag, (end + 999) / 1000});
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
