// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/cause_log.h"

#include <algorithm>

namespace wafertlm {

CauseRef::CauseRef(const CauseRef& other) : log_(other.log_), index_(other.index_) {
  if (index_ != kNone) log_->hold(index_);
}

CauseRef::~CauseRef() {
  if (index_ != kNone) log_->release(index_);
}

void CauseRef::take_later(const CauseRef& other) {
  if (other && (!*this || other.log_->later(other.index_, index_))) *this = other;
}

CauseRef CauseLog::add(const Run& run, CauseRef cause) {
  if (live_ >= allowed_) forget();
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  entries_[index] = {run, std::exchange(cause.index_, CauseRef::kNone), 1};
  high_water_ = std::max(high_water_, ++live_);
  return {*this, index};
}

bool CauseLog::later(std::uint32_t a, std::uint32_t b) const {
  const Run &x = at(a), &y = at(b);
  if (x.end_ps != y.end_ps) return x.end_ps > y.end_ps;
  if (x.node != y.node) return x.node < y.node;
  return x.rank < y.rank;
}

void CauseLog::release(std::uint32_t index) {
  // A chain of causes may be long: no recursion.
  while (index != CauseRef::kNone && --entries_[index].references == 0) {
    free_.push_back(index);
    --live_;
    index = std::exchange(entries_[index].cause, CauseRef::kNone);
  }
}

void CauseLog::bound(std::size_t records, std::function<TimePs()> horizon) {
  most_ = allowed_ = records;
  horizon_ = std::move(horizon);
}

void CauseLog::forget() {
  const TimePs horizon = horizon_();
  for (std::uint32_t index = 0; index < entries_.size(); ++index) {
    Entry& entry = entries_[index];
    if (entry.references == 0 || entry.cause == CauseRef::kNone || entry.run.end_ps > horizon) continue;
    entry.run.cut = true;
    release(std::exchange(entry.cause, CauseRef::kNone));
  }
  allowed_ = std::max(most_, 2 * live_);
}

}  // namespace wafertlm
