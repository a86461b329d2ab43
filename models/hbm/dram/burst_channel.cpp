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
      rfc(timing.fs(queue.refresh == DramRefresh::all_bank ? timing.rfc_all : timing.rfc_bank)),
      refi(timing.fs(timing.refi)),
      put_off_most(refi == 0 ? kNeverFs / 2 : queue.postponed_refreshes * refi),
      write_age(timing.fs(1) * timing.edge(queue.write_age_ps)),
      clock(timing.clock_fs),
      places{queue.queue_visits, queue.write_high},
      write_low(queue.write_low),
      banks(timing.banks()),
      banks_per_group(timing.banks_per_group),
      refresh_all(queue.refresh == DramRefresh::all_bank && timing.refi != 0) {
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
  refresh_due_ = t_->refresh_all ? t_->refi : kNeverFs;
  for (std::uint32_t group = 0; group < BurstTimes::kGroups; ++group)
    for (std::uint32_t bank = 0; bank < t_->banks_per_group; ++bank) {
      Bank& of = banks_[bank * BurstTimes::kGroups + group];
      of.opened = Fs{0} - t_->rc;
      of.refresh_due =
          t_->refi == 0 || t_->refresh_all
              ? kNeverFs / 2
              : t_->refi / t_->clock * (group * t_->banks_per_group + bank + 1) / t_->banks * t_->clock;
    }
}

DramTime BurstChannel::time() const {
  DramTime time = time_;
  time.busy_fs = (time.accesses_read + time.accesses_written) * t_->burst;
  return time;
}

void BurstChannel::run_until(TimePs until) {
  const Fs at = until > kNeverFs / 2000 ? kNeverFs : std::max(t_->edge(until), clock_);
  if (next_ < at)
    run(at, false);
  else if (at != kNeverFs)
    clock_ = at;
}

TimePs BurstChannel::next_ps() const {
  Fs next = std::min({next_admission(), next_switch(), next_candidate()});
  if (has_work() && refresh_due_ < next) next = refresh_due_;
  if (next != kNeverFs) next += std::min(t_->to_end[kRead], t_->to_end[kWrite]);
  if (column_.at != kNeverFs)
    next = std::min(next, column_.at + t_->to_end[opened_[column_.number].visit.write]);
  return next == kNeverFs ? kNever : (next + 999) / 1000;
}

void BurstChannel::run(Fs until, bool at_end) {
  if (until != kNeverFs) clock_ = std::max(clock_, until);
  while (true) {
    const Fs turn = next_switch();
    const Fs from = next_candidate() < refresh_due_ ? next_candidate() : kNeverFs;
    // What is certain comes first, whoever asks and when.
    if (column_.at != kNeverFs && only_waits_for_the_bus()) {
      move();
      continue;
    }
    if (column_.at == kNeverFs && from != kNeverFs && from < turn && long_before_the_bus(from)) {
      decide();
      continue;
    }
    const Fs admission = next_admission();
    next_ = std::min(std::min(admission, turn), std::min(from, column_.at));
    if (has_work()) next_ = std::min(next_, refresh_due_);
    if (next_ == kNeverFs || ((next_ > until || (next_ == until && !at_end)) && backlog_.empty())) return;
    if (next_ == refresh_due_) {
      refresh_all();
    } else if (next_ == admission) {
      admit(admission);
    } else if (next_ == turn) {
      turn_to_writes(turn);
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
  if (direction == kWrite && drain_ == 0 && reads_wait() && undecided_[kWrite] > t_->write_low)
    return at;  // a drain begins
  return leaves_[direction].empty() ? kNeverFs : std::max(at, leaves_[direction].front());
}

/// When the writes go out for want of reads, or because reads have kept them waiting for too long.
BurstChannel::Fs BurstChannel::next_switch() const {
  if (serving_ == kWrite || undecided_[kWrite] == 0) return kNeverFs;
  // That the last read has begun is seen a clock edge later.
  const Fs from = reads_wait() ? writes_wait_since_ + t_->write_age : begun_at_ + t_->clock;
  return std::max({from, serving_since_, last_admission_});
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
    drain_ = static_cast<std::uint16_t>(undecided_[kWrite] - t_->write_low);
    if (serving_ != kWrite) serve(kWrite, at);
    return;
  }
  backlog_.pop_front();
  admit(first, at);
}

void BurstChannel::admit(const Arrival& arrival, Fs at) {
  const Direction direction = arrival.visit.write ? kWrite : kRead;
  last_admission_ = at;
  ++held_[direction];
  if (++undecided_[direction] == 1 && direction == kWrite) writes_wait_since_ = at;
  if (direction == kRead && serving_ == kWrite && drain_ == 0) serve(kRead, at);
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
  waiting = {
      arrival.visit, arrival.tag, arrival.at, at, order_++, 0, false, true, {kNone, kNone, kNone, kNone}};
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
  const Fs edge = t_->edge(now);
  Fs at = edge;
  for (std::size_t k = 0; k < backlog_.size(); ++k) at = std::min(at, backlog_[k].at);
  for (const Waiting& each : waiting_)
    if (each.waits) at = std::min(at, each.arrival);
  for (const Opened& each : opened_) at = std::min(at, each.arrival);
  const auto bound = [at](Fs time) { return time < at ? 0 : time; };
  const std::uint32_t banks = t_->banks_per_group * BurstTimes::kGroups;
  for (const Direction direction : {kRead, kWrite}) has_place(direction, edge);
  const std::size_t begin = state.size();
  state.resize(begin + 34 + leaves_[kRead].size() + leaves_[kWrite].size() + 5 * banks + 3 * backlog_.size() +
               6 * waiting_.size() + 8 * opened_.size());
  std::uint64_t* to = state.data() + begin;
  const auto add_visit = [&](const RowVisit& visit, std::uint32_t tag) {
    *to++ = std::uint64_t{visit.row} << 32 | (tag == kNoTag ? kNoTag : tag >> request_shift);
    *to++ = std::uint64_t{visit.accesses} << 32 | std::uint32_t{visit.bank} << 24 |
            std::uint32_t{visit.groups} << 16 | std::uint32_t{visit.base_group} << 8 |
            std::uint32_t{visit.first} << 1 | (visit.write ? 1U : 0U);
  };

  *to++ = (wrote_ ? 1U : 0U) | ((time_.accesses_read | time_.accesses_written) != 0 ? 2U : 0U) |
          std::uint32_t{serving_} << 2 | std::uint32_t{drain_} << 3;
  *to++ = bound(clock_);
  *to++ = bus_end_ > at + std::min(t_->to_data[kRead], t_->to_data[kWrite]) ? bus_end_ : 0;
  *to++ = undecided_[kWrite] != 0 ? writes_wait_since_ : 0;
  *to++ = refresh_due_;
  *to++ = bound(begun_at_ + t_->clock);
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
    for (const Fs time : {each.ready, each.begun, each.arrival, each.row, each.refresh}) *to++ = time;
    *to++ = each.conflict ? 1 : 0;
  }
  in_order_.clear();  // a copy of this channel need not copy it
  state.resize(static_cast<std::size_t>(to - state.data()));
}

}  // namespace wafertlm
