// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/kernel/state_visitor.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/message.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// A packet of a message, or of a flow, in a queue; offsets are listed relative to where its source is.
inline void list_packet(Packet& packet, StateVisitor& state) {
  if ((!packet.message && !packet.flow) || packet.waits || packet.lane != 0 || packet.corrupt ||
      packet.kind != PacketKind::data || !packet.data.empty())
    return state.give_up();
  const std::uint64_t of =
      packet.flow ? std::uint64_t{packet.flow->slot} << 1 | 1 : packet.message->place << 1;
  const std::uint64_t from = packet.flow ? packet.flow->listed_from : packet.message->injected_bytes;
  state.derived(of << 32 | packet.wire_bytes);
  state.derived((from - packet.offset) << 16 | packet.hops);
  state.derived(packet.head_fraction);
  state.moment(packet.ready_ps);
  state.moment(packet.tail_ps);
  state.moment(packet.created_ps);
  state.count(packet.offset);
  state.count(packet.sequence);
}

}  // namespace wafertlm
