// SPDX-License-Identifier: Apache-2.0
// The NICs of the engine: queue pairs take turns; what comes is answered.
#include <algorithm>
#include <cmath>

#include "models/ethernet/engine/ethernet_engine.h"

namespace wafertlm::ethernet {

void EthernetEngine::send(std::uint32_t number, std::uint64_t bytes, std::uint64_t message, TimePs now,
                          std::uint64_t work) {
  QueuePair& pair = pairs_[number];
  now_ = now;
  const std::uint64_t packets = params_.format.packets(bytes), first = pair.sender->end();
  pair.messages.push_back({message, first + packets, first,
                           static_cast<std::uint32_t>(bytes - (packets - 1) * params_.format.mtu_bytes),
                           work});
  if (pair.sender->is_done()) {
    pair.progress_ps = now;
    while (pair.control->timer_ps() <= now) pair.control->on_timer(pair.control->timer_ps());
  }
  pair.sender->extend(packets);
  ask_timer(pair);
  make_ready(pair);
}

void EthernetEngine::make_ready(QueuePair& pair) {
  if (pair.is_ready || pair.waits || !pair.sender->has_packet()) return;
  pair.is_ready = true;
  hosts_[pair.from].turn.push_back(pair.id);
  serve(network_.host_port(pair.from));
}

void EthernetEngine::choose_way(QueuePair& pair, Frame& frame) {
  frame.hash = static_cast<std::uint32_t>(pair.hash);
  switch (params_.switches.balance) {
    case LoadBalance::ecmp:
    case LoadBalance::adaptive:
      return;
    case LoadBalance::flowlet:
      if (now_ > pair.sent_ps + params_.switches.flowlet_gap_ps) ++pair.way;
      frame.hash = static_cast<std::uint32_t>(splitmix64::mix(pair.hash + pair.way));
      return;
    case LoadBalance::spray:
      frame.hash = static_cast<std::uint32_t>(random_.next() >> 32);
      return;
    case LoadBalance::in_turn:
      frame.hash = static_cast<std::uint32_t>(pair.hash % pair.route->count + pair.way++);
      return;
  }
}

/// The rate aside.
bool EthernetEngine::may_send(const QueuePair& pair, std::uint32_t payload) const {
  const std::uint64_t in_flight = pair.sender->in_flight() * params_.format.mtu_bytes;
  if (!pair.control->may_send(in_flight, payload)) return false;
  if (params_.nics.window == WindowLimit::none || in_flight == 0) return true;
  const double share =
      params_.nics.window == WindowLimit::bdp
          ? 1
          : pair.control->rate_bytes_per_s() / static_cast<double>(pair.control->path().bytes_per_s);
  return static_cast<double>(in_flight) < pair.route->bdp_bytes * share;
}

/// The next queue pair that may send does; those that may not leave the turn until an event brings them back.
bool EthernetEngine::send_data(std::uint32_t number) {
  NicHost& host = hosts_[number];
  while (!host.turn.empty()) {
    QueuePair& pair = pair_of(host.turn.front());
    host.turn.pop_front();
    pair.is_ready = false;
    const bool sends = pair.sender->has_packet() && send_packet(pair, network_.host_port(number));
    leave(pair);
    if (sends) return true;
  }
  return false;
}

/// False: it may not.
bool EthernetEngine::send_packet(QueuePair& pair, std::uint32_t port) {
  const std::uint32_t mtu = params_.format.mtu_bytes;
  const std::uint64_t packet = pair.sender->next();
  const QueuePair::MessagePart& message = pair.message_of(packet);
  const bool is_last = packet + 1 == message.end;
  const std::uint32_t payload = is_last ? message.last_bytes : mtu;
  if (!may_send(pair, payload)) return false;
  if (pair.next_ps > now_) {
    pair.waits = true;
    schedule(pair.next_ps, What::ready, pair.number);
    return false;
  }
  const std::uint32_t which = new_frame(pair);
  Frame& frame = frames_[which];
  frame.to = pair.to;
  frame.packet = packet;
  frame.expected = payload;
  frame.is_last = is_last;
  frame.sent_ps = now_;
  frame.wire_bytes = params_.format.data_wire_bytes(payload, packet == message.first);
  choose_way(pair, frame);
  pair.sent_ps = now_;
  pair.sender->advance();
  ++pair.counters.packets;
  if (packet < pair.furthest) ++pair.counters.repeated;
  pair.control->on_sent(payload, now_);
  const double rate = pair.control->rate_bytes_per_s();
  if (rate < static_cast<double>(network_.ports()[port].bytes_per_s))
    pair.next_ps = now_ + static_cast<TimePs>(std::ceil(frame.wire_bytes * 1e12 / rate));
  ask_timer(pair);
  watch(pair);
  const bool leaves = is_last && packet >= pair.furthest;
  pair.furthest = std::max(pair.furthest, packet + 1);
  if (pair.sender->has_packet()) {
    pair.is_ready = true;
    hosts_[pair.from].turn.push_back(pair.id);
  }
  transmit(port, which);
  if (leaves) listener_.on_left(message.number, ports_[port].line.free_ps());
  return true;
}

/// A queue pair at rest has no timers; what they would have done is done when it has something to send.
void EthernetEngine::ask_timer(QueuePair& pair) {
  if (pair.sender->is_done()) return;
  const TimePs at = pair.control->timer_ps();
  if (at >= pair.timer_ps) return;  // it asks again then
  pair.timer_ps = std::max(at, now_);
  schedule(pair.timer_ps, What::timer, pair.number);
}

void EthernetEngine::watch(QueuePair& pair) {
  if (params_.nics.timeout_ps == 0 || pair.watched) return;
  pair.watched = true;
  pair.progress_ps = std::max(pair.progress_ps, now_);
  ++pair.looks;
  schedule(pair.progress_ps + params_.nics.timeout_ps, What::timeout, pair.number);
}

void EthernetEngine::time_out(QueuePair& pair) {
  --pair.looks;
  pair.watched = false;
  if (pair.sender->in_flight() == 0) return leave(pair);
  if (now_ >= pair.progress_ps + params_.nics.timeout_ps) {
    ++pair.counters.timeouts;
    pair.progress_ps = now_;
    progress(pair, pair.sender->on_timeout(), false);
    // The receiver may have lost count, too: what it was asked for never came.
    if (needs_.pulls) pair.control->on_pull(params_.format.mtu_bytes, now_);
    pair.is_held = true;
    make_ready(pair);
    pair.is_held = false;
  }
  pair.watched = true;
  ++pair.looks;
  schedule(pair.progress_ps + params_.nics.timeout_ps, What::timeout, pair.number);
}

void EthernetEngine::arrive_at_host(std::uint32_t which) {
  QueuePair& pair = pair_of(frames_[which].queue_pair);
  pair.is_held = true;
  take(pair, which);
  pair.is_held = false;
  leave(pair);
}

void EthernetEngine::take(QueuePair& pair, std::uint32_t which) {
  switch (frames_[which].kind) {
    case Frame::Kind::data:
    case Frame::Kind::trimmed:
      return receive_data(pair, which);
    case Frame::Kind::ack:
    case Frame::Kind::nack:
      return receive_answer(pair, which);
    case Frame::Kind::cnp:
      ++pair.counters.cnps;
      pair.control->on_cnp(now_);
      ask_timer(pair);
      return release(which);
    case Frame::Kind::pull:
      if (!pair.sender->is_done()) pair.control->on_pull(params_.format.mtu_bytes, now_);
      make_ready(pair);
      return release(which);
  }
}

void EthernetEngine::receive_data(QueuePair& pair, std::uint32_t which) {
  const bool is_whole = frames_[which].kind == Frame::Kind::data;
  if (needs_.cnps && frames_[which].marked && needs_.cnp_interval_ps != 0 && now_ >= pair.cnp_ps) {
    pair.cnp_ps = now_ + needs_.cnp_interval_ps;
    send_control(pair.to, pair, Frame::Kind::cnp, params_.format.cnp_wire_bytes());
  }
  const std::uint64_t packet = frames_[which].packet;
  nic::Answer back;
  if (is_whole) {
    const nic::Receipt receipt = pair.receiver->on_packet(packet, frames_[which].is_last);
    back = receipt.answer;
    if (receipt.is_new) deliver(pair);
  } else {
    back = pair.receiver->on_trimmed(packet);
  }
  if (needs_.pulls && pair.receiver->expected() < pair.sender->end()) {
    hosts_[pair.to].pacer.owe(pair.number);
    if (!hosts_[pair.to].pulls) {
      hosts_[pair.to].pulls = true;
      schedule(std::max(now_, hosts_[pair.to].pacer.next_ps()), What::pull, pair.to);
    }
  }
  answer(pair, which, back);
}

void EthernetEngine::deliver(QueuePair& pair) {
  while (pair.delivered < pair.messages.size() &&
         pair.messages[pair.delivered].end <= pair.receiver->expected())
    listener_.on_delivered(pair.messages[pair.delivered++].number, now_);
}

/// The packet becomes its answer and takes its telemetry along.
void EthernetEngine::answer(QueuePair& pair, std::uint32_t which, const nic::Answer& back) {
  if (back.kind == nic::Answer::Kind::none) return release(which);
  Frame& frame = frames_[which];
  if (frame.kind == Frame::Kind::trimmed)
    frame.is_last = true;  // a NACK's: the loss is certain
  else
    frame.is_last = false;
  frame.kind = back.kind == nic::Answer::Kind::ack ? Frame::Kind::ack : Frame::Kind::nack;
  frame.packet = back.packet;
  frame.expected = back.expected;
  frame.to = pair.from;
  frame.wire_bytes = params_.format.ack_wire_bytes();
  put_control(pair.to, which);
}

void EthernetEngine::put_control(std::uint32_t host, std::uint32_t which) {
  const std::uint32_t port = network_.host_port(host);
  ports_[port].control.push(frames_, which, 0);
  serve(port);
}

void EthernetEngine::send_control(std::uint32_t host, QueuePair& pair, Frame::Kind kind,
                                  std::uint32_t wire_bytes) {
  const std::uint32_t which = new_frame(pair);
  Frame& frame = frames_[which];
  frame.kind = kind;
  frame.to = host == pair.from ? pair.to : pair.from;
  frame.hash = static_cast<std::uint32_t>(pair.hash);
  frame.wire_bytes = wire_bytes;
  put_control(host, which);
}

void EthernetEngine::pull(std::uint32_t number) {
  NicHost& host = hosts_[number];
  host.pulls = false;
  if (host.pacer.is_empty()) return;
  QueuePair& pair = pairs_[host.pacer.pull(params_.format.full_wire_bytes(), now_)];
  if (!host.pacer.is_empty()) {
    host.pulls = true;
    schedule(host.pacer.next_ps(), What::pull, number);
  }
  send_control(number, pair, Frame::Kind::pull, params_.format.trimmed_wire_bytes());
}

void EthernetEngine::receive_answer(QueuePair& pair, std::uint32_t which) {
  const Frame& frame = frames_[which];
  const bool is_ack = frame.kind == Frame::Kind::ack;
  const auto made = pair.sender->on_answer(
      {is_ack ? nic::Answer::Kind::ack : nic::Answer::Kind::nack, frame.expected, frame.packet});
  pair.progress_ps = now_;
  pair.acknowledged += made.acknowledged;
  if (is_ack) {
    const std::uint64_t mtu = params_.format.mtu_bytes;
    nic::AckEvent ack;
    ack.now_ps = now_;
    ack.rtt_ps = now_ - frame.sent_ps;
    ack.acked_bytes = made.acknowledged * mtu;
    ack.acknowledged = pair.acknowledged * mtu;
    ack.sent = ack.acknowledged + pair.sender->in_flight() * mtu;
    ack.marked = frame.marked;
    if (frames_.has_telemetry()) {
      ack.hops = frames_.telemetry(which).data();
      ack.hop_count = frame.hops;
    }
    pair.control->on_ack(ack);
    if (frame.marked && needs_.cnps && needs_.cnp_interval_ps == 0) {
      ++pair.counters.cnps;
      pair.control->on_cnp(now_);
    }
  }
  progress(pair, made, frame.is_last);
  if (pair.sender->acknowledged() == pair.furthest) pair.control->on_all_acknowledged();
  ask_timer(pair);
  make_ready(pair);
  release(which);
}

void EthernetEngine::progress(QueuePair& pair, const nic::SendSequence::Progress& made, bool trimmed) {
  if (made.lost != 0) pair.control->on_loss({now_, trimmed});
  while (!pair.messages.empty() && pair.messages.front().end <= pair.sender->acknowledged()) {
    listener_.on_acknowledged(pair.messages.front().number, now_);
    pair.messages.pop_front();
    --pair.delivered;
  }
}

}  // namespace wafertlm::ethernet
