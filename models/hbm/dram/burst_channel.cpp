// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/burst_channel.h"

#include <algorithm>

namespace wafertlm {

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

}  // namespace wafertlm
