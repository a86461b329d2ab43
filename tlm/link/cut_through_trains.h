// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/units.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/message.h"
#include "tlm/packets/packet.h"

namespace wafertlm {
class CutThroughSwitch;
}

namespace wafertlm::cut_through {

/// What an output leads to, and its trains. A *train* is what leaves an output within its lookahead: nobody
/// is told of a packet's start before the head has crossed the link, or the credit has come back. So
/// arbitration may be done late, for all starts of that time at once, packet by packet and with what was
/// known at each: of times before that nothing new can come. One wake-up is enough for a train.
struct alignas(64) Behind {
  CutThroughSwitch* core = nullptr;  ///< of the next switch; null: not known
  PortId input{};                    ///< there
  PacketSink* sink = nullptr;        ///< in place of a switch
  TimePs credit_delay_ps = 0;        ///< of the sink
  TimePs lookahead_ps = 0;           ///< a train goes so far behind its first packet; 0: none
  // A sink acts when the last packet of a message comes. Those that are on their way to it are not late:
  std::uint32_t ends = 0;        ///< so many,
  TimePs first_end_ps = kNever;  ///< the first is not ready before

  /// A packet for the sink will be ready at packet.ready_ps.
  /// Returns whether it is the last of its message.
  bool comes(const Packet& packet) {
    Message& message = *packet.message;
    message.announced_bytes += packet.payload_bytes;
    if (message.announced_bytes != message.bytes) return false;
    ++ends;
    first_end_ps = std::min(first_end_ps, packet.ready_ps);
    return true;
  }
  void leaves(const Packet& packet) {
    if (ends == 0 || packet.message->arrived_bytes + packet.payload_bytes != packet.message->bytes) return;
    if (--ends == 0) first_end_ps = kNever;
  }
};

/// What leads to an input.
struct Before {
  CutThroughSwitch* core = nullptr;  ///< null: not known
  PortId output{};
};

}  // namespace wafertlm::cut_through
