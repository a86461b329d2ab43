// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/injector.h"

#include <algorithm>

namespace wafertlm {
namespace {

SwitchParams port_params(const InjectorParams& injector) {
  SwitchParams params;
  params.credit_delay_ps.resize(injector.dma_engines);
  params.outputs = {injector.link};
  if (injector.format.by_flit) params.switching = Switching::wormhole;
  return params;
}

}  // namespace

Injector::Injector(NpuId npu, const InjectorParams& params, const ClassTable& classes, PacketPool& packets,
                   InjectorHost& host)
    : npu_(npu),
      format_(params.format),
      link_latency_ps_(params.link.latency_ps),
      classes_(classes),
      packets_(packets),
      host_(host),
      queues_(params.dma_engines * kMaxClasses,
              Queue(params.dma_bytes_per_s ? params.dma_bytes_per_s : params.link.bytes_per_s)),
      port_(port_params(params), classes, *this, *this) {}

void Injector::send(Message& message, std::uint64_t ticket, TimePs now) {
  std::size_t engine = 0;
  for (std::size_t other = 1; other < port_.inputs(); ++other)
    if (load(other, message.traffic_class) < load(engine, message.traffic_class)) engine = other;
  Queue& to = queue(engine, message.traffic_class);
  to.messages.push_back({&message, ticket});
  if (!to.packet_waiting) refill(engine, message.traffic_class, now);
}

std::size_t Injector::load(std::size_t engine, ClassId traffic_class) {
  const Queue& of = queue(engine, traffic_class);
  return of.messages.size() + (of.packet_waiting && of.ends_message ? 1 : 0);
}

void Injector::resume(TimePs now) {
  for (std::size_t engine = 0; engine < port_.inputs(); ++engine)
    for (std::size_t c = 0; c < classes_.size(); ++c)
      if (!queue(engine, static_cast<ClassId>(c)).packet_waiting)
        refill(engine, static_cast<ClassId>(c), now);
}

/// What is left of the packet that comes next.
std::uint64_t Injector::next_payload(const Message& message) const {
  return std::min<std::uint64_t>(message.bytes - message.injected_bytes,
                                 format_.packet_bytes - message.injected_bytes % format_.packet_bytes);
}

/// Sets `next` to the message whose turn it is, of those whose next packet can be made; false if there is
/// none.
bool Injector::take_turn(Queue& from) const {
  for (std::size_t tried = 0; tried < from.messages.size(); ++tried, ++from.next) {
    if (from.next >= from.messages.size()) from.next = 0;
    const Message& message = *from.messages[from.next].message;
    if (message.injected_bytes + next_payload(message) <= message.available_bytes) return true;
  }
  return false;
}

/// Puts the next packet of the engine and class in front of the port.
void Injector::refill(std::size_t engine, ClassId traffic_class, TimePs now) {
  Queue& from = queue(engine, traffic_class);
  if (!take_turn(from)) return;
  const Active active = from.messages[from.next];
  Message& message = *active.message;

  Packet& packet = packets_.acquire();
  packet.source = npu_;
  packet.destination = message.destination;
  packet.traffic_class = traffic_class;
  packet.vc = static_cast<VcId>(classes_[traffic_class].first_vc);
  packet.offset = message.injected_bytes;
  const WireFormat::Unit unit = format_.unit_at(message.bytes, message.injected_bytes);
  packet.payload_bytes = unit.payload_bytes;
  packet.wire_bytes = unit.wire_bytes;
  packet.starts_packet = unit.starts_packet;
  packet.ends_packet = unit.ends_packet;
  packet.sequence = message.injected_packets++;
  packet.created_ps = now;
  const TimePs head_ps = std::max(now, from.pace.free_ps());
  const Line::Slot slot = from.pace.send(packet.wire_bytes, head_ps, head_ps == now ? 0 : Line::kUnbound);
  packet.head_early = slot.start_early;
  packet.tail_ps = slot.end;
  packet.message = &message;
  if (message.source_data) {
    const std::byte* data = message.source_data + packet.offset;
    packet.data.assign(data, data + packet.payload_bytes);
  }
  message.injected_bytes += packet.payload_bytes;

  from.packet_waiting = true;
  from.ends_message = message.injected_bytes == message.bytes;
  from.last_ticket = active.ticket;
  if (from.ends_message)
    from.messages.erase(from.messages.begin() + static_cast<std::ptrdiff_t>(from.next));
  else if (unit.ends_packet)
    ++from.next;
  port_.arrive(static_cast<PortId>(engine), packet, head_ps);
}

void Injector::wake(TimePs now) {
  now_ = now;
  port_.wake(PortId{0}, now);
}

/// The waiting packet of this engine and class has been granted: `at` is when its tail leaves.
void Injector::return_credit(PortId engine, Packet& packet, TimePs at) {
  Queue& from = queue(index_of(engine), packet.traffic_class);
  from.packet_waiting = false;
  if (from.ends_message) host_.injected(from.last_ticket, at);
  refill(index_of(engine), packet.traffic_class, now_);
}

}  // namespace wafertlm
