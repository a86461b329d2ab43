// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/port_queues.h"

#include <algorithm>

#include "models/endpoint/injector.h"

namespace wafertlm {

Packet& make_packet(PacketPool& packets, NpuId source, Message& message, VcId vc,
                    const WireFormat::Unit& unit, TimePs now) {
  Packet& packet = packets.acquire();
  packet.source = source;
  packet.destination = message.destination;
  packet.traffic_class = message.traffic_class;
  packet.vc = vc;
  packet.offset = message.injected_bytes;
  packet.payload_bytes = unit.payload_bytes;
  packet.wire_bytes = unit.wire_bytes;
  packet.starts_packet = unit.starts_packet;
  packet.ends_packet = unit.ends_packet;
  packet.sequence = message.injected_packets++;
  packet.created_ps = now;
  packet.message = &message;
  if (message.source_data && !message.reliable) {
    const std::byte* data = message.source_data + packet.offset;
    packet.data.assign(data, data + packet.payload_bytes);
  }
  message.injected_bytes += packet.payload_bytes;
  return packet;
}

PortQueues::PortQueues(NpuId npu, const WireFormat& format, const RouteFunction& routes, std::uint32_t exits,
                       const ClassTable& classes, PacketPool& packets, InjectorHost& host)
    : format_(format),
      routes_(routes),
      classes_(classes),
      packets_(packets),
      host_(host),
      ports_(exits * classes.size()) {
  probe_.source = npu;
}

void PortQueues::send(Message& message, std::uint64_t ticket, TimePs now) {
  probe_.destination = message.destination;
  const std::size_t exit = index_of(routes_.output_for(probe_));
  const auto at = static_cast<std::uint32_t>(exit * classes_.size() + index_of(message.traffic_class));
  Port& port = ports_[at];
  port.waiting.push({message.port_order, message.arrival, next_order_++, &message, ticket});
  if (port.free_ps != kNever) ask(at, std::max(now, port.free_ps));
}

void PortQueues::credit(const Packet& packet, TimePs at) {
  const auto index =
      static_cast<std::uint32_t>(index_of(packet.output) * classes_.size() + index_of(packet.traffic_class));
  Port& port = ports_[index];
  port.free_ps = at;
  if (port.ticket != kNoTicket) host_.injected(port.ticket, at);
  port.ticket = kNoTicket;
  if (!port.waiting.empty()) ask(index, at);
}

/// Chooses when the port is free and all that is ready at that instant has been announced.
void PortQueues::ask(std::uint32_t index, TimePs at) {
  Port& port = ports_[index];
  if (port.asked_ps <= at) return;
  port.asked_ps = at;
  due_.push({at, index});
  if (wake_.ask(at)) host_.request_wake(at);
}

void PortQueues::wake(TimePs now) {
  if (!wake_.take(now)) return;
  while (!due_.empty() && due_.top().first <= now) {
    Port& port = ports_[due_.top().second];
    due_.pop();
    port.asked_ps = kNever;
    if (port.free_ps <= now && !port.waiting.empty()) serve(port, now);
  }
  if (!due_.empty() && wake_.ask(due_.top().first)) host_.request_wake(due_.top().first);
}

void PortQueues::serve(Port& port, TimePs now) {
  const Waiting& next = port.waiting.top();
  Message& message = *next.message;
  const WireFormat::Unit unit = format_.unit_at(message.bytes, message.injected_bytes);
  const auto vc = static_cast<VcId>(classes_[message.traffic_class].first_vc);
  Packet& packet = make_packet(packets_, probe_.source, message, vc, unit, now);
  packet.tail_ps = now;
  // It was there before: what it waited for is the port, whose fractions of a picosecond go on.
  packet.head_fraction = port.free_ps == now ? ~PsFraction{0} - 1 : 0;
  port.free_ps = kNever;
  if (message.injected_bytes == message.bytes) {
    port.ticket = next.ticket;
    port.waiting.pop();
  }
  host_.inject(packet, now);
}

}  // namespace wafertlm
