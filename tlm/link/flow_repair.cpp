// SPDX-License-Identifier: Apache-2.0
// Go-Back-N in a switch.
#include <algorithm>

#include "tlm/link/flow_branch.h"

namespace wafertlm {

/// Whether a packet is the one that its input brings next. If not, it is gone afterwards.
bool FlowUnit::is_due(Branch& branch, BranchInput& input, Packet& packet, TimePs now) {
  const bool repeated = packet.sequence < input.arrived;
  if (packet.sequence == input.arrived || (repeated && branch.inputs.size() == 1)) {
    input.asked = false;
    return true;
  }
  if (!repeated && !input.asked) {  // one is missing: only this input's contributors have to repeat it
    input.asked = true;
    answer(branch, input.port, PacketKind::nack, input.arrived, now);
  }
  discard(input.port, packet, now);
  return false;
}

void FlowUnit::discard(PortId input, Packet& packet, TimePs now) {
  ++repairs_.discarded_packets;
  repairs_.discarded_bytes += packet.payload_bytes;
  return_credits(input, packet, std::max(packet.tail_ps, now) + params_.credit_delay_ps[index_of(input)]);
}

void FlowUnit::wake(TimePs now) {
  while (!answers_.empty() && answers_.begin()->first.first <= now) {
    const PortId port = answers_.begin()->first.second;
    Packet& packet = *answers_.begin()->second;
    answers_.erase(answers_.begin());
    if (!packet.corrupt) take_answer(port, packet, now);
    return_credits(port, packet, now + params_.credit_delay_ps[index_of(port)]);
  }
}

/// An answer has come from below `port`, an output of the branch.
void FlowUnit::take_answer(PortId port, const Packet& packet, TimePs now) {
  const BranchPort& place = branch_at(packet, port);
  Branch& branch = *place.branch;
  if (packet.kind == PacketKind::nack) {  // of one receiver: another one may have less
    if (packet.sequence >= branch.number) return;
    go_back(branch, packet.sequence, now);
    return answer_all(branch, PacketKind::nack, packet.sequence, now);
  }
  BranchOutput& output = branch.outputs[place.index];
  output.acknowledged = std::max(output.acknowledged, packet.sequence);
  std::uint64_t number = branch.outputs.front().acknowledged;
  for (const BranchOutput& each : branch.outputs) number = std::min(number, each.acknowledged);
  if (branch.number < number) skip_to(branch, number, now);
  if (packet.kind == PacketKind::repeat) {
    if (number < branch.number) go_back(branch, number, now);
  } else if (number == branch.acknowledged) {
    return;
  }
  branch.acknowledged = number;
  answer_all(branch, packet.kind, number, now);
}

/// What was not added yet comes again.
void FlowUnit::go_back(Branch& branch, std::uint64_t number, TimePs now) {
  branch.set_number(number);
  for (BranchInput& input : branch.inputs) {
    while (input.queue.size() > branch.combined.size()) {
      Packet& packet = *input.queue.back().packet;
      input.queue.pop_back();
      --queued_;
      discard(input.port, packet, now);
    }
    input.arrived = number;
    input.asked = true;
  }
}

/// The branch had gone back to packets that nobody misses, and that will not come again.
void FlowUnit::skip_to(Branch& branch, std::uint64_t number, TimePs now) {
  branch.set_number(number);
  const std::size_t place = branch.combined.size();
  for (BranchInput& input : branch.inputs) {
    input.arrived = std::max(input.arrived, number);
    for (std::size_t left = input.queue.size(); left > place; --left) {
      Packet& packet = *input.queue[place].packet;
      if (input.queue[place].position >= number) break;
      input.queue.erase(place);
      --queued_;
      discard(input.port, packet, now);
    }
  }
  advance(branch, now);
}

void FlowUnit::answer_all(const Branch& branch, PacketKind kind, std::uint64_t number, TimePs now) {
  for (const BranchInput& input : branch.inputs) answer(branch, input.port, kind, number, now);
}

void FlowUnit::answer(const Branch& branch, PortId input, PacketKind kind, std::uint64_t number, TimePs now) {
  const AnswerFormat& format = *branch.flow->answers;
  Packet& packet = make_packet(*branch.flow);
  packet.kind = kind;
  packet.sequence = number;
  packet.traffic_class = format.traffic_class;
  packet.vc = format.flow_vc;
  packet.wire_bytes = format.wire_bytes;
  packet.tail_ps = packet.created_ps = now;
  ++repairs_.answers;
  host_.send_copy(input, branch.lane, packet, now);
}

}  // namespace wafertlm
