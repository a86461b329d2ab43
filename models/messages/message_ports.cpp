// SPDX-License-Identifier: Apache-2.0
#include "models/messages/message_ports.h"

#include <algorithm>
#include <utility>

namespace wafertlm {

bool MessagePort::Own::operator<(const Own& other) const {
  if (after_priority != other.after_priority) return after_priority > other.after_priority;
  if (port_order != other.port_order) return port_order > other.port_order;
  if (entered_ps != other.entered_ps) return entered_ps > other.entered_ps;
  if (operation != other.operation) return operation > other.operation;
  return threadblock != other.threadblock ? threadblock > other.threadblock : order > other.order;
}

void MessagePorts::add_vertex(const RouteFunction& routes, std::uint32_t links) {
  vertices_.push_back(
      {&routes, static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint16_t>(links)});
  ports_.resize(ports_.size() + links);
}

void MessagePorts::set_link(std::uint32_t from, PortId output, const OutputParams& params, std::uint32_t to,
                            PortId input) {
  MessagePort& port = ports_[number_of(from, output)];
  port.line = Line(params.bytes_per_s);
  port.latency_ps = params.latency_ps;
  port.vertex = from;
  port.output = static_cast<std::uint16_t>(output);
  port.inputs = vertices_[from].links;
  port.to_vertex = to;
  port.to_input = static_cast<std::uint16_t>(input);
}

std::uint32_t MessagePorts::put(MessageRecord& message, bool begins_here, std::uint32_t order) {
  const MessageWay& way = records_.way(message);
  const Vertex& vertex = vertices_[way.vertex];
  probe_.destination = message.destination;
  const std::uint32_t number =
      vertex.first_port + static_cast<std::uint32_t>(vertex.routes->output_for(probe_));
  MessagePort& port = ports_[number];
  if (!begins_here) {
    port.passing.push_back(message.index);
    return number;
  }
  const std::uint32_t priority = classes_[message.traffic_class].priority;
  port.own.push_back({~priority, message.threadblock, way.port_order, way.entered_ps, message.key.operation,
                      order, message.index});
  if (port.own.size() > 1) std::push_heap(port.own.begin(), port.own.end());
  return number;
}

MessageRecord* MessagePorts::choose_own(MessagePort& port) {
  const std::uint32_t first = port.own.front().record;
  if (port.own.size() > 1) std::pop_heap(port.own.begin(), port.own.end());
  port.own.pop_back();
  port.next_input = 0;
  return &records_[first];
}

/// The highest priority, round-robin among inputs, the first of an input.
MessageRecord* MessagePorts::choose(MessagePort& port) {
  if (port.passing.empty()) return port.own.empty() ? nullptr : choose_own(port);
  const std::uint32_t turns = port.inputs + 1U;
  const auto distance = [&](std::uint32_t input) { return (input + turns - port.next_input) % turns; };
  const auto rank_of = [&](std::uint32_t record) {
    const MessageRecord& message = records_[record];
    return std::pair(~classes_[message.traffic_class].priority, distance(records_.way(message).input));
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < port.passing.size(); ++i)
    if (rank_of(port.passing[i]) < rank_of(port.passing[best])) best = i;
  const std::uint32_t passing = port.passing[best];
  if (!port.own.empty() &&
      std::pair(port.own.front().after_priority, distance(port.inputs)) < rank_of(passing))
    return choose_own(port);
  port.passing.erase(port.passing.begin() + static_cast<std::ptrdiff_t>(best));
  MessageRecord& message = records_[passing];
  port.next_input = static_cast<std::uint16_t>((records_.way(message).input + 1U) % turns);
  return &message;
}

TimePs MessagePorts::send(MessagePort& port, MessageRecord& message, TimePs now, bool begins_here) {
  std::uint64_t wire = wire_bytes(message.bytes);
  if (records_.way(message).in_flow)
    wire = static_cast<std::uint64_t>((Uint128{wire} * port.line.bytes_per_s() + port.flow_bytes_per_s - 1) /
                                      port.flow_bytes_per_s);
  ++port.packets;
  port.payload_bytes += message.bytes;
  port.wire_bytes += wire;
  if (rules_.time_step_ps != 0) return send_cut(port, records_.way(message), now, wire);
  MessageWay& way = records_.way(message);
  const TimePs before = port.line.free_ps();
  PsFraction early = Line::kUnbound;  // only the line made it wait
  if (begins_here)
    early = before == now ? Line::kUnbound : 0;
  else if (way.ready_ps == now)
    early = way.head_fraction;
  const Line::Slot slot = port.line.send(wire, now, early);
  const TimePs tail_out = std::max(slot.end, way.tail_ps);
  way.head_fraction = slot.start_fraction;
  way.ready_ps = now + port.latency_ps;
  way.tail_ps = tail_out + port.latency_ps;
  return reach_next(port, way, slot.end);
}

TimePs MessagePorts::reach_next(const MessagePort& port, MessageWay& way, TimePs free_ps) const {
  if (rules_.store_and_forward) {
    way.ready_ps = way.tail_ps;
    way.head_fraction = 0;
  }
  way.vertex = port.to_vertex;
  way.input = port.to_input;
  return free_ps;
}

/// The same in whole steps: latency and bytes over bandwidth are cut together.
TimePs MessagePorts::send_cut(MessagePort& port, MessageWay& way, TimePs now, std::uint64_t wire) const {
  const auto busy = static_cast<TimePs>(Uint128{wire} * kPsPerSecond / port.line.bytes_per_s());
  port.cut_free_ps = now + rules_.cut(busy);
  way.head_fraction = 0;
  way.ready_ps = now + port.latency_ps;
  way.tail_ps = std::max(now + rules_.cut(port.latency_ps + busy), way.tail_ps + port.latency_ps);
  return reach_next(port, way, port.cut_free_ps);
}

std::uint64_t MessagePorts::wire_bytes(std::uint64_t bytes) const {
  const std::uint64_t wire = std::max<std::uint64_t>(bytes + format_.header_bytes, 1),
                      flit = format_.flit_bytes;
  return flit == 0 ? wire : (wire + flit - 1) / flit * flit;
}

bool MessagePorts::at_rest() const {
  return std::none_of(ports_.begin(), ports_.end(),
                      [](const MessagePort& port) { return port.is_waiting(); });
}

}  // namespace wafertlm
