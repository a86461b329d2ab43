// SPDX-License-Identifier: Apache-2.0
#include "models/messages/message_network.h"

#include <algorithm>
#include <limits>

namespace wafertlm {

using Event = MessageRecord::Event;

MessageNetwork::MessageNetwork(std::uint32_t npus, const WireFormat& format, const ClassTable& classes,
                               Scheduler& scheduler, const MessageRules& rules)
    : scheduler_(scheduler), rules_(rules), ports_(format, classes, records_, rules), npus_(npus) {
  for (std::uint32_t n = 0; n < npus; ++n) {
    npus_[n].network = this;
    npus_[n].id = NpuId{n};
  }
}

Communication& MessageNetwork::connect(NpuId npu, MessageListener& listener, const MessageCosts& costs) {
  npus_[index_of(npu)].listener = &listener;
  costs_ = costs;
  return npus_[index_of(npu)];
}

void MessageNetwork::due(MessageRecord& record, Event event, TimePs at) {
  record.event = event;
  scheduler_.schedule_run_ahead(at, *this, record.index);
}

void MessageNetwork::wake(std::uint32_t what, TimePs now) {
  if (what == kChoose) return choose(now);
  if (what == kLaunch) {
    const std::vector<std::uint32_t> due = std::move(launches_.begin()->second);
    launches_.erase(launches_.begin());
    for (const std::uint32_t record : due) launch(records_[record], now);
    return;
  }
  MessageRecord& record = records_[what];
  switch (record.event) {
    case Event::launch:
      return launch(record, now);
    case Event::reach:
      return reach(record, now);
    case Event::arrive:
      return arrived(record, now);
    case Event::take:
      return take(record, now);
    case Event::left:
      return sent(record, now);
    case Event::local: {
      MessageRank& rank = *record.rank;
      const std::uint32_t threadblock = record.threadblock;
      records_.release(record);
      return runner_.local_done(rank, threadblock, now);
    }
    case Event::done: {
      MessageRank& rank = *record.rank;
      records_.release(record);
      return ended(rank);
    }
  }
}

void MessageNetwork::prefetch(std::uint32_t what, unsigned depth) const {
  if (what >= kLaunch) return;
  const MessageRecord& record = records_[what];
  if (depth == 0) {
    __builtin_prefetch(&record);
    if (!carrier_) __builtin_prefetch(&records_.way(record));
  } else if (record.event == Event::arrive) {
    const Npu& npu = npus_[index_of(record.destination)];
    const MessageRank* const rank = npu.recent;
    if (depth == 1) {
      __builtin_prefetch(&npu);
    } else if (depth == 2 && rank) {
      __builtin_prefetch(rank);
      __builtin_prefetch(reinterpret_cast<const char*>(rank) + 64);
    } else if (depth == 3 && rank && record.threadblock < rank->threadblocks.size()) {
      const auto* const threadblock = reinterpret_cast<const char*>(&rank->threadblocks[record.threadblock]);
      __builtin_prefetch(threadblock);
      __builtin_prefetch(threadblock + 64);
    }
  }
}

/// What a carrier gets at one time needs one event.
void MessageNetwork::launch_at(MessageRecord& message, TimePs at) {
  if (!carrier_) return due(message, Event::launch, at);
  std::vector<std::uint32_t>& all = launches_[at];
  if (all.empty()) scheduler_.schedule_run_ahead(at, *this, kLaunch);
  all.push_back(message.index);
}

/// The sender's first link.
void MessageNetwork::launch(MessageRecord& message, TimePs now) {
  if (carrier_) return carrier_->carry({message.key, message.bytes, message.destination, message.index}, now);
  MessageWay& way = records_.way(message);
  way.tail_ps = way.ready_ps = now;
  way.vertex = static_cast<std::uint32_t>(message.key.source);
  ask(ports_.put(message, true, next_order_++), now);
}

/// Its head is at a vertex on the way.
void MessageNetwork::reach(MessageRecord& message, TimePs now) {
  MessageWay& way = records_.way(message);
  if (!way.in_flow || message.key.source == kFromSwitch || way.vertex < npus_.size())
    return ask(ports_.put(message, false, 0), now);
  auto sum = flows_.add(message, way, now);
  if (sum) distribute(message, std::move(*sum), way.vertex, now);
  way.in_flow = false;
  records_.release(message);
}

/// A copy of a flow's sum for each receiver.
void MessageNetwork::distribute(const MessageRecord& last, MessageFlows::Sum sum, std::uint32_t vertex,
                                TimePs now) {
  for (std::size_t i = 0; i < sum.receivers.size(); ++i) {
    MessageRecord& copy = records_.acquire();
    copy.key = {last.key.operation, last.key.tag, kFromSwitch};
    copy.destination = sum.receivers[i];
    copy.bytes = last.bytes;
    copy.rank = nullptr;
    copy.threadblock = 0;
    copy.nonblocking = true;
    copy.traffic_class = last.traffic_class;
    MessageWay& way = records_.way(copy);
    way.in_flow = true;
    way.vertex = vertex;
    way.input = sum.input;
    way.ready_ps = now;
    way.tail_ps = sum.tail_ps;
    way.head_fraction = sum.head_fraction;
    if (sum.data)
      way.data = i + 1 == sum.receivers.size() ? std::move(sum.data)
                                               : std::make_unique<std::vector<std::byte>>(*sum.data);
    ask(ports_.put(copy, false, 0), now);
  }
}

/// Somebody waits at the port, which chooses when its line is free and all that is ready by then is there.
void MessageNetwork::ask(std::uint32_t number, TimePs now) {
  MessagePort& port = ports_.port(number);
  if (ports_.free_ps(port) > now) {
    if (port.is_awaited) return;
    port.is_awaited = true;
    scheduler_.schedule_run_ahead(ports_.free_ps(port), port_wake_, number);
    return;
  }
  if (port.is_due) return;
  port.is_due = true;
  if (due_ports_.empty()) scheduler_.schedule_run_ahead(now, *this, kChoose);
  due_ports_.push_back(number);
}

void MessageNetwork::line_free(std::uint32_t number, TimePs now) {
  ports_.port(number).is_awaited = false;
  if (ports_.port(number).is_waiting()) ask(number, now);
}

void MessageNetwork::choose(TimePs now) {
  for (std::size_t i = 0; i < due_ports_.size(); ++i) {
    if (i + 8 < due_ports_.size()) ports_.port(due_ports_[i + 8]).prefetch();
    if (i + 4 < due_ports_.size()) ports_.port(due_ports_[i + 4]).prefetch_waiting();
    serve(due_ports_[i], now);
  }
  due_ports_.clear();
}

void MessageNetwork::serve(std::uint32_t number, TimePs now) {
  MessagePort& port = ports_.port(number);
  port.is_due = false;
  if (wiring_ && port.passing.size() + !port.own.empty() > 1 && !port.passing.empty() &&
      wiring_->numbers_inputs(port.vertex))
    throw PlacesDiffer("two messages wait for a link, and which goes first depends on where they are from");
  MessageRecord* const chosen = ports_.choose(port);
  if (!chosen) return;
  MessageRecord& message = *chosen;
  const MessageWay& way = records_.way(message);
  const bool begins_here = is_at(way.vertex, message.key.source);
  const TimePs free_ps = ports_.send(port, message, now, begins_here);
  if (observer_) {
    Packet packet;
    packet.source = message.key.source == kFromSwitch ? message.destination : message.key.source;
    packet.destination = message.destination;
    packet.traffic_class = message.traffic_class;
    constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();
    packet.payload_bytes = static_cast<std::uint32_t>(std::min(message.bytes, kMaxBytes));
    packet.wire_bytes = static_cast<std::uint32_t>(std::min(ports_.wire_bytes(message.bytes), kMaxBytes));
    observer_->sent(port.vertex, PortId{port.output}, packet, now, free_ps);
  }
  if (begins_here) left(message, free_ps);
  if (wiring_) follow(port, message);
  if (is_at(way.vertex, message.destination))
    due(message, Event::arrive, way.tail_ps);
  else
    due(message, Event::reach, way.ready_ps);
  if (port.is_waiting()) ask(number, now);
}

/// The message is at another place, which the same one stands for.
void MessageNetwork::follow(const MessagePort& port, MessageRecord& message) {
  const EqualPlaces& places = *message.rank->program->places();
  const NpuId place = wiring_->behind(port, message.destination);
  wiring_->crosses(port, places);
  message.destination = places.seen_from(place, message.destination);
  message.key.source = places.seen_from(place, message.key.source);
}

/// Tells who waits for that at `at`.
void MessageNetwork::left(const MessageRecord& message, TimePs at) {
  if (message.nonblocking) return;
  MessageRecord& record = records_.acquire();
  record.key = message.key;
  record.rank = message.rank;
  record.threadblock = message.threadblock;
  record.token = message.token;
  due(record, Event::left, at);
}

}  // namespace wafertlm
