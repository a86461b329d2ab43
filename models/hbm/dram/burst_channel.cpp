// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/burst_channel.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

BurstTimes::BurstTimes(const DramTiming& timing, const DramQueueParams& queue)
    : to_data{timing.fs(timing.cl), timing.fs(timing.cwl)},
      rcd{timing.fs(timing.rcd_read), timing.fs(timing.rcd_write)},
      rp(timing.fs(timing.rp)),
      ras(timing.fs(timing.ras)),
      rc(timing.fs(timing.rc)),
      rrd_short(timing.fs(timing.rrd_short)),
      rrd_long(timing.fs(timing.rrd_long)),
      faw(timing.fs(timing.faw)),
      burst(timing.fs(timing.burst)),
      rfc(timing.fs(timing.rfc_bank)),
      refi(timing.fs(timing.refi)),
      put_off_most(refi == 0 ? kNeverFs / 2 : queue.postponed_refreshes * refi),
      write_idle(queue.write_idle_ps * 1000),
      places{queue.queue_visits, queue.write_high},
      write_low(queue.write_low),
      banks(timing.banks()),
      banks_per_group(timing.banks_per_group) {
  queue.check();
  if (timing.bank_groups > kGroups || timing.banks_per_group > kMostBanks / kGroups)
    throw std::invalid_argument("the burst level knows pseudo-channels of up to 4 bank groups of 16 banks");
  const Fs ccd_short = timing.fs(timing.ccd_short), ccd_long = timing.fs(timing.ccd_long),
           written = to_data[1] + burst;
  for (std::uint32_t k = 0; k < 3; ++k) spacing[k] = std::max(ccd_short, ccd_long >> k);
  for (const int d : {0, 1}) to_end[d] = to_data[d] + burst;
  next_any[0][0] = next_any[1][1] = ccd_short;
  next_any[0][1] = std::max(ccd_short, timing.fs(timing.rtw));
  next_any[1][0] = std::max(ccd_short, written + timing.fs(timing.wtr_short));
  next_group[0][0] = next_group[0][1] = next_group[1][1] = ccd_long;
  next_group[1][0] = std::max(ccd_long, written + timing.fs(timing.wtr_long));
  to_free[0] = timing.fs(timing.rtp);
  to_free[1] = written + timing.fs(timing.wr);
  to_column = rp + std::max(rcd[0], rcd[1]) + faw;
}

BurstChannel::BurstChannel(const BurstTimes& times, bool shortcuts)
    : t_(&times),
      shortcuts_(shortcuts),
      chains_(times.banks_per_group * BurstTimes::kGroups),
      banks_(times.banks_per_group * BurstTimes::kGroups) {
  for (std::uint32_t group = 0; group < BurstTimes::kGroups; ++group)
    for (std::uint32_t bank = 0; bank < t_->banks_per_group; ++bank) {
      Bank& of = banks_[bank * BurstTimes::kGroups + group];
      of.opened = Fs{0} - t_->rc;
      of.refresh_due =
          t_->refi == 0 ? kNeverFs / 2 : t_->refi * (group * t_->banks_per_group + bank + 1) / t_->banks;
    }
}

DramTime BurstChannel::time() const {
  DramTime time = time_;
  time.busy_fs = (time.accesses_read + time.accesses_written) * t_->burst;
  return time;
}

/// Of a stream: a read that finds nobody before it, and its rows open before the data bus is free. Then
/// nothing can come in between. Returns its end, or 0 if it is another one. The same sums as those of open()
/// and move(), of which most are nothing here.
template <std::uint32_t kBanks>
BurstChannel::Fs BurstChannel::stream(const RowVisit& visit, Fs at) {
  const BurstTimes& t = *t_;
  const std::uint32_t n = visit.accesses, row = visit.row;
  Bank* const banks = &banks_[visit.bank * BurstTimes::kGroups];
  const Fs column = any_[kRead], spacing = t.spacing[visit.groups >> 1];
  std::uint32_t group[kBanks];
  bool other[kBanks];  // rows are to be opened
  Fs from = at;
  for (std::uint32_t k = 0; k < kBanks; ++k) {
    group[k] = visit.group(k);
    Bank& bank = banks[group[k]];
    if (__builtin_expect(is_refreshed(bank, at), 0)) refresh(bank, at);
    other[k] = bank.row != row;
    if (other[k]) from = std::max(from, bank.free);
  }
  if (from > at && from + t.to_column > column) return 0;
  Fs activate[kBanks], rrd = rrd_any_, late = group_[kRead][group[0]];
  std::uint32_t next = next_activate_;
  for (std::uint32_t k = 0; k < kBanks; ++k) {
    const Bank& bank = banks[group[k]];
    activate[k] = bank.opened;
    if (other[k]) {
      const Fs free = std::max(from + (bank.row == kClosed ? 0 : t.rp), bank.opened + t.rc);
      activate[k] = std::max(std::max(free, rrd), std::max(rrd_group_[group[k]], activates_[next++ % 4]));
      rrd = activate[k] + t.rrd_short;
    }
    late = std::max(late, std::max(activate[k] + t.rcd[kRead], from) - k * spacing);
  }
  if (late > column) return 0;

  const Fs last = column + (n - 1) * spacing, end = last + t.to_end[kRead];
  const Fs asked = std::max(bus_end_, std::min(at, column) + t.to_data[kRead]);
  time_.lost(DramLoss::no_request) += asked - bus_end_;
  time_.lost(DramLoss::bank_group) += end - asked - n * t.burst;
  ++time_.row_visits;
  time_.accesses_read += n;
  time_.row_hits += next == next_activate_;
  time_.activates += next - next_activate_;
  // The last k-th accesses in a round of the groups, from the end.
  const Fs in_last_round = column + ((n - 1) & ~(visit.groups - 1U)) * spacing;
  for (std::uint32_t k = 0; k < kBanks; ++k) {
    Bank& bank = banks[group[k]];
    const Fs round = ((n - 1) & (visit.groups - 1U)) >= k ? 0 : visit.groups * spacing;
    const Fs its_last = in_last_round + k * spacing - round;
    Fs free = bank.free;
    if (other[k]) {
      bank.by_conflict = bank.row != kClosed;
      bank.row = row;
      bank.opened = activate[k];
      free = activate[k] + t.ras;
      rrd_group_[group[k]] = activate[k] + t.rrd_long;
      activates_[next_activate_++ % 4] = activate[k] + t.faw;
    }
    bank.free = std::max(free, its_last + t.to_free[kRead]);
    const Fs gate = its_last + t.next_group[kRead][kRead];
    group_[kWrite][group[k]] = gate;
    group_[kRead][group[k]] = std::max(group_[kRead][group[k]], gate);
  }
  rrd_any_ = rrd;
  any_[kRead] = last + t.next_any[kRead][kRead];
  any_[kWrite] = last + t.next_any[kRead][kWrite];
  bus_end_ = end;
  last_read_ = last;
  last_admission_ = at;
  ++order_;
  ++held_[kRead];
  leaves_[kRead].push_back(last);
  return end;
}

TimePs BurstChannel::push(const RowVisit& visit, std::uint32_t tag, TimePs now) {
  const Fs at = std::max(now * 1000, clock_);
  if (next_ < at) run(at, false);
  clock_ = at;
  if (!visit.write && shortcuts_ && backlog_.empty() && (undecided_[kRead] | undecided_[kWrite]) == 0 &&
      serving_ == kRead && serving_since_ <= at && last_admission_ <= at && has_place(kRead, at)) {
    if (opened_.empty() && !wrote_)
      if (const Fs end = visit.touched() == 2   ? stream<2>(visit, at)
                         : visit.touched() == 1 ? stream<1>(visit, at)
                                                : 0;
          end != 0)
        return (end + 999) / 1000;
    if (const Fs end = take_at_once(visit, tag, at); end != 0)
      return end == kNeverFs ? kNever : (end + 999) / 1000;
  }
  const Arrival arrival{visit, tag, at};
  if (!backlog_.empty() || last_admission_ > at || !has_place(visit.write ? kWrite : kRead, at)) {
    backlog_.push_back(arrival);
    run(at, true);
    return kNever;
  }
  admit(arrival, at);
  run(at, true);
  return visit.write ? buffered(arrival, at) : kNever;
}

void BurstChannel::run_until(TimePs until) {
  const Fs at = until > kNeverFs / 1000 ? kNeverFs : std::max(until * 1000, clock_);
  if (next_ < at)
    run(at, false);
  else if (at != kNeverFs)
    clock_ = at;
}

TimePs BurstChannel::next_ps() const {
  Fs next = std::min({next_admission(), next_switch(), next_candidate()});
  if (next != kNeverFs) next += std::min(t_->to_end[kRead], t_->to_end[kWrite]);
  if (column_.at != kNeverFs)
    next = std::min(next, column_.at + t_->to_end[opened_[column_.number].visit.write]);
  return next == kNeverFs ? kNever : (next + 999) / 1000;
}

void BurstChannel::run(Fs until, bool at_end) {
  if (until != kNeverFs) clock_ = std::max(clock_, until);
  while (true) {
    const Fs from = next_candidate();
    // What is certain comes first, whoever asks and when.
    if (column_.at != kNeverFs && only_waits_for_the_bus()) {
      move();
      continue;
    }
    if (column_.at == kNeverFs && from != kNeverFs && long_before_the_bus(from)) {
      decide();
      continue;
    }
    const Fs admission = next_admission(), turn = next_switch();
    next_ = std::min(std::min(admission, turn), std::min(from, column_.at));
    if (next_ == kNeverFs || ((next_ > until || (next_ == until && !at_end)) && backlog_.empty())) return;
    if (next_ == admission) {
      admit(admission);
    } else if (next_ == turn) {
      serve(kWrite, turn);
    } else if (next_ == from) {
      decide();
    } else {
      move();
    }
  }
}

/// Of the first that waits; kNever if that depends on what is not decided.
BurstChannel::Fs BurstChannel::next_admission() const {
  if (backlog_.empty()) return kNeverFs;
  const Arrival& first = backlog_.front();
  const Direction direction = first.visit.write ? kWrite : kRead;
  const Fs at = std::max(first.at, last_admission_);
  if (held_[direction] < t_->places[direction]) return at;
  if (direction == kWrite && !forced_ && undecided_[kWrite] > t_->write_low) return at;  // the drain begins
  return leaves_[direction].empty() ? kNeverFs : std::max(at, leaves_[direction].front());
}

/// When the writes go out for want of reads.
BurstChannel::Fs BurstChannel::next_switch() const {
  if (serving_ == kWrite || undecided_[kWrite] == 0 || undecided_[kRead] != 0 || !backlog_.empty())
    return kNeverFs;
  return std::max({last_read_ + t_->write_idle, serving_since_, last_admission_});
}

bool BurstChannel::has_place(Direction direction, Fs at) {
  RingQueue<Fs>& leaves = leaves_[direction];
  for (; !leaves.empty() && leaves.front() <= at; leaves.pop_front()) --held_[direction];
  return held_[direction] < t_->places[direction];
}

/// The first that waits.
void BurstChannel::admit(Fs at) {
  const Arrival first = backlog_.front();
  last_admission_ = at;
  if (!has_place(first.visit.write ? kWrite : kRead, at)) {  // a write, and there are enough to drain
    forced_ = true;
    if (serving_ != kWrite) serve(kWrite, at);
    return;
  }
  backlog_.pop_front();
  admit(first, at);
  if (first.visit.write) done.push_back({first.tag, buffered(first, at)});
}

/// When the data of a write is in the buffer.
TimePs BurstChannel::buffered(const Arrival& write, Fs at) const {
  const RowVisit& visit = write.visit;
  return (at + t_->to_end[kWrite] + (visit.accesses - 1) * t_->spacing[visit.groups >> 1] + 999) / 1000;
}

void BurstChannel::admit(const Arrival& arrival, Fs at) {
  const Direction direction = arrival.visit.write ? kWrite : kRead;
  last_admission_ = at;
  ++held_[direction];
  ++undecided_[direction];
  if (direction == kRead && serving_ == kWrite && !forced_) serve(kRead, at);
  enter(arrival, at);
}

/// Behind the others in its banks.
void BurstChannel::enter(const Arrival& arrival, Fs at) {
  const Direction direction = arrival.visit.write ? kWrite : kRead;
  Slot slot = free_slot_;
  if (slot == kNone) {
    slot = static_cast<Slot>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_slot_ = waiting_[slot].next[0];
  }
  Waiting& waiting = waiting_[slot];
  waiting = {arrival.visit,
             arrival.visit.write ? kNoTag : arrival.tag,
             arrival.at,
             at,
             order_++,
             0,
             false,
             true,
             {kNone, kNone, kNone, kNone}};
  for (std::uint32_t k = 0; k < arrival.visit.touched(); ++k) {
    const std::uint32_t bank = bank_of(arrival.visit, k);
    Chain& chain = chains_[bank][direction];
    if (chain.head == kNone) {
      chain.head = slot;
      queued_[direction] |= std::uint64_t{1} << bank;
    } else {
      ++waiting.behind;
      Waiting& last = waiting_[chain.tail];
      for (std::uint32_t j = 0; j < last.visit.touched(); ++j)
        if (last.visit.group(j) == arrival.visit.group(k)) last.next[j] = slot;
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
  for (std::uint64_t left = queued_[direction]; left != 0; left &= left - 1) {
    const auto bank = static_cast<std::uint32_t>(__builtin_ctzll(left));
    const Slot slot = chains_[bank][direction].head;
    Waiting& waiting = waiting_[slot];
    waiting.entered = std::max(waiting.entered, at);
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

/// A read that finds nobody waiting: if its banks are free, the usual case, without any queue. Returns its
/// end, kNeverFs if that is not certain yet, and 0 if it has to wait as the others do.
BurstChannel::Fs BurstChannel::take_at_once(const RowVisit& visit, std::uint32_t tag, Fs at) {
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const Bank& bank = banks_[bank_of(visit, k)];
    if (bank.row != visit.row && bank.pending != 0) return 0;
  }
  const Availability banks = available(visit, at);
  if (banks.from > at && !(opened_.empty() && long_before_the_bus(banks.from))) return 0;
  last_admission_ = at;
  ++held_[kRead];
  Opened opened = open(visit, banks, at);
  opened.tag = tag;
  opened.arrival = at;
  opened.order = order_++;
  if (opened_.empty() && !wrote_) {
    const Fs column = std::max(opened.ready, bus_gate(visit));
    if (column <= any_[kRead]) return move(opened, column);
  }
  new_opened(opened);
  run(at, true);
  return kNeverFs;
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
  opened.order = waiting.order;
  new_opened(opened);

  --undecided_[direction];
  leave_chains(chosen.slot, direction);
  waiting_[chosen.slot].tag = kNoTag;
  waiting_[chosen.slot].waits = false;
  waiting_[chosen.slot].next[0] = free_slot_;
  free_slot_ = chosen.slot;
  if (serving_ == kWrite && (undecided_[kWrite] == 0 || (forced_ && undecided_[kWrite] <= t_->write_low))) {
    forced_ = false;
    serve(kRead, chosen.from);
  }
}

/// Gives its activates their times.
BurstChannel::Opened BurstChannel::open(const RowVisit& visit, Availability banks, Fs entered) {
  const Direction direction = visit.write ? kWrite : kRead;
  const Fs spacing = t_->spacing[visit.groups >> 1];
  bool hit = true;
  Opened made{0, 0, visit, 0, 0, 0, 0, false};
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

void BurstChannel::new_opened(const Opened& opened) {
  opened_.push_back(opened);
  const bool write = opened.visit.write;
  const bool none_before = ++opened_of_[write] == 1;
  if (write != wrote_ && opened_of_[wrote_] != 0) return;
  const Fs at = std::max(opened.ready, bus_gate(opened.visit));
  if (none_before || at < column_.at || (at == column_.at && opened.order < opened_[column_.number].order))
    column_ = {at, opened_.size() - 1};
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
