// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/command_channel.h"

#include <algorithm>

namespace wafertlm {

CommandChannel::CommandChannel(const DramTiming& timing, const DramQueueParams& queue)
    : timing_(timing),
      params_(queue),
      gates_(timing),
      banks_(timing.banks()),
      idle_cycles_((queue.write_idle_ps * 1000 + timing.clock_fs - 1) / timing.clock_fs) {
  queue.check();
  for (std::uint32_t bank = 0; bank < timing.banks(); ++bank)
    banks_[bank].due = Cycle{timing.refi} * (bank + 1) / timing.banks();
}

TimePs CommandChannel::push(const RowVisit& visit, std::uint32_t tag, TimePs now) {
  run_until(now);
  const Cycle arrival = (now * 1000 + timing_.clock_fs - 1) / timing_.clock_fs;
  backlog_.push_back({visit, tag, std::max(arrival, now_)});
  return kNever;
}

void CommandChannel::run_until(TimePs until) {
  while ((until == kNever || now_ * timing_.clock_fs < until * 1000) && !idle()) step();
  // Nothing to do but to refresh.
  if (until != kNever)
    while (now_ * timing_.clock_fs < until * 1000) step();
}

TimePs CommandChannel::next_ps() const {
  return idle() ? kNever : ps(now_ + std::min(timing_.cl, timing_.cwl) + timing_.burst);
}

void CommandChannel::step() {
  admit();
  start_visits();
  give_column();
  give_row();
  ++now_;
}

void CommandChannel::admit() {
  const auto serve = [this](bool writes) {
    serving_writes_ = writes;
    serving_since_ = now_;
  };
  while (!backlog_.empty() && backlog_.front().arrival <= now_) {
    const Open first = backlog_.front();
    const bool write = first.visit.write;
    if (queue(write).size() >= (write ? params_.write_high : params_.queue_visits)) {
      if (!write || forced_ || unstarted_[1] <= params_.write_low) break;
      forced_ = true;
      serve(true);
      break;
    }
    backlog_.pop_front();
    queue(write).push_back(first);
    ++unstarted_[write];
    if (!write && serving_writes_ && !forced_) serve(false);
    if (write)
      done.push_back({first.tag, ps(now_ + timing_.cwl + timing_.burst +
                                    (first.visit.accesses - 1) * spacing(first.visit))});
  }
  if (!serving_writes_ && unstarted_[0] == 0 && unstarted_[1] != 0 && backlog_.empty() &&
      now_ >= last_read_ + idle_cycles_)
    serve(true);
}

bool CommandChannel::can_start(const RowVisit& visit) {
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const std::uint32_t number = bank_of(visit, k);
    const BankState& bank = banks_[number];
    if (bank.refreshing || bank.refreshed > now_) return false;
    if (bank.row == visit.row) continue;
    if (timing_.refi != 0 && now_ >= bank.due + Cycle{params_.postponed_refreshes} * timing_.refi)
      return false;
    if (bank.pending != 0) return false;
    if (gates_.is_open(number) && gates_.earliest(DramCommand::precharge, number) > now_) return false;
  }
  return true;
}

/// Visits all whose banks are free for them, in their order; nobody overtakes in a bank.
void CommandChannel::start_visits() {
  if (unstarted_[serving_writes_] == 0) return;
  std::vector<bool> claimed(banks_.size());
  for (Open& open : queue(serving_writes_)) {
    if (open.started) continue;
    bool free = true;
    for (std::uint32_t k = 0; k < open.visit.touched(); ++k) free &= !claimed[bank_of(open.visit, k)];
    if (free && can_start(open.visit)) {
      open.started = true;
      --unstarted_[serving_writes_];
      for (std::uint32_t k = 0; k < open.visit.touched(); ++k) {
        BankState& bank = banks_[bank_of(open.visit, k)];
        bank.row = open.visit.row;
        ++bank.pending;
      }
      if (serving_writes_ && (unstarted_[1] == 0 || (forced_ && unstarted_[1] <= params_.write_low))) {
        serving_writes_ = forced_ = false;
        serving_since_ = now_;
        return;
      }
      continue;
    }
    for (std::uint32_t k = 0; k < open.visit.touched(); ++k) claimed[bank_of(open.visit, k)] = true;
  }
}

bool CommandChannel::give_row(const Open& open) {
  for (std::uint32_t k = 0; k < open.visit.touched(); ++k) {
    const std::uint32_t bank = bank_of(open.visit, k);
    if (gates_.is_open(bank) && gates_.row(bank) == open.visit.row) continue;
    const DramCommand command = gates_.is_open(bank) ? DramCommand::precharge : DramCommand::activate;
    if (gates_.earliest(command, bank) > now_) continue;
    gates_.issue(command, bank, now_, open.visit.row);
    if (command == DramCommand::activate) ++time_.activates;
    return true;
  }
  return false;
}

bool CommandChannel::give_row() {
  for (const bool write : {bus_writes_, !bus_writes_})
    for (const Open& open : queue(write))
      if (open.started && open.next < open.visit.touched() && give_row(open)) return true;
  return refresh();
}

bool CommandChannel::refresh() {
  if (timing_.refi == 0) return false;
  std::vector<bool> asked(banks_.size());
  for (const Open& open : queue(serving_writes_))
    if (!open.started)
      for (std::uint32_t k = 0; k < open.visit.touched(); ++k) asked[bank_of(open.visit, k)] = true;
  for (std::uint32_t number = 0; number < banks_.size(); ++number) {
    BankState& bank = banks_[number];
    if (now_ < bank.due || bank.pending != 0) continue;
    if (asked[number] && !bank.refreshing &&
        now_ < bank.due + Cycle{params_.postponed_refreshes} * timing_.refi)
      continue;
    const DramCommand command = gates_.is_open(number) ? DramCommand::precharge : DramCommand::refresh;
    if (gates_.earliest(command, number) > now_) continue;
    gates_.issue(command, number, now_);
    bank.row = ~0U;
    bank.refreshing = command == DramCommand::precharge;
    if (command == DramCommand::refresh) {
      bank.refreshed = now_ + timing_.rfc_bank;
      bank.due += timing_.refi;
      ++time_.refreshes;
    }
    return true;
  }
  return false;
}

bool CommandChannel::can_give(const Open& open) const {
  const std::uint32_t bank = bank_of(open.visit, open.next);
  return open.started && gates_.is_open(bank) && gates_.row(bank) == open.visit.row &&
         gates_.earliest(open.visit.write ? DramCommand::write : DramCommand::read, bank) <= now_;
}

/// All its rows are open in time for it to go through without a break.
bool CommandChannel::can_begin(const Open& open) const {
  if (!can_give(open)) return false;
  for (std::uint32_t k = 1; k < open.visit.touched(); ++k) {
    const std::uint32_t bank = bank_of(open.visit, k);
    if (!gates_.is_open(bank) || gates_.row(bank) != open.visit.row ||
        gates_.earliest_by_row(open.visit.write, bank) > now_ + k * spacing(open.visit))
      return false;
  }
  return true;
}

/// The visit that has begun goes on; else the first that can, of the same direction as long as there is one.
void CommandChannel::give_column() {
  if (current_) {
    if (can_give(*current_)) give(*current_);
    return;
  }
  for (const bool write : {bus_writes_, !bus_writes_}) {
    bool any = false;
    for (Open& open : queue(write)) {
      any |= open.started;
      if (can_begin(open)) return give(open);
    }
    if (any) return;
  }
}

void CommandChannel::give(Open& open) {
  const RowVisit& visit = open.visit;
  gates_.issue(visit.write ? DramCommand::write : DramCommand::read, bank_of(visit, open.next), now_);
  const Cycle data = now_ + (visit.write ? timing_.cwl : timing_.cl), end = data + timing_.burst;
  account(data, timing_.burst, open.arrival);
  if (visit.write != bus_writes_) ++time_.turns;
  bus_writes_ = visit.write;
  ++(visit.write ? time_.accesses_written : time_.accesses_read);
  if (!visit.write) last_read_ = now_;
  current_ = &open;
  if (++open.next < visit.accesses) return;
  ++time_.row_visits;
  for (std::uint32_t k = 0; k < visit.touched(); ++k) --banks_[bank_of(visit, k)].pending;
  if (!visit.write) done.push_back({open.tag, ps(end)});
  std::deque<Open>& of = queue(visit.write);
  of.erase(std::find_if(of.begin(), of.end(), [&](const Open& each) { return &each == &open; }));
  current_ = nullptr;
}

void CommandChannel::account(Cycle data, Cycle busy, Cycle arrival) {
  const Cycle asked = std::min(std::max(arrival, bus_end_), data);
  time_.lost(DramLoss::no_request) += (asked - bus_end_) * timing_.clock_fs;
  time_.lost(DramLoss::not_told) += (data - asked) * timing_.clock_fs;
  time_.busy_fs += busy * timing_.clock_fs;
  bus_end_ = data + busy;
}

}  // namespace wafertlm
