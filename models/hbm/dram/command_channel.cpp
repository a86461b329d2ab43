// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/command_channel.h"

#include <algorithm>

namespace wafertlm {

CommandChannel::CommandChannel(const DramTiming& timing, const DramQueueParams& queue)
    : timing_(timing),
      params_(queue),
      gates_(timing),
      banks_(timing.banks()),
      write_age_(timing.edge(queue.write_age_ps)) {
  queue.check();
  if (queue.refresh == DramRefresh::all_bank && timing.refi != 0) due_ = timing.refi;
  for (std::uint32_t bank = 0; bank < timing.banks(); ++bank)
    banks_[bank].due = Cycle{timing.refi} * (bank + 1) / timing.banks();
}

TimePs CommandChannel::push(const RowVisit& visit, std::uint32_t tag, TimePs now) {
  run_until(now);
  backlog_.push_back({visit, tag, std::max<Cycle>(timing_.edge(now), now_)});
  return kNever;
}

void CommandChannel::run_until(TimePs until) {
  const Cycle edge = until == kNever ? DramGates::kNeverCycle : timing_.edge(until);
  while (now_ < edge && !idle()) step();
  // Nothing to do but to refresh.
  if (until != kNever)
    while (now_ < edge) step();
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
  while (!backlog_.empty() && backlog_.front().arrival <= now_) {
    const Open first = backlog_.front();
    const bool write = first.visit.write;
    if (queue(write).size() >= (write ? params_.write_high : params_.queue_visits)) {
      if (!write || drain_ != 0 || unstarted_[0] == 0 || unstarted_[1] <= params_.write_low) break;
      drain_ = unstarted_[1] - params_.write_low;
      serving_writes_ = true;
      break;
    }
    backlog_.pop_front();
    queue(write).push_back(first);
    if (++unstarted_[write] == 1 && write) writes_wait_since_ = now_;
    if (!write && drain_ == 0) serving_writes_ = false;
  }
  if (serving_writes_ || unstarted_[1] == 0) return;
  const bool reads_wait = unstarted_[0] != 0;
  if (reads_wait && now_ < writes_wait_since_ + write_age_) return;
  serving_writes_ = true;
  if (reads_wait) drain_ = unstarted_[1];
}

bool CommandChannel::can_start(const RowVisit& visit) {
  if (now_ >= due_) return false;
  for (std::uint32_t k = 0; k < visit.touched(); ++k) {
    const std::uint32_t number = bank_of(visit, k);
    const BankState& bank = banks_[number];
    if (bank.refreshing || bank.refreshed > now_) return false;
    if (bank.row == visit.row) continue;
    if (timing_.refi != 0 && due_ == DramGates::kNeverCycle &&
        now_ >= bank.due + Cycle{params_.postponed_refreshes} * timing_.refi)
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
    if (open.begun != 0) continue;
    bool free = true;
    for (std::uint32_t k = 0; k < open.visit.touched(); ++k) free &= !claimed[bank_of(open.visit, k)];
    if (free && can_start(open.visit)) {
      open.begun = ++last_begun_;
      open.begun_at = now_;
      --unstarted_[serving_writes_];
      for (std::uint32_t k = 0; k < open.visit.touched(); ++k) {
        BankState& bank = banks_[bank_of(open.visit, k)];
        bank.row = open.visit.row;
        ++bank.pending;
      }
      if (!serving_writes_) continue;
      const bool drained = drain_ != 0 && --drain_ == 0;
      if (unstarted_[1] != 0 && !(drained && unstarted_[0] != 0)) continue;
      serving_writes_ = false;
      drain_ = 0;
      writes_wait_since_ = now_;
      return;
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

/// Visits that have begun, in that order.
const std::vector<CommandChannel::Open*>& CommandChannel::begun() {
  begun_.clear();
  for (std::deque<Open>* of : {&reads_, &writes_})
    for (Open& open : *of)
      if (open.begun != 0) begun_.push_back(&open);
  std::sort(begun_.begin(), begun_.end(), [](const Open* a, const Open* b) { return a->begun < b->begun; });
  return begun_;
}

bool CommandChannel::give_row() {
  for (const Open* open : begun())
    if (open->next < open->visit.touched() && give_row(*open)) return true;
  return refresh();
}

bool CommandChannel::refresh() {
  if (timing_.refi == 0) return false;
  if (due_ != DramGates::kNeverCycle) return refresh_all();
  std::vector<bool> asked(banks_.size());
  for (const Open& open : queue(serving_writes_))
    if (open.begun == 0)
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

/// Visits that have begun are finished, no others begin.
bool CommandChannel::refresh_all() {
  const auto busy = [](const BankState& bank) { return bank.pending != 0; };
  if (now_ < due_ || std::any_of(banks_.begin(), banks_.end(), busy)) return false;
  const bool closed = gates_.earliest(DramCommand::refresh_all, 0) != DramGates::kNeverCycle;
  const DramCommand command = closed ? DramCommand::refresh_all : DramCommand::precharge_all;
  if (gates_.earliest(command, 0) > now_) return false;
  gates_.issue(command, 0, now_);
  if (!closed) {
    for (BankState& bank : banks_) bank.row = ~0U;
    return true;
  }
  for (BankState& bank : banks_) bank.refreshed = now_ + timing_.rfc_all;
  due_ += timing_.refi;
  ++time_.refreshes;
  return true;
}

bool CommandChannel::can_give(const Open& open) const {
  const std::uint32_t bank = bank_of(open.visit, open.next);
  return open.begun != 0 && gates_.is_open(bank) && gates_.row(bank) == open.visit.row &&
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

/// The visit whose columns have begun goes on; else the first that can, of the same direction as long as
/// there is one and it has not kept the other waiting.
void CommandChannel::give_column() {
  if (current_) {
    if (can_give(*current_)) give(*current_);
    return;
  }
  begun();
  const bool turns = std::any_of(begun_.begin(), begun_.end(), [this](const Open* open) {
    return open->visit.write != bus_writes_ && open->begun_at + write_age_ <= now_;
  });
  const bool first = turns ? !bus_writes_ : bus_writes_;
  for (const bool write : {first, !first}) {
    bool any = false;
    for (Open* open : begun_) {
      if (open->visit.write != write) continue;
      any = true;
      if (can_begin(*open)) return give(*open);
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
  current_ = &open;
  if (++open.next < visit.accesses) return;
  ++time_.row_visits;
  for (std::uint32_t k = 0; k < visit.touched(); ++k) --banks_[bank_of(visit, k)].pending;
  done.push_back({open.tag, ps(end)});
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
