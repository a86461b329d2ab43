// SPDX-License-Identifier: Apache-2.0
// Visits as they come to a BurstChannel, and reads that nobody is before: they take no queue.
#include <algorithm>

#include "models/hbm/dram/burst_channel.h"

namespace wafertlm {

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
  if (from > at && (from + t.to_column > column || from >= refresh_due_)) return 0;
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
  last_admission_ = at;
  begun_at_ = std::max(begun_at_, from);
  ++order_;
  ++held_[kRead];
  leaves_[kRead].push_back(last);
  return end;
}

/// A read that finds nobody waiting: if its banks are free, the usual case, without any queue. Returns its
/// end, kNeverFs if that is not certain yet, and 0 if it has to wait as the others do.
BurstChannel::Fs BurstChannel::take_at_once(const RowVisit& visit, std::uint32_t tag, Fs at) {
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const Bank& bank = banks_[bank_of(visit, k)];
    if (bank.row != visit.row && bank.pending != 0) return 0;
  }
  const Availability banks = available(visit, at);
  if (banks.from > at && !(opened_.empty() && long_before_the_bus(banks.from) && banks.from < refresh_due_))
    return 0;
  last_admission_ = at;
  ++held_[kRead];
  Opened opened = open(visit, banks, at);
  opened.tag = tag;
  opened.arrival = at;
  opened.order = begun_++;
  begun_at_ = std::max(begun_at_, banks.from);
  ++order_;
  if (opened_.empty() && !wrote_) {
    const Fs column = std::max(opened.ready, bus_gate(visit));
    if (column <= any_[kRead]) return move(opened, column);
  }
  new_opened(opened);
  run(at, true);
  return kNeverFs;
}

TimePs BurstChannel::push(const RowVisit& visit, std::uint32_t tag, TimePs now) {
  const Fs at = std::max(t_->edge(now), clock_);
  if (next_ < at) run(at, false);
  clock_ = at;
  if (refresh_due_ <= at && !has_work()) rest_until(at);
  if (!visit.write && shortcuts_ && backlog_.empty() && (undecided_[kRead] | undecided_[kWrite]) == 0 &&
      serving_ == kRead && serving_since_ <= at && at < refresh_due_ && last_admission_ <= at &&
      has_place(kRead, at)) {
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
  return kNever;
}

}  // namespace wafertlm
