// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/cut_through_port.h"

namespace wafertlm::cut_through {

TimePs Output::time_of_credits(const Queue& waiting) {
  const std::uint32_t first = waiting.vcs.first, end = first + waiting.vcs.count;
  TimePs room = kNever;
  for (std::uint32_t vc = first; vc < end; ++vc)
    room = std::min(room, channels[vc].credits.time_of_credits(waiting.wire_bytes));
  if (room != kNever) return room;
  for (std::uint32_t vc = first; vc < end; ++vc) {
    std::uint32_t& needed = channels[vc].needed;
    needed = needed == 0 ? waiting.wire_bytes : std::min(needed, waiting.wire_bytes);
    starved_vcs = static_cast<std::uint16_t>(starved_vcs | 1U << vc);
  }
  return kNever;
}

}  // namespace wafertlm::cut_through
