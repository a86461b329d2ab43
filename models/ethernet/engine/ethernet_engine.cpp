// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/engine/ethernet_engine.h"

#include <algorithm>

namespace wafertlm::ethernet {

namespace {
constexpr std::uint32_t kMostPorts = 4096;  // of a switch, which has a queue for each pair of them
}  // namespace

EthernetEngine::EthernetEngine(Network network, const EthernetParams& params, MessageListener& listener)
    : network_(std::move(network)),
      params_(params),
      needs_(nic::needs_of(params.nics.scheme)),
      listener_(listener),
      frames_(needs_.telemetry),
      random_(params.seed),
      headroom_(network_.ports().size()),
      response_(network_.ports().size()) {
  const EthernetSwitchParams& at = params_.switches;
  for (const Port& port : network_.ports()) ports_.emplace_back(port);
  for (std::uint32_t node = 0; node < network_.nodes(); ++node)
    node_seeds_.push_back(splitmix64::mix(params.seed + node));
  for (std::uint32_t node = 0; node < network_.nodes(); ++node) {
    const auto& own = network_.ports_of(node);
    const auto inputs = static_cast<std::uint32_t>(own.size());
    if (at.fair_inputs && !network_.is_host(node) && inputs > kMostPorts)
      throw std::invalid_argument(network_.name(node) + " has " + std::to_string(inputs) +
                                  " ports, more than " + std::to_string(kMostPorts));
    for (std::uint32_t i = 0; i < inputs; ++i) {
      PortState& port = ports_[own[i]];
      port.local = i;
      const auto ecn = at.ecn_of_speed.find(port.port.bytes_per_s);
      port.ecn = ecn == at.ecn_of_speed.end() ? at.ecn : ecn->second;
      if (!network_.is_host(node)) port.data = PortQueue(at.fair_inputs ? inputs : 1);
    }
  }
  for (std::uint32_t host = 0; host < network_.hosts(); ++host)
    hosts_.emplace_back(network_.ports()[network_.host_port(host)].bytes_per_s);
  for (std::uint32_t node = network_.hosts(); node < network_.nodes(); ++node) {
    std::vector<std::uint64_t> headroom;
    std::uint64_t taken = 0;
    for (const std::uint32_t number : network_.ports_of(node)) {
      const Port& port = network_.ports()[number];
      if (at.loss == Loss::pause) {
        response_[number] = at.response_ps ? *at.response_ps : response_ps(port.bytes_per_s);
        const std::uint64_t least =
            headroom_bytes({port.bytes_per_s, port.latency_ps, response_[number] + at.pipeline_ps},
                           params_.format.data_wire_bytes(params_.format.mtu_bytes, true));
        headroom_[number] = at.headroom_bytes != 0 ? at.headroom_bytes : least;
        if (at.check_headroom && headroom_[number] < least)
          throw std::invalid_argument("a headroom of " + std::to_string(headroom_[number]) + " bytes on " +
                                      network_.port_name(number) + " loses packets; it needs " +
                                      std::to_string(least));
        if (pause_ps(at.pause_quanta, port.bytes_per_s) < 4 * (port.latency_ps + response_[number]))
          throw std::invalid_argument("a pause of " + std::to_string(at.pause_quanta) + " quanta on " +
                                      network_.port_name(number) + " ends before it can be repeated");
      }
      headroom.push_back(headroom_[number]);
      taken += headroom_[number] + at.reserved_bytes;
    }
    if (taken >= at.buffer_bytes)
      throw std::invalid_argument("the ports of " + network_.name(node) + " need " + std::to_string(taken) +
                                  " bytes of headroom and reserve; its buffer has " +
                                  std::to_string(at.buffer_bytes));
    buffers_.push_back(std::make_unique<SharedBuffer>(
        SharedBufferParams{at.buffer_bytes - taken, at.reserved_bytes, at.threshold}, std::move(headroom)));
  }
}

/// What the events that come next will look at, in the order in which one thing names the other.
void EthernetEngine::prefetch() const {
  const auto fetch_port = [&](std::uint32_t number) {
    const char* const port = reinterpret_cast<const char*>(&ports_[number]);
    for (int line = 0; line < 4; ++line) __builtin_prefetch(port + 64 * line);
  };
  const auto is = [](const EventQueue::Event* event, What what) {
    return event != nullptr && (event->what & 0xFF) == static_cast<std::uint32_t>(what);
  };
  const EventQueue::Event* event = events_.ahead(16);
  if (is(event, What::line_free)) fetch_port(event->whom);
  if (is(event, What::arrive) || is(event, What::deliver)) __builtin_prefetch(&frames_[event->whom]);
  event = events_.ahead(12);
  if (is(event, What::line_free)) ports_[event->whom].data.prefetch();
  if (is(event, What::arrive)) network_.prefetch(frames_[event->whom].node, frames_[event->whom].to);
  if (is(event, What::deliver)) {
    const std::uint32_t id = frames_[event->whom].queue_pair;
    if ((id & OwnMessage::kFlag) == 0)
      __builtin_prefetch(&pairs_[id]);
    else
      __builtin_prefetch(&own_[id & ~OwnMessage::kFlag]);
  }
  event = events_.ahead(8);
  if (is(event, What::line_free)) {
    const std::uint32_t frame = ports_[event->whom].data.front();
    if (frame != kNoFrame) __builtin_prefetch(&frames_[frame]);
  }
  if (is(event, What::arrive)) {
    const Frame& frame = frames_[event->whom];
    const PortList ways = network_.next_ports(frame.node, frame.to);
    if (params_.switches.balance != LoadBalance::adaptive) fetch_port(hashed_port(frame.node, frame, ways));
    buffers_[frame.node - network_.hosts()]->prefetch(ports_[frame.in_port].local);
  }
}

void EthernetEngine::run(TimePs until) {
  while (!events_.empty() && events_.next_ps() <= until) {
    const EventQueue::Event event = events_.pop();
    prefetch();
    now_ = event.at;
    ++event_count_;
    happen(event);
  }
}

void EthernetEngine::happen(const EventQueue::Event& event) {
  const std::uint32_t whom = event.whom;
  switch (static_cast<What>(event.what & 0xFF)) {
    case What::arrive:
      return arrive_at_switch(frames_[whom].node, whom);
    case What::deliver:
      return arrive_at_host(whom);
    case What::line_free:
      return line_free(whom);
    case What::pause:
      return take_pause(whom, event.what >> 8);
    case What::resume:
      return is_paused(ports_[whom]) ? void() : take_pause(whom, 0);
    case What::refresh:
      return refresh_pause(whom);
    case What::ready:
      pairs_[whom].waits = false;
      make_ready(pairs_[whom]);
      return leave(pairs_[whom]);
    case What::timer: {
      QueuePair& pair = pairs_[whom];
      if (pair.timer_ps != now_) return;
      pair.timer_ps = kNever;
      if (pair.sender->is_done()) return;
      if (pair.control->timer_ps() <= now_) pair.control->on_timer(now_);
      ask_timer(pair);
      return make_ready(pair);
    }
    case What::timeout:
      return time_out(pairs_[whom]);
    case What::pull:
      return pull(whom);
  }
}

// Ports. A line that is free takes a pause frame first, then control, then data.

void EthernetEngine::serve(std::uint32_t number) {
  PortState& port = ports_[number];
  if (port.busy) return;
  if (port.pause_to_send) return transmit_pause(number);
  // Headers alone could fill a slow line: NDP's ten to one (Handley et al., SIGCOMM 2017, section 3.1).
  const bool is_datas_turn =
      params_.switches.loss == Loss::trim && port.controls_in_row == 10 && !port.data.empty();
  if (!port.control.empty() && !is_datas_turn) {
    port.controls_in_row = std::min(port.controls_in_row + 1, 10U);
    return transmit(number, port.control.pop(frames_));
  }
  port.controls_in_row = 0;
  if (is_paused(port)) return;
  if (network_.is_host(port.port.node))
    send_data(port.port.node);
  else if (!port.data.empty())
    transmit(number, port.data.pop(frames_));
}

void EthernetEngine::transmit(std::uint32_t number, std::uint32_t which) {
  PortState& port = ports_[number];
  Frame& frame = frames_[which];
  const bool from_switch = !network_.is_host(port.port.node);
  if (frame.kind == Frame::Kind::data && from_switch) {
    if (frames_.has_telemetry() && frame.hops < kMostHops)
      frames_.telemetry(which)[frame.hops++] = {port.data.bytes(), port.counters.wire_bytes, now_,
                                                port.port.bytes_per_s};
    if (params_.switches.ecn_point == EcnPoint::leaving) mark(port, frame);
  }
  TimePs end = port.line.send(frame.wire_bytes, now_, Line::kUnbound).end;
  const TimePs pipeline = params_.switches.pipeline_ps;
  if (from_switch && end < frame.tail_ps + pipeline) {  // cut-through, from a slower line
    end = frame.tail_ps + pipeline;
    port.line.set_idle_since(end);
  }
  ++port.counters.packets;
  port.counters.wire_bytes += frame.wire_bytes;
  if (frame.kind == Frame::Kind::data) port.counters.payload_bytes += frame.expected;
  ++hops_;
  port.busy = true;
  if (from_switch && frame.kind == Frame::Kind::data) {
    port.sending_bytes = frame.wire_bytes;
    port.sending_input = frame.in_port;
  } else {
    port.sending_bytes = 0;
  }
  frame.tail_ps = end + port.port.latency_ps;
  frame.in_port = port.port.peer_port;
  schedule(end, What::line_free, number);
  frame.node = port.port.peer_node;
  if (network_.is_host(frame.node)) return schedule(frame.tail_ps, What::deliver, which);
  const TimePs there = params_.switches.cut_through ? now_ + port.port.latency_ps : frame.tail_ps;
  schedule(there + pipeline, What::arrive, which);
}

void EthernetEngine::transmit_pause(std::uint32_t number) {
  PortState& port = ports_[number];
  const std::uint32_t quanta = *port.pause_to_send;
  port.pause_to_send.reset();
  const TimePs end = port.line.send(kPauseWireBytes, now_, Line::kUnbound).end;
  port.counters.wire_bytes += kPauseWireBytes;
  ++port.counters.pauses;
  port.busy = true;
  port.sending_bytes = 0;
  schedule(end, What::line_free, number);
  schedule(end + port.port.latency_ps + response_[number], What::pause, port.port.peer_port, quanta);
}

void EthernetEngine::line_free(std::uint32_t number) {
  PortState& port = ports_[number];
  port.busy = false;
  if (port.sending_bytes != 0) release_buffer(port.port.node, port.sending_input, port.sending_bytes);
  serve(number);
}

/// 0: go on, also when a pause has run out.
void EthernetEngine::take_pause(std::uint32_t number, std::uint32_t quanta) {
  PortState& port = ports_[number];
  port.pause.receive(quanta, port.port.bytes_per_s, now_);
  if (quanta != 0) {
    const PauseOrigin& origin = ports_[port.port.peer_port].asks_for;
    if (!(origin == port.keeps_to)) end_pause(number);
    port.keeps_to = origin;
    if (port.paused_since == kNever) port.paused_since = now_;
    return schedule(port.pause.until_ps(), What::resume, number);
  }
  end_pause(number);
  serve(number);
}

void EthernetEngine::end_pause(std::uint32_t number) {
  PortState& port = ports_[number];
  if (port.paused_since == kNever) return;
  port.counters.paused_ps += now_ - port.paused_since;
  paused_by_[{number, port.keeps_to.root, port.keeps_to.work}] += now_ - port.paused_since;
  listener_.on_paused(number, port.keeps_to, port.paused_since, now_);
  port.paused_since = kNever;
}

std::vector<PauseCause> EthernetEngine::pause_causes() const {
  auto all = paused_by_;
  for (std::uint32_t number = 0; number < ports_.size(); ++number) {
    const PortState& port = ports_[number];
    if (port.paused_since != kNever)
      all[{number, port.keeps_to.root, port.keeps_to.work}] += now_ - port.paused_since;
  }
  std::vector<PauseCause> causes;
  for (const auto& [key, paused_ps] : all)
    causes.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), paused_ps});
  return causes;
}

PortCounters EthernetEngine::counters(std::uint32_t port) const {
  PortCounters counters = ports_[port].counters;
  if (ports_[port].paused_since != kNever) counters.paused_ps += now_ - ports_[port].paused_since;
  return counters;
}

const QueuePairCounters& EthernetEngine::queue_pair(std::uint32_t number) const {
  return pairs_[number].counters;
}

QueuePairCounters EthernetEngine::all_queue_pairs() const {
  QueuePairCounters sum = closed_;
  for (const QueuePair& pair : pairs_) sum += pair.counters;
  return sum;
}

const nic::CongestionControl& EthernetEngine::control(std::uint32_t number) const {
  return *pairs_[number].control;
}

std::uint64_t EthernetEngine::buffered_bytes(std::uint32_t node) const {
  return buffers_[node - network_.hosts()]->used_bytes();
}

std::uint64_t EthernetEngine::headroom_used(std::uint32_t port) const {
  const PortState& of = ports_[port];
  return buffers_[of.port.node - network_.hosts()]->most_headroom_used(of.local);
}

std::uint64_t EthernetEngine::headroom_of(std::uint32_t port) const { return headroom_[port]; }

}  // namespace wafertlm::ethernet
