// SPDX-License-Identifier: Apache-2.0
// Go-Back-N in a switch.
#include <algorithm>

#include "tlm/link/flow_leg.h"

namespace wafertlm {

/// Whether a packet is the one that its input brings next. If not, it is gone afterwards.
bool FlowUnit::is_due(Leg& leg, LegInput& input, Packet& packet, TimePs now) {
  const bool repeated = packet.sequence < input.arrived;
  if (packet.sequence == input.arrived || (repeated && leg.inputs.size() == 1)) {
    input.asked = false;
    return true;
  }
  if (!repeated && !input.asked) {  // one is missing: only this input's contributors have to repeat it
    input.asked = true;
    answer(leg, input.port, PacketKind::nack, input.arrived, now);
  }
  discard(input.port, packet, now);
  return false;
}

void FlowUnit::discard(PortId input, Packet& packet, TimePs now) {
  ++repairs_.discarded_packets;
  repairs_.discarded_bytes += packet.payload_bytes;
  release_room(input, packet, std::max(packet.tail_ps, now) + params_.credit_delay_ps[index_of(input)]);
}

void FlowUnit::wake(TimePs now) {
  while (!answers_.empty() && answers_.begin()->first.first <= now) {
    const PortId port = answers_.begin()->first.second;
    Packet& packet = *answers_.begin()->second;
    answers_.erase(answers_.begin());
    if (!packet.corrupt) take_answer(port, packet, now);
    release_room(port, packet, now + params_.credit_delay_ps[index_of(port)]);
  }
}

/// An answer has come from below `port`, an output of the leg.
void FlowUnit::take_answer(PortId port, const Packet& packet, TimePs now) {
  const Place& place = output_place(packet, port);
  Leg& leg = *place.leg;
  if (packet.kind == PacketKind::nack) {  // of one receiver: another one may have less
    if (packet.sequence >= leg.number) return;
    go_back(leg, packet.sequence, now);
    return answer_all(leg, PacketKind::nack, packet.sequence, now);
  }
  LegOutput& output = leg.outputs[place.index];
  output.acknowledged = std::max(output.acknowledged, packet.sequence);
  std::uint64_t number = leg.outputs.front().acknowledged;
  for (const LegOutput& each : leg.outputs) number = std::min(number, each.acknowledged);
  if (leg.number < number) skip_to(leg, number, now);
  if (packet.kind == PacketKind::repeat) {
    if (number < leg.number) go_back(leg, number, now);
  } else if (number == leg.acknowledged) {
    return;
  }
  leg.acknowledged = number;
  answer_all(leg, packet.kind, number, now);
}

/// What was not added yet comes again.
void FlowUnit::go_back(Leg& leg, std::uint64_t number, TimePs now) {
  leg.set_number(number);
  for (LegInput& input : leg.inputs) {
    while (input.queue.size() > leg.combined.size()) {
      Packet& packet = *input.queue.back().packet;
      input.queue.pop_back();
      --queued_;
      input.bytes -= packet.payload_bytes;
      discard(input.port, packet, now);
    }
    input.arrived = number;
    input.asked = true;
  }
}

/// The leg had gone back to packets that nobody misses, and that will not come again.
void FlowUnit::skip_to(Leg& leg, std::uint64_t number, TimePs now) {
  leg.set_number(number);
  const std::size_t place = leg.combined.size();
  for (LegInput& input : leg.inputs) {
    input.arrived = std::max(input.arrived, number);
    for (std::size_t left = input.queue.size(); left > place; --left) {
      Packet& packet = *input.queue[place].packet;
      if (input.queue[place].position >= number) break;
      input.queue.erase(place);
      --queued_;
      input.bytes -= packet.payload_bytes;
      discard(input.port, packet, now);
    }
  }
  advance(leg, now);
}

void FlowUnit::answer_all(const Leg& leg, PacketKind kind, std::uint64_t number, TimePs now) {
  for (const LegInput& input : leg.inputs) answer(leg, input.port, kind, number, now);
}

void FlowUnit::answer(const Leg& leg, PortId input, PacketKind kind, std::uint64_t number, TimePs now) {
  const AnswerFormat& format = *leg.flow->answers;
  Packet& packet = make_packet(*leg.flow);
  packet.kind = kind;
  packet.sequence = number;
  packet.traffic_class = format.traffic_class;
  packet.vc = format.flow_vc;
  packet.wire_bytes = format.wire_bytes;
  packet.tail_ps = packet.created_ps = now;
  ++repairs_.answers;
  host_.send_copy(input, leg.lane, packet, now);
}

}  // namespace wafertlm
