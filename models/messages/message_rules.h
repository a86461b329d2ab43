// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/kernel/units.h"

namespace wafertlm {

/// What simulators of whole messages do differently.
struct MessageRules {
  /// The time of a message on a link, and of a reduction, is cut to a multiple of it, as where time is
  /// counted in whole cycles; 0: kept.
  TimePs time_step_ps = 0;
  /// A point-to-point send ends when its message has arrived, and neither end pays costs. Else it ends when
  /// the message has left, and both ends pay.
  bool bare_point_to_point = false;
  /// What passes a switch or an NPU's node goes on when all of it is there; else when its head is.
  bool store_and_forward = false;

  TimePs cut(TimePs time) const { return time_step_ps == 0 ? time : time - time % time_step_ps; }
};

}  // namespace wafertlm
