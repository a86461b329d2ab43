// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/injector.h"

#include <algorithm>

namespace wafertlm {
namespace {

SwitchParams one_port(const OutputParams& link) {
  SwitchParams params;
  params.credit_delay_ps = {0};
  params.outputs = {link};
  return params;
}

}  // namespace

Injector::Injector(NpuId npu, const InjectorParams& params, const ClassTable& classes, PacketPool& packets,
                   InjectorHost& host)
    : npu_(npu),
      format_(params.format),
      classes_(classes),
      packets_(packets),
      host_(host),
      port_(one_port(params.link), classes, *this, *this) {}

void Injector::send(Message& message, std::uint64_t ticket, TimePs now) {
  ClassQueue& queue = queues_[index_of(message.traffic_class)];
  queue.messages.push_back({&message, ticket});
  if (!queue.packet_waiting) refill(message.traffic_class, now);
}

/// Puts the next packet of the class in front of the port.
void Injector::refill(ClassId traffic_class, TimePs now) {
  ClassQueue& queue = queues_[index_of(traffic_class)];
  if (queue.messages.empty()) return;
  if (queue.next >= queue.messages.size()) queue.next = 0;
  const Active active = queue.messages[queue.next];
  Message& message = *active.message;

  Packet& packet = packets_.acquire();
  packet.source = npu_;
  packet.destination = message.destination;
  packet.traffic_class = traffic_class;
  packet.vc = static_cast<VcId>(classes_[traffic_class].first_vc);
  packet.offset = message.injected_bytes;
  packet.payload_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(message.bytes - message.injected_bytes, format_.packet_bytes));
  packet.wire_bytes = format_.wire_bytes(packet.payload_bytes);
  packet.sequence = message.injected_packets++;
  packet.created_ps = packet.tail_ps = now;
  packet.message = &message;
  if (message.source_data) {
    const std::byte* data = message.source_data + packet.offset;
    packet.data.assign(data, data + packet.payload_bytes);
  }
  message.injected_bytes += packet.payload_bytes;

  queue.packet_waiting = true;
  queue.ends_message = message.injected_bytes == message.bytes;
  queue.last_ticket = active.ticket;
  if (queue.ends_message)
    queue.messages.erase(queue.messages.begin() + static_cast<std::ptrdiff_t>(queue.next));
  else
    ++queue.next;
  port_.arrive(PortId{0}, packet, now);
}

void Injector::wake(TimePs now) {
  now_ = now;
  port_.wake(PortId{0}, now);
}

/// The waiting packet of this class has been granted: `at` is when its tail leaves.
void Injector::return_credit(PortId, Packet& packet, TimePs at) {
  ClassQueue& queue = queues_[index_of(packet.traffic_class)];
  queue.packet_waiting = false;
  if (queue.ends_message) host_.injected(queue.last_ticket, at);
  refill(packet.traffic_class, now_);
}

}  // namespace wafertlm
