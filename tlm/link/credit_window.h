// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/state_visitor.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// The sender's view of the next input buffer of one virtual channel: free room in bytes, and room that is
/// known to come back at a later time (END_REQ carries a time stamp and becomes an event only if the sender
/// is blocked).
class CreditWindow {
 public:
  explicit CreditWindow(std::uint64_t capacity_bytes) : capacity_(capacity_bytes), credits_(capacity_bytes) {}

  /// Room at `now`, which must not go backwards.
  std::uint64_t available(TimePs now) {
    while (!returns_.empty() && returns_.front().at <= now) {
      credits_ += returns_.front().bytes;
      returns_.pop_front();
    }
    return credits_;
  }
  /// The same as available(now) >= bytes. What has come back is counted as it is needed, mostly one at a
  /// time: how many are back by now nobody can predict.
  bool has_credits_at(TimePs now, std::uint64_t bytes) {
    if (returns_.size() >= kMaxUncounted) available(now);
    while (credits_ < bytes) {
      if (returns_.empty() || returns_.front().at > now) return false;
      credits_ += returns_.front().bytes;
      returns_.pop_front();
    }
    return true;
  }
  /// Requires available(now) >= bytes.
  void take(std::uint64_t bytes) { credits_ -= bytes; }
  /// For a packet that starts at time_of_credits(bytes) or later: of what was promised no more than it needs,
  /// so that it does not matter what else has been promised by now.
  void take_ahead(std::uint64_t bytes) {
    for (; credits_ < bytes; returns_.pop_front()) credits_ += returns_.front().bytes;
    credits_ -= bytes;
  }
  /// `bytes` are free again from `at` on. Returns whether that is earlier than what was promised before.
  bool give_back(std::uint64_t bytes, TimePs at) {
    if (at < last_return_ps_) {
      insert_return(bytes, at);
      return true;
    }
    last_return_ps_ = at;  // kept here, so that the ring need not be in the cache
    returns_.push_back({at, bytes});
    return false;
  }
  /// The same for one that comes after all that were promised; else returns false, and nothing has happened.
  bool give_back_last(std::uint64_t bytes, TimePs at) {
    if (at < last_return_ps_ || returns_.is_full()) return false;
    last_return_ps_ = at;
    returns_.push_back({at, bytes});
    return true;
  }
  /// The earliest known time with room for `bytes`, perhaps in the past, or kNever if that depends on credits
  /// not yet promised.
  TimePs time_of_credits(std::uint64_t bytes) const {
    return has_credits(bytes) ? 0 : time_of_promised_credits(bytes);
  }
  /// There is without what was promised.
  bool has_credits(std::uint64_t bytes) const { return credits_ >= bytes; }
  /// Not so, but with the first that was promised there is.
  bool is_next_enough(std::uint64_t bytes) const {
    return !returns_.empty() && credits_ + returns_.front().bytes >= bytes;
  }
  TimePs next_return_ps() const { return returns_.front().at; }

  void list_state(StateVisitor& state) {
    available(state.now());
    [[maybe_unused]] auto& [capacity, credits, last_return_ps, returns] = *this;
    state.require(outstanding() == 0);
    state.value(credits);
    state.size(returns);
    for (std::size_t i = 0; i < returns.size(); ++i) {
      auto& [at, bytes] = returns[i];
      state.moment(at);
      state.value(bytes);
    }
    state.deadline(last_return_ps);
  }

  void prefetch() const { returns_.prefetch(); }
  /// Bytes neither free nor promised: 0 when every credit has come home.
  std::uint64_t outstanding() const;

 private:
  void insert_return(std::uint64_t bytes, TimePs at);
  TimePs time_of_promised_credits(std::uint64_t bytes) const;

  struct Return {
    TimePs at;
    std::uint64_t bytes;
  };
  static constexpr std::size_t kMaxUncounted = 8;
  std::uint64_t capacity_, credits_;
  TimePs last_return_ps_ = 0;
  RingQueue<Return> returns_;  // ascending in time
};

}  // namespace wafertlm
