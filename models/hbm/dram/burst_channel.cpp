// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/burst_channel.h"

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
  if (timing.bank_groups > kGroups || timing.banks_per_group > kMaxBanks / kGroups)
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

/// What only bounds times from below and was over when the first visit came that is not decided yet (or is
/// over `now`, if there is none) is 0: it bounds nothing any more. Visits are told in their order, wherever
/// they are kept. What follows from the rest (chains, the next column) is left out.
void BurstChannel::describe(TimePs now, std::uint32_t request_shift, std::vector<std::uint64_t>& state) {
  run_until(now);
  Fs at = now * 1000;
  for (std::size_t k = 0; k < backlog_.size(); ++k) at = std::min(at, backlog_[k].at);
  for (const Waiting& each : waiting_)
    if (each.waits) at = std::min(at, each.arrival);
  for (const Opened& each : opened_) at = std::min(at, each.arrival);
  const auto bound = [at](Fs time) { return time < at ? 0 : time; };
  const std::uint32_t banks = t_->banks_per_group * BurstTimes::kGroups;
  for (const Direction direction : {kRead, kWrite}) has_place(direction, now * 1000);
  const std::size_t begin = state.size();
  state.resize(begin + 32 + leaves_[kRead].size() + leaves_[kWrite].size() + 5 * banks + 3 * backlog_.size() +
               6 * waiting_.size() + 7 * opened_.size());
  std::uint64_t* to = state.data() + begin;
  const auto add_visit = [&](const RowVisit& visit, std::uint32_t tag) {
    *to++ = std::uint64_t{visit.row} << 32 | (tag == kNoTag ? kNoTag : tag >> request_shift);
    *to++ = std::uint64_t{visit.accesses} << 32 | std::uint32_t{visit.bank} << 24 |
            std::uint32_t{visit.groups} << 16 | std::uint32_t{visit.base_group} << 8 |
            std::uint32_t{visit.first} << 1 | (visit.write ? 1U : 0U);
  };

  *to++ = (wrote_ ? 1U : 0U) | ((time_.accesses_read | time_.accesses_written) != 0 ? 2U : 0U) |
          (forced_ ? 4U : 0U) | std::uint32_t{serving_} << 3;
  *to++ = bound(clock_);
  *to++ = bus_end_ > at + std::min(t_->to_data[kRead], t_->to_data[kWrite]) ? bus_end_ : 0;
  *to++ = last_read_ + t_->write_idle < at ? 0 : last_read_;
  for (const Fs each : {last_admission_, serving_since_, rrd_any_}) *to++ = bound(each);
  for (const Fs each : rrd_group_) *to++ = bound(each);
  for (std::uint32_t k = 0; k < 4; ++k) *to++ = bound(activates_[(next_activate_ + k) % 4]);
  for (const Direction direction : {kRead, kWrite}) {
    *to++ = std::uint64_t{undecided_[direction]} << 16 | held_[direction];
    *to++ = bound(any_[direction]);
    for (const Fs each : group_[direction]) *to++ = bound(each);
    for (std::size_t k = 0; k < leaves_[direction].size(); ++k) *to++ = leaves_[direction][k];
  }

  const Fs rcd = std::max(t_->rcd[kRead], t_->rcd[kWrite]);
  for (std::uint32_t k = 0; k < banks; ++k) {
    const Bank& bank = banks_[k];
    const bool opens = bank.row != kClosed && bank.opened + rcd >= at;
    *to++ = std::uint64_t{bank.row} << 32 | std::uint32_t{bank.pending} << 1 |
            (opens && bank.by_conflict ? 1U : 0U);
    *to++ = bank.refresh_due;
    *to++ = bound(bank.free);
    *to++ = opens || bank.opened + t_->rc >= at ? bank.opened : 0;
    if (bank.refresh_due >= at) continue;
    // Of refreshes that are due the first counts, unless all of it is over.
    const Fs start = std::max(bank.refresh_due, bank.free), over = start + t_->rp + t_->rfc;
    *to++ = over >= at || over > bank.refresh_due + t_->refi ? start : 0;
  }

  for (std::size_t k = 0; k < backlog_.size(); ++k) {
    add_visit(backlog_[k].visit, backlog_[k].tag);
    *to++ = backlog_[k].at;
  }
  if ((undecided_[kRead] | undecided_[kWrite]) != 0) {
    in_order_.clear();
    for (Slot k = 0; k < waiting_.size(); ++k)
      if (waiting_[k].waits) in_order_.emplace_back(waiting_[k].order, k);
    std::sort(in_order_.begin(), in_order_.end());
    for (const auto& [order, slot] : in_order_) {
      const Waiting& each = waiting_[slot];
      add_visit(each.visit, each.tag);
      *to++ = each.arrival;
      *to++ = each.entered << 1 | (each.candidate ? 1U : 0U);
      if (!each.candidate) continue;
      const auto candidate = std::find_if(candidates_.begin(), candidates_.end(),
                                          [s = slot](const Candidate& of) { return of.slot == s; });
      *to++ = candidate->from;
      *to++ = candidate->refreshed;
    }
  }
  in_order_.clear();
  for (std::size_t k = 0; k < opened_.size(); ++k)
    in_order_.emplace_back(opened_[k].order, static_cast<Slot>(k));
  std::sort(in_order_.begin(), in_order_.end());
  for (const auto& [order, k] : in_order_) {
    const Opened& each = opened_[k];
    add_visit(each.visit, each.tag);
    for (const Fs time : {each.ready, each.arrival, each.row, each.refresh}) *to++ = time;
    *to++ = each.conflict ? 1 : 0;
  }
  in_order_.clear();  // a copy of this channel need not copy it
  state.resize(static_cast<std::size_t>(to - state.data()));
}

}  // namespace wafertlm
