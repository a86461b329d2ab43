// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/cut_through_port.h"

namespace wafertlm::cut_through {

TimePs Output::time_of_credits(const Queue& waiting) {
  const std::uint32_t first = waiting.vcs.first, end = first + waiting.vcs.count;
  TimePs room = kNever;
  for (std::uint32_t vc = first; vc < end; ++vc) {
    const TimePs known = channels[vc].credits.time_of_credits(waiting.wire_bytes);
    room = std::min(room, known);
    if (known != kNever) continue;
    // What is promised later may come earlier than the room of another channel.
    std::uint32_t& needed = channels[vc].needed;
    needed = needed == 0 ? waiting.wire_bytes : std::min(needed, waiting.wire_bytes);
    starved_vcs = static_cast<std::uint16_t>(starved_vcs | 1U << vc);
  }
  return room;
}

}  // namespace wafertlm::cut_through
