// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/state_visitor.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// How much earlier than its whole picosecond a moment really is, in 2^-32 ps, rounded up.
using PsFraction = std::uint32_t;

/// The data line of an output port: turns bytes into integer picoseconds without losing the fractions.
///
/// While packets follow each other without a gap the remainder of the division is carried, so that a gigabyte
/// in packets ends when a gigabyte in one piece would. Across a gap the packet's own fraction (`PsFraction`,
/// from the line it left before) is taken over; otherwise two lines of almost equal speed could drift apart
/// by a picosecond.
class Line {
 public:
  /// @throws std::invalid_argument unless 0 < bytes_per_s < 2^53.
  explicit Line(std::uint64_t bytes_per_s);

  struct Slot {
    TimePs end;                 ///< the line is free again; rounded up
    PsFraction start_fraction;  ///< fraction of the start, to travel with the packet's head
  };
  /// Sends `bytes` from `start` on. Requires start >= free_ps(). `early` is the fraction of whatever made the
  /// packet wait until `start` (an arrival), or kUnbound if only this line did.
  Slot send(std::uint64_t bytes, TimePs start, PsFraction early) {
    if (start > free_ps_)
      slack_ = early == kUnbound || early == 0 ? 0 : slack_of(early);
    else if (early != kUnbound && slack_ != 0)
      slack_ = std::min(slack_, slack_of(early));
    const PsFraction start_fraction = slack_ == 0 ? 0 : fraction_of(slack_);
    if (bytes != cached_bytes_) divide(bytes);  // nearly all packets have one size
    free_ps_ = start + cached_whole_ps_;
    if (cached_remainder_ > slack_) {
      ++free_ps_;
      slack_ += rate_;
    }
    slack_ -= cached_remainder_;
    return {free_ps_, start_fraction};
  }

  TimePs free_ps() const { return free_ps_; }
  /// `once_free`: what it means then when that was. Returns whether it is not free yet.
  bool list_state(StateVisitor& state, StateVisitor::OnceOver once_free = StateVisitor::OnceOver::nothing) {
    [[maybe_unused]] auto& [rate, fraction_per_slack, free_at, slack, bytes, whole_ps, remainder] = *this;
    const bool is_busy = state.end(free_at, once_free);
    // Else whatever comes brings its own.
    if (is_busy || once_free == StateVisitor::OnceOver::matters) state.value(slack);
    return is_busy;
  }
  /// The line became free at `at`, before anybody looks.
  void set_idle_since(TimePs at) { free_ps_ = at; }
  std::uint64_t bytes_per_s() const { return rate_; }
  /// What is sent from now on goes at this rate; what is on the line ends when it would have.
  /// @throws as the constructor.
  void set_rate(std::uint64_t bytes_per_s);
  /// Nothing can start until release().
  void hold() { free_ps_ = kNever; }
  bool is_held() const { return free_ps_ == kNever; }
  /// `busy_until`: what free_ps() was before hold().
  void release(TimePs now, TimePs busy_until) {
    free_ps_ = std::max(now, busy_until);
    if (now > busy_until) slack_ = 0;
  }

  static constexpr PsFraction kUnbound = ~PsFraction{0};

 private:
  std::uint64_t slack_of(PsFraction early) const;
  PsFraction fraction_of(std::uint64_t slack) const {
    return static_cast<PsFraction>(
        std::min(static_cast<double>(slack) * fraction_per_slack_ + 1, 4294967294.0));
  }
  void divide(std::uint64_t bytes);

  std::uint64_t rate_;
  double fraction_per_slack_;
  TimePs free_ps_ = 0;       // exact end = free_ps_ - slack_ / rate_
  std::uint64_t slack_ = 0;  // < rate_
  std::uint64_t cached_bytes_ = 0, cached_whole_ps_ = 0, cached_remainder_ = 0;
};

}  // namespace wafertlm
