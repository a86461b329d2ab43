// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/kernel/state_visitor.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// The earliest wake-up that somebody has asked a scheduler for. Wake-ups cannot be taken back: an overtaken
/// one still comes, and is told from the real one here.
class WakeSlot {
 public:
  /// Whether a wake-up at `at` must be scheduled: none as early is coming.
  bool ask(TimePs at) {
    if (at >= at_) return false;
    at_ = at;
    return true;
  }
  /// Whether the wake-up that came now is the one asked for; it is used up then.
  bool take(TimePs now) {
    if (now != at_) return false;
    at_ = kNever;
    return true;
  }

 private:
  TimePs at_ = kNever;
};

/// The same, and the last one that was overtaken is used again if that time is asked for anew.
class OverlappingWakeSlot {
 public:
  /// As WakeSlot::ask().
  bool ask(TimePs at) {
    if (at >= at_) return false;
    const bool is_coming = at == overtaken_;
    if (is_coming || at_ != kNever) overtaken_ = at_;
    at_ = at;
    return !is_coming;
  }
  /// As WakeSlot::take().
  bool take(TimePs now) {
    if (now == at_) {
      at_ = kNever;
      return true;
    }
    if (now == overtaken_) overtaken_ = kNever;
    return false;
  }
  /// kNever: none is asked for.
  TimePs at_ps() const { return at_; }
  // For whoever may be woken later than it asks for: the wake-up that is to come, at due_ps(), is another
  // one.
  /// Asks for what may be done late; returns whether it is earlier than what was asked for.
  bool ask_for_late(TimePs at) {
    if (at >= at_) return false;
    at_ = at;
    return true;
  }
  /// What was asked for is used up.
  TimePs take_late() {
    const TimePs at = at_;
    at_ = kNever;
    return at;
  }
  TimePs due_ps() const { return overtaken_; }
  void set_due_ps(TimePs at) { overtaken_ = at; }
  /// What was overtaken makes no difference; if it comes it finds nothing to do. After the other one has
  /// moved, it must be asked for again.
  void list_state(StateVisitor& state) {
    auto& [at, overtaken] = *this;
    state.wake_up(at);
    if (state.changes()) overtaken = kNever;
  }

 private:
  TimePs at_ = kNever;         // the earliest one asked for
  TimePs overtaken_ = kNever;  // one that an earlier one overtook and that is still to come
};

}  // namespace wafertlm
