// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/units.h"

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

}  // namespace wafertlm
