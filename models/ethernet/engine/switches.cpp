// SPDX-License-Identifier: Apache-2.0
// The switches of the engine: ways, the shared buffer, marks, pauses.
#include <algorithm>

#include "models/ethernet/engine/ethernet_engine.h"

namespace wafertlm::ethernet {

std::uint32_t EthernetEngine::choose_port(std::uint32_t node, Frame& frame) const {
  const PortList ways = network_.next_ports(node, frame.to);
  if (ways.size() == 1 || params_.switches.balance != LoadBalance::adaptive) {
    const std::uint32_t port = hashed_port(node, frame, ways);
    // The rest of the number is for the switches behind.
    if (params_.switches.balance == LoadBalance::in_turn) frame.hash /= ways.size();
    return port;
  }
  const auto first = hashed_way(frame.hash, node, ways.size());
  std::uint32_t best = ways[first];
  for (std::size_t i = 0; i < ways.size(); ++i) {  // of equal ones the hash decides
    const std::uint32_t way = ways[(first + i) % ways.size()];
    if (ports_[way].data.bytes() < ports_[best].data.bytes()) best = way;
  }
  return best;
}

void EthernetEngine::arrive_at_switch(std::uint32_t node, std::uint32_t which) {
  Frame& frame = frames_[which];
  const TimePs whole = frame.tail_ps + params_.switches.pipeline_ps;
  if (now_ < whole) {  // cut-through, but not into a faster line, which would run dry
    const std::uint32_t likely = hashed_port(node, frame, network_.next_ports(node, frame.to));
    if (ports_[likely].port.bytes_per_s > ports_[frame.in_port].port.bytes_per_s)
      return schedule(whole, What::arrive, which);
  }
  const std::uint32_t out = choose_port(node, frame);
  PortState& port = ports_[out];
  if (frame.kind != Frame::Kind::data) {
    port.control.push(frames_, which, 0);
    return serve(out);
  }
  if (!make_room(node, out, which)) {
    ++drops_;
    if (params_.switches.loss != Loss::trim) {
      ++port.counters.drops;
      return release(which);
    }
    ++port.counters.trims;
    frame.kind = Frame::Kind::trimmed;
    frame.wire_bytes = params_.format.trimmed_wire_bytes();
    port.control.push(frames_, which, 0);
    return serve(out);
  }
  if (params_.watch_queues) port.found.add(port.data.bytes());
  port.data.push(frames_, which, port.data.lists() > 1 ? ports_[frame.in_port].local : 0);
  port.counters.most_queued_bytes = std::max(port.counters.most_queued_bytes, port.data.bytes());
  if (params_.switches.ecn_point == EcnPoint::joining) mark(port, frame);
  if (params_.switches.loss == Loss::pause) {
    SharedBuffer& buffer = *buffers_[node - network_.hosts()];
    const std::uint32_t input = ports_[frame.in_port].local;
    if (!buffer.is_paused(input) && buffer.must_pause(input)) {
      buffer.set_paused(input, true);
      // Who waits for an output that is paused itself waits for what paused that one.
      ports_[frame.in_port].asks_for = is_paused(port) ? port.keeps_to : PauseOrigin{out, work_of(frame)};
      request_pause(frame.in_port, params_.switches.pause_quanta);
    }
  }
  serve(out);
}

void EthernetEngine::mark(PortState& port, Frame& frame) {
  if (!needs_.marks || !port.ecn.marks(port.data.bytes(), random_)) return;
  frame.marked = true;
  ++port.counters.marks;
}

bool EthernetEngine::make_room(std::uint32_t node, std::uint32_t out, std::uint32_t which) {
  const Frame& frame = frames_[which];
  const EthernetSwitchParams& at = params_.switches;
  if (at.loss != Loss::pause && at.queue_limit_bytes != 0 &&
      ports_[out].data.bytes() + frame.wire_bytes > at.queue_limit_bytes)
    return false;
  return buffers_[node - network_.hosts()]->admit(ports_[frame.in_port].local, frame.wire_bytes);
}

void EthernetEngine::release_buffer(std::uint32_t node, std::uint32_t in_port, std::uint32_t bytes) {
  SharedBuffer& buffer = *buffers_[node - network_.hosts()];
  PortState& in = ports_[in_port];
  buffer.release(in.local, bytes);
  if (!buffer.is_paused(in.local) || !buffer.may_resume(in.local)) return;
  buffer.set_paused(in.local, false);
  request_pause(in_port, 0);
}

void EthernetEngine::request_pause(std::uint32_t in_port, std::uint32_t quanta) {
  PortState& in = ports_[in_port];
  in.pause_to_send = quanta;
  if (quanta != 0) {
    in.xoff_ps = now_;
    if (!in.refreshes) schedule(refresh_ps(in), What::refresh, in_port);
    in.refreshes = true;
  }
  serve(in_port);
}

void EthernetEngine::refresh_pause(std::uint32_t in_port) {
  PortState& in = ports_[in_port];
  in.refreshes = false;
  if (!buffers_[in.port.node - network_.hosts()]->is_paused(in.local)) return;
  if (now_ >= refresh_ps(in)) {
    check_deadlock();
    return request_pause(in_port, params_.switches.pause_quanta);
  }
  in.refreshes = true;
  schedule(refresh_ps(in), What::refresh, in_port);
}

/// Of all paused ports that have something to send, those stay whose packets, at the next switch, wait for
/// such ports only.
std::vector<std::uint32_t> EthernetEngine::locked_ports() const {
  std::vector<bool> locked(ports_.size());
  std::vector<std::vector<std::uint32_t>> waits(
      ports_.size());  // of the input behind: the outputs its packets wait for
  for (std::uint32_t number = 0; number < ports_.size(); ++number) {
    const PortState& port = ports_[number];
    locked[number] = is_paused(port) && !port.data.empty();
    port.data.each(frames_, [&](const Frame& frame) { waits[frame.in_port].push_back(number); });
    if (port.busy && port.sending_bytes != 0) waits[port.sending_input].push_back(number);
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (std::uint32_t number = 0; number < ports_.size(); ++number) {
      if (!locked[number]) continue;
      const auto& of = waits[ports_[number].port.peer_port];
      if (!of.empty() && std::all_of(of.begin(), of.end(), [&](std::uint32_t out) { return locked[out]; }))
        continue;
      locked[number] = false;
      changes = true;
    }
  }
  // Along the cycle, from any of them on.
  for (std::uint32_t number = 0; number < ports_.size(); ++number) {
    if (!locked[number]) continue;
    std::vector<std::uint32_t> way{number};
    for (;;) {
      const std::uint32_t next = waits[ports_[way.back()].port.peer_port].front();
      const auto seen = std::find(way.begin(), way.end(), next);
      if (seen != way.end()) return {seen, way.end()};
      way.push_back(next);
    }
  }
  return {};
}

void EthernetEngine::check_deadlock() const {
  const auto locked = locked_ports();
  if (locked.empty()) return;
  std::string message = "PFC has locked: each of these ports is paused until the next one sends:";
  for (const std::uint32_t port : locked) message += " " + network_.port_name(port);
  throw Deadlock(
      message +
          " (routes without a cycle of buffers, or congestion control that keeps queues short, avoid it)",
      locked);
}

}  // namespace wafertlm::ethernet
