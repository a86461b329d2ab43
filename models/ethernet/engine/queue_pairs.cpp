// SPDX-License-Identifier: Apache-2.0
// Queue pairs of the engine: those that are opened stay; that of a message of its own is made for each event
// that concerns it, and kept between them only if counts do not say all about it.
#include "models/ethernet/engine/ethernet_engine.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm::ethernet {

void EthernetEngine::require_hosts(std::uint32_t from, std::uint32_t to) const {
  if (from == to || from >= network_.hosts() || to >= network_.hosts())
    throw std::invalid_argument("a queue pair needs two different hosts of the network");
}

/// Without sequences.
QueuePair& EthernetEngine::new_pair(std::uint32_t from, std::uint32_t to, std::uint32_t connection) {
  const std::uint32_t number = take_number(pairs_, free_pairs_);
  QueuePair& pair = pairs_[number];
  pair.number = pair.id = number;
  pair.from = from;
  pair.to = to;
  pair.hash = five_tuple_hash(from, to, connection) ^ splitmix64::mix(params_.seed);
  pair.route = &way(from, to);
  pair.control = nic::make_scheme(params_.nics.scheme, pair.route->path);
  return pair;
}

std::uint32_t EthernetEngine::open(std::uint32_t from, std::uint32_t to) {
  require_hosts(from, to);
  QueuePair& pair = new_pair(from, to, static_cast<std::uint32_t>(connections_++));
  pair.sender = nic::make_send_sequence(params_.nics.transport, 0, 0);
  pair.receiver = nic::make_receive_sequence(params_.nics.transport, 0);
  return pair.number;
}

void EthernetEngine::send_alone(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                std::uint64_t message, TimePs now, std::uint64_t work) {
  require_hosts(from, to);
  now_ = now;
  const std::uint32_t number = take_number(own_, free_own_);
  OwnMessage& own = own_[number];
  own = {};
  own.number = message;
  own.bytes = bytes;
  own.work = work;
  own.from = from;
  own.to = to;
  own.connection = static_cast<std::uint32_t>(connections_++);
  own.queue_pair = OwnMessage::kNobody;
  own.is_ready = true;
  hosts_[from].turn.push_back(number | OwnMessage::kFlag);
  serve(network_.host_port(from));
}

/// As it would be if it had been there all the time.
QueuePair& EthernetEngine::make_pair(std::uint32_t number) {
  OwnMessage& own = own_[number];
  QueuePair& pair = new_pair(own.from, own.to, own.connection);
  const std::uint64_t packets = params_.format.packets(own.bytes), mtu = params_.format.mtu_bytes;
  pair.id = number | OwnMessage::kFlag;
  pair.own = number;
  pair.messages.push_back(
      {own.number, packets, 0, static_cast<std::uint32_t>(own.bytes - (packets - 1) * mtu), own.work});
  pair.sender = nic::make_send_sequence(params_.nics.transport, own.acknowledged, own.next);
  pair.sender->extend(packets - own.next);
  pair.receiver = nic::make_receive_sequence(params_.nics.transport, own.expected);
  pair.delivered = own.expected >= packets ? 1 : 0;
  pair.acknowledged = own.acknowledged;
  pair.furthest = pair.counters.packets = own.next;
  pair.is_ready = own.is_ready;
  own.queue_pair = pair.number & OwnMessage::kNobody;
  return pair;
}

/// If it is that of one message, and nobody will miss it.
void EthernetEngine::leave(QueuePair& pair) {
  if (pair.own == OwnMessage::kNone || pair.is_held || pair.looks != 0 || pair.waits) return;
  OwnMessage& own = own_[pair.own];
  if (pair.messages.empty()) {
    if (own.frames != 0) return;
    closed_ += pair.counters;
    listener_.on_closed(own.number, pair.counters);
    free_own_.push_back(pair.own);
  } else {
    // Pulls and flowlets go by what was before.
    if (needs_.pulls || params_.switches.balance == LoadBalance::flowlet || !pair.is_plain(now_)) return;
    own.next = static_cast<std::uint32_t>(pair.sender->next());
    own.acknowledged = static_cast<std::uint32_t>(pair.acknowledged);
    own.expected = static_cast<std::uint32_t>(pair.receiver->expected());
    own.is_ready = pair.is_ready;
    own.queue_pair = OwnMessage::kNobody;
  }
  const std::uint32_t number = pair.number;
  if (needs_.pulls) {  // its receiver may still have it in its turn
    pair.own = OwnMessage::kNone;
    pair.id = number;
    pair.counters = {};
    return;
  }
  auto messages = std::move(pair.messages);  // for its room
  while (!messages.empty()) messages.pop_front();
  pair = {};
  pair.messages = std::move(messages);
  free_pairs_.push_back(number);
}

std::uint32_t EthernetEngine::new_frame(const QueuePair& pair) {
  const std::uint32_t which = frames_.acquire();
  frames_[which].queue_pair = pair.id;
  if (pair.own != OwnMessage::kNone) ++own_[pair.own].frames;
  return which;
}

void EthernetEngine::release(std::uint32_t which) {
  const std::uint32_t id = frames_[which].queue_pair;
  frames_.release(which);
  if ((id & OwnMessage::kFlag) == 0) return;
  OwnMessage& own = own_[id & ~OwnMessage::kFlag];
  --own.frames;
  if (own.queue_pair != OwnMessage::kNobody) leave(pairs_[own.queue_pair]);
}

/// What a packet under way belongs to.
std::uint64_t EthernetEngine::work_of(const Frame& frame) const {
  const std::uint32_t id = frame.queue_pair;
  return (id & OwnMessage::kFlag) == 0 ? pairs_[id].work_of(frame.packet)
                                       : own_[id & ~OwnMessage::kFlag].work;
}

}  // namespace wafertlm::ethernet
