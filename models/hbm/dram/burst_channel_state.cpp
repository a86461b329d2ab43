// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/hbm/dram/burst_channel.h"

namespace wafertlm {

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
