// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/burst_channel.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/free_numbers.h"

namespace wafertlm {

BurstChannel::BurstChannel(const DramTiming& timing, const DramQueueParams& queue)
    : t_{timing.fs(timing.cl),
         timing.fs(timing.cwl),
         {timing.fs(timing.rcd_read), timing.fs(timing.rcd_write)},
         timing.fs(timing.rp),
         timing.fs(timing.ras),
         timing.fs(timing.rc),
         timing.fs(timing.wr),
         timing.fs(timing.rtp),
         timing.fs(timing.ccd_short),
         timing.fs(timing.ccd_long),
         timing.fs(timing.rrd_short),
         timing.fs(timing.rrd_long),
         timing.fs(timing.faw),
         timing.fs(timing.wtr_short),
         timing.fs(timing.wtr_long),
         timing.fs(timing.rtw),
         timing.fs(timing.rfc_bank),
         timing.fs(timing.refi),
         timing.fs(timing.burst),
         queue.write_idle_ps * 1000},
      queue_(queue),
      banks_per_group_(timing.banks_per_group),
      places_{queue.queue_visits, queue.write_high},
      banks_(timing.banks()),
      chains_{std::vector<Chain>(timing.banks()), std::vector<Chain>(timing.banks())} {
  queue.check();
  to_column_ = t_.rp + std::max(t_.rcd[kRead], t_.rcd[kWrite]) + t_.faw;
  put_off_most_ = t_.refi == 0 ? kNeverFs / 2 : queue.postponed_refreshes * t_.refi;
  for (std::uint32_t k = 0; k < 3; ++k) spacing_[k] = std::max(t_.ccd_short, t_.ccd_long >> k);
  for (std::uint32_t b = 0; b < banks_.size(); ++b)
    banks_[b].refresh_due = t_.refi == 0 ? kNeverFs / 2 : t_.refi * (b + 1) / banks_.size();
}

void BurstChannel::push(const RowVisit& visit, std::uint32_t tag, TimePs now) {
  const Fs at = std::max(now * 1000, clock_);
  const bool quiet = candidates_.empty() && backlog_.empty() && undecided_[kWrite] == 0;
  if (quiet && opened_.empty())
    clock_ = at;
  else
    run(at, false);
  if (quiet && !visit.write && candidates_.empty() && take_at_once(visit, tag, at)) return;
  backlog_.push_back({visit, tag, at});
  run(at, true);
}

void BurstChannel::run_until(TimePs until) {
  run(until > kNeverFs / 1000 ? kNeverFs : std::max(until * 1000, clock_), false);
}

TimePs BurstChannel::next_ps() const {
  Fs next = std::min(next_admission(), next_switch());
  for (const Candidate& each : candidates_) next = std::min(next, each.from);
  if (next != kNeverFs) next += std::min(t_.cl, t_.cwl) + t_.burst;
  if (!opened_.empty()) {
    const Column column = next_column();
    next = std::min(next, column.at + (opened_[column.number].visit.write ? t_.cwl : t_.cl) + t_.burst);
  }
  return next == kNeverFs ? kNever : (next + 999) / 1000;
}

void BurstChannel::run(Fs until, bool at_end) {
  if (until != kNeverFs) clock_ = std::max(clock_, until);
  while (true) {
    const Fs admission = next_admission(), turn = next_switch();
    Fs from = kNeverFs;
    std::size_t first = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& each = candidates_[i];
      if (each.from < from || (each.from == from && each.order < candidates_[first].order)) {
        from = each.from;
        first = i;
      }
    }
    const Column column = next_column();
    const Fs next = std::min({admission, turn, from, column.at});
    if (next == kNeverFs) return;
    if ((next > until || (next == until && !at_end)) && backlog_.empty()) {
      if (column.at != kNeverFs && only_waits_for_the_bus(column))
        move(column);
      else if (from != kNeverFs && column.at == kNeverFs && long_before_the_bus(from))
        decide(first);
      else
        return;
    } else if (next == admission) {
      admit(next);
    } else if (next == turn) {
      serve(kWrite, next);
    } else if (next == from) {
      decide(first);
    } else {
      move(column);
    }
  }
}

/// Of the first that waits; kNever if that depends on what is not decided.
BurstChannel::Fs BurstChannel::next_admission() const {
  if (backlog_.empty()) return kNeverFs;
  const Arrival& first = backlog_.front();
  const Direction direction = first.visit.write ? kWrite : kRead;
  const Fs at = std::max(first.at, last_admission_);
  if (held_[direction] < places_[direction]) return at;
  if (direction == kWrite && !forced_ && undecided_[kWrite] > queue_.write_low)
    return at;  // the drain begins
  return leaves_[direction].empty() ? kNeverFs : std::max(at, leaves_[direction].front());
}

/// When the writes go out for want of reads.
BurstChannel::Fs BurstChannel::next_switch() const {
  if (serving_ == kWrite || undecided_[kWrite] == 0 || undecided_[kRead] != 0 || !backlog_.empty())
    return kNeverFs;
  return std::max({last_read_ + t_.write_idle, serving_since_, last_admission_});
}

void BurstChannel::admit(Fs at) {
  const Arrival first = backlog_.front();
  const Direction direction = first.visit.write ? kWrite : kRead;
  last_admission_ = at;
  RingQueue<Fs>& leaves = leaves_[direction];
  for (; !leaves.empty() && leaves.front() <= at; leaves.pop_front()) --held_[direction];
  if (held_[direction] >= places_[direction]) {  // a write finds none, and there are enough to drain
    forced_ = true;
    if (serving_ != kWrite) serve(kWrite, at);
    return;
  }
  backlog_.pop_front();
  ++held_[direction];
  ++undecided_[direction];
  if (direction == kRead && serving_ == kWrite && !forced_) serve(kRead, at);
  if (direction == kWrite)
    done.push_back({first.tag, (at + t_.cwl + t_.burst +
                                (first.visit.accesses - 1) * spacing_[first.visit.groups >> 1] + 999) /
                                   1000});
  const Slot slot = take_number(waiting_, free_slots_);
  Waiting& waiting = waiting_[slot];
  waiting = {first.visit, first.tag, first.at, at, order_++, false, 0, {kNone, kNone, kNone, kNone}};
  for (std::uint32_t k = 0; k < first.visit.touched(); ++k) {
    Chain& chain = chains_[direction][bank_of(first.visit, k)];
    if (chain.head == kNone) {
      chain.head = slot;
    } else {
      ++waiting.behind;
      Waiting& last = waiting_[chain.tail];
      for (std::uint32_t j = 0; j < last.visit.touched(); ++j)
        if (last.visit.group(j) == first.visit.group(k)) last.next[j] = slot;
    }
    chain.tail = slot;
  }
  if (waiting.behind == 0 && serving_ == direction) consider(slot);
}

/// From `at` on rows are opened for that direction.
void BurstChannel::serve(Direction direction, Fs at) {
  serving_ = direction;
  serving_since_ = at;
  for (const Candidate& each : candidates_) waiting_[each.slot].candidate = false;
  candidates_.clear();
  for (std::uint32_t b = 0; b < banks_.size(); ++b) {
    const Slot slot = chains_[direction][b].head;
    if (slot == kNone) continue;
    waiting_[slot].entered = std::max(waiting_[slot].entered, at);
    if (waiting_[slot].behind == 0 && bank_of(waiting_[slot].visit, 0) == b) consider(slot);
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
  candidates_.push_back({banks.from, waiting.order, slot, banks.refreshed});
}

BurstChannel::Availability BurstChannel::available(const RowVisit& visit, Fs entered) {
  Availability banks{entered, 0};
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    Bank& bank = banks_[bank_of(visit, k)];
    if (bank.pending != 0) continue;
    const Fs before = std::max(entered, bank.row == visit.row ? 0 : bank.free);
    if (std::max(bank.refresh_due, bank.free) < entered ||
        std::max(entered, bank.free) >= bank.refresh_due + put_off_most_)
      refresh(bank, entered);
    const Fs from = std::max(entered, bank.row == visit.row ? 0 : bank.free);
    if (from > banks.from) banks = {from, from - std::min(from, before)};
  }
  return banks;
}

/// A read that finds nobody before it and its banks free: the usual case, without any queue.
bool BurstChannel::take_at_once(const RowVisit& visit, std::uint32_t tag, Fs at) {
  RingQueue<Fs>& leaves = leaves_[kRead];
  for (; !leaves.empty() && leaves.front() <= at; leaves.pop_front()) --held_[kRead];
  if (held_[kRead] >= places_[kRead] || serving_ != kRead) return false;
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const Bank& bank = banks_[bank_of(visit, k)];
    if (bank.row != visit.row && bank.pending != 0) return false;
  }
  last_admission_ = at;
  const Availability banks = available(visit, at);
  if (banks.from > at && !(opened_.empty() && long_before_the_bus(banks.from))) {
    backlog_.push_back({visit, tag, at});
    run(at, true);
    return true;
  }
  ++held_[kRead];
  Opened opened = open(visit, banks, at);
  opened.tag = tag;
  opened.arrival = at;
  opened.order = order_++;
  const Fs column = std::max(opened.ready, bus_gate(visit));
  if (opened_.empty() && !wrote_ && column <= bus_gate(false)) {
    move(opened, column);
  } else {
    opened_.push_back(opened);
    ++opened_of_[kRead];
    run(at, true);
  }
  return true;
}

/// Catches up with the refreshes of a bank that a visit needs which came in at `entered`.
void BurstChannel::refresh(Bank& bank, Fs entered) {
  const auto once = [&](Fs start) {
    bank.free = start + (bank.row == kClosed ? 0 : t_.rp) + t_.rfc;
    bank.row = kClosed;
    bank.refresh_due += t_.refi;
    ++time_.refreshes;
  };
  if (entered > bank.refresh_due + 32 * t_.refi && bank.free < bank.refresh_due) {  // a long rest
    const Fs rounds = (entered - bank.refresh_due) / t_.refi - 2;
    bank.refresh_due += rounds * t_.refi;
    time_.refreshes += rounds;
    bank.row = kClosed;
  }
  while (std::max(bank.refresh_due, bank.free) < entered) once(std::max(bank.refresh_due, bank.free));
  // Put off while the bank was asked for, but not for ever.
  const Fs now = std::max(entered, bank.free);
  if (now >= bank.refresh_due + put_off_most_) once(now);
}

void BurstChannel::decide(std::size_t candidate) {
  const Candidate chosen = candidates_[candidate];
  candidates_[candidate] = candidates_.back();
  candidates_.pop_back();
  const Waiting& waiting = waiting_[chosen.slot];
  const Direction direction = waiting.visit.write ? kWrite : kRead;
  Opened opened = open(waiting.visit, {chosen.from, chosen.refreshed}, waiting.entered);
  opened.tag = waiting.tag;
  opened.arrival = waiting.arrival;
  opened.order = waiting.order;
  opened_.push_back(opened);
  ++opened_of_[direction];

  --undecided_[direction];
  leave_chains(chosen.slot, direction);
  free_slots_.push_back(chosen.slot);
  if (serving_ == kWrite &&
      (undecided_[kWrite] == 0 || (forced_ && undecided_[kWrite] <= queue_.write_low))) {
    forced_ = false;
    serve(kRead, chosen.from);
  }
}

/// Gives its activates their times.
BurstChannel::Opened BurstChannel::open(const RowVisit& visit, Availability banks, Fs entered) {
  const Direction direction = visit.write ? kWrite : kRead;
  const Fs spacing = spacing_[visit.groups >> 1];
  bool hit = true;
  Opened made{0, 0, visit, 0, 0, 0, 0, false};
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    Bank& bank = banks_[bank_of(visit, k)];
    ++bank.pending;
    Fs unlimited = bank.opened;
    if (bank.row != visit.row) {
      hit = false;
      const bool conflict = bank.row != kClosed;
      unlimited = std::max(banks.from + (conflict ? t_.rp : 0), bank.activate);
      Fs& group = rrd_group_[visit.group(k)];
      const Fs activate = std::max({unlimited, rrd_any_, group, activates_[next_activate_]});
      rrd_any_ = activate + t_.rrd_short;
      group = activate + t_.rrd_long;
      activates_[next_activate_] = activate + t_.faw;
      next_activate_ = (next_activate_ + 1) % 4;
      bank.row = visit.row;
      bank.opened = activate;
      bank.activate = activate + t_.rc;
      bank.free = activate + t_.ras;
      bank.by_conflict = conflict;
      ++time_.activates;
    }
    unlimited += t_.rcd[direction];
    const Fs ready = std::max(bank.opened + t_.rcd[direction], banks.from);
    const Fs column = ready - std::min(ready, k * spacing);
    if (column < made.ready) continue;
    made.ready = column;
    made.refresh = std::min(column, unlimited - std::min(unlimited, k * spacing));
    made.row = made.refresh - std::min(made.refresh, banks.refreshed);
    made.conflict = bank.by_conflict || banks.from > entered;
  }
  if (hit) ++time_.row_hits;
  ++time_.row_visits;
  return made;
}

void BurstChannel::leave_chains(Slot slot, Direction direction) {
  const Waiting& left = waiting_[slot];
  for (std::uint32_t k = 0; k < left.visit.touched(); ++k) {
    Chain& chain = chains_[direction][bank_of(left.visit, k)];
    chain.head = left.next[k];
    if (chain.head == kNone)
      chain.tail = kNone;
    else if (--waiting_[chain.head].behind == 0)
      consider(chain.head);
  }
}

BurstChannel::Fs BurstChannel::bus_gate(const RowVisit& visit) const {
  const std::uint32_t group = visit.group(0);
  const Fs gate = std::max(bus_gate(visit.write), column_group_[group]);
  return visit.write ? gate : std::max(gate, write_to_read_group_[group]);
}

/// The first that can come, of the same direction as the last one as long as there is any.
BurstChannel::Column BurstChannel::next_column() const {
  Column first{kNeverFs, 0};
  if (opened_.empty()) return first;
  const bool write = opened_of_[wrote_] != 0 ? wrote_ : !wrote_;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    const Opened& each = opened_[i];
    if (each.visit.write != write) continue;
    const Fs at = std::max(each.ready, bus_gate(each.visit));
    if (at < first.at || (at == first.at && each.order < opened_[first.number].order)) first = {at, i};
  }
  return first;
}

/// Whoever arrives before a row that is opened from `from` on is behind it on the bus all the same.
bool BurstChannel::long_before_the_bus(Fs from) const {
  return serving_ == wrote_ && from + to_column_ <= bus_gate(wrote_);
}

bool BurstChannel::only_waits_for_the_bus(const Column& column) const {
  const bool write = opened_[column.number].visit.write;
  return write == wrote_ && column.at <= bus_gate(write);
}

void BurstChannel::move(const Column& chosen) {
  const Opened opened = opened_[chosen.number];
  opened_[chosen.number] = opened_.back();
  opened_.pop_back();
  --opened_of_[opened.visit.write];
  move(opened, chosen.at);
}

/// Gives a visit its place on the data bus.
void BurstChannel::move(const Opened& opened, Fs column) {
  const RowVisit& visit = opened.visit;
  const Fs to_data = visit.write ? t_.cwl : t_.cl, spacing = spacing_[visit.groups >> 1];
  const bool turns = visit.write != wrote_ && time_.busy_fs != 0;
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
  wait(opened.row, opened.conflict ? DramLoss::row_conflict : DramLoss::row_closed);
  wait(opened.refresh, DramLoss::refresh);
  wait(column, DramLoss::activate_rate);

  const std::uint32_t n = visit.accesses;
  const Fs last = column + (n - 1) * spacing;
  const Fs end = last + to_data + t_.burst;
  time_.busy_fs += n * t_.burst;
  time_.lost(DramLoss::bank_group) += end - cursor - n * t_.burst;
  if (turns) ++time_.turns;
  bus_end_ = end;
  wrote_ = visit.write;
  column_any_ = last + t_.ccd_short;
  if (visit.write) {
    write_to_read_ = last + t_.cwl + t_.burst + t_.wtr_short;
    time_.accesses_written += n;
  } else {
    read_to_write_ = last + t_.rtw;
    last_read_ = last;
    time_.accesses_read += n;
    done.push_back({opened.tag, (end + 999) / 1000});
  }
  leaves_[visit.write].push_back(last);
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const std::uint32_t group = visit.group(k), number = bank_of(visit, k);
    const Fs at = column + (k + (n - 1 - k) / visit.groups * visit.groups) * spacing;
    column_group_[group] = at + t_.ccd_long;
    Bank& bank = banks_[number];
    if (visit.write) {
      write_to_read_group_[group] = at + t_.cwl + t_.burst + t_.wtr_long;
      bank.free = std::max(bank.free, at + t_.cwl + t_.burst + t_.wr);
    } else {
      bank.free = std::max(bank.free, at + t_.rtp);
    }
    if (--bank.pending != 0) continue;
    const Slot next = chains_[serving_][number].head;
    if (next != kNone && waiting_[next].behind == 0) consider(next);
  }
}

}  // namespace wafertlm
