// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/reliability.h"

#include <algorithm>

namespace wafertlm {

ReliabilityCounters& ReliabilityCounters::operator+=(const ReliabilityCounters& other) {
  for (const auto member :
       {&ReliabilityCounters::sent_bytes, &ReliabilityCounters::repeated_packets,
        &ReliabilityCounters::repeated_bytes, &ReliabilityCounters::discarded_packets,
        &ReliabilityCounters::discarded_bytes, &ReliabilityCounters::taken_bytes, &ReliabilityCounters::acks,
        &ReliabilityCounters::nacks, &ReliabilityCounters::repeats, &ReliabilityCounters::timeouts,
        &ReliabilityCounters::spoiled_packets})
    this->*member += other.*member;
  return *this;
}

namespace {

/// Links into the fabric have numbers of their own, far from those of switches.
constexpr std::uint64_t kFirstLink = std::uint64_t{1} << 40;

}  // namespace

Reliability::Reliability(NpuId npu, const ReliabilityParams& params, const WireFormat& format,
                         Injector& injector, PacketPool& packets, MessagePool& messages,
                         ReliabilityHost& host)
    : npu_(npu),
      params_(params),
      format_(format),
      injector_(injector),
      packets_(packets),
      messages_(messages),
      host_(host),
      errors_(params.errors, kFirstLink + index_of(npu)) {}

Reliability::~Reliability() = default;

void Reliability::begin(Message& message) {
  message.reliable = new ReliableMessage(format_.packets(message.bytes), params_.window, params_.ack_every);
  message.reliable->holders = 2;  // the sender; the receiver, or of a contribution its injection
  if (message.contributes) contributions_[message.flow] = &message;
}

void Reliability::let_go(Message& message) {
  if (--message.reliable->holders != 0) return;
  delete message.reliable;
  message.reliable = nullptr;
  messages_.release(message);
}

void Reliability::release(Packet& packet) {
  const Flow* const flow = packet.flow;
  packets_.release(packet);
  if (flow && --flow->in_flight == 0 && flow_control_) flow_control_->at_rest(*flow, flow->rest_ps);
}

// ---------------------------------------------------------------- sender

void Reliability::made(Packet& packet) {
  Message& message = *packet.message;
  ReliableMessage& of = *message.reliable;
  ++of.holders;
  if (packet.flow) ++packet.flow->in_flight;
  counters_.sent_bytes += packet.payload_bytes;
  const bool again = of.sender.make();
  if (again) {
    ++counters_.repeated_packets;
    counters_.repeated_bytes += packet.payload_bytes;
  }
  if (!message.source_data) return;
  if (again) {  // the rank may have changed its buffer meanwhile, or have none any more
    packet.data = of.kept[packet.sequence - of.sender.base()];
    return;
  }
  const std::byte* const data = message.source_data + packet.offset;
  packet.data.assign(data, data + packet.payload_bytes);
  of.kept.push_back(packet.data.bytes());
}

void Reliability::left(Packet& packet, TimePs now) {
  errors_.cross(packet);
  counters_.spoiled_packets = errors_.spoiled();
  if (packet.kind != PacketKind::data) return;
  Message& message = *packet.message;
  ReliableMessage& of = *message.reliable;
  of.deadline_ps = now + patience(of.unanswered);
  if (!of.timed) {
    of.timed = true;
    ++of.holders;
    ask_wake(of.deadline_ps, {nullptr, &message, nullptr, {}});
  }
  if (!packet.flow) return;
  packet.message = nullptr;
  let_go(message);
}

void Reliability::lost(Packet& packet) {
  if (packet.flow) packet.flow->rest_ps = std::max(packet.flow->rest_ps, packet.tail_ps);
  if (packet.message) let_go(*packet.message);
  release(packet);
}

TimePs Reliability::patience(std::uint32_t unanswered) const {
  constexpr std::uint32_t kMaxDoublings = 10;
  return params_.timeout_ps << std::min(unanswered, kMaxDoublings);
}

void Reliability::heard(Message& message, const Packet& answer, TimePs now) {
  GoBackNSender& sender = message.reliable->sender;
  if (sender.done()) return;
  const std::uint64_t base = sender.base(), next = sender.next();
  if (answer.kind != PacketKind::nack && sender.acknowledge(answer.sequence)) {
    message.reliable->unanswered = 0;
    message.reliable->deadline_ps = now + params_.timeout_ps;
    auto& kept = message.reliable->kept;
    if (!kept.empty())
      kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(sender.base() - base));
  }
  if (answer.kind != PacketKind::ack) sender.go_back(answer.sequence);
  if (sender.next() != next)
    injector_.move_to(message, sender.next(), now);
  else if (sender.base() != base)
    injector_.proceed(message, now);  // the window has moved
  if (!sender.done()) return;
  if (message.contributes) {
    contributions_.erase(message.flow);
    flow_control_->contributed(*message.flow, now);
  }
  let_go(message);
}

/// The timer of a message has run down.
void Reliability::check_sender(Message& message, TimePs now) {
  ReliableMessage& of = *message.reliable;
  if (of.sender.done() || !of.sender.waits()) {
    of.timed = false;
    return let_go(message);
  }
  if (of.deadline_ps <= now) {
    ++counters_.timeouts;
    ++of.unanswered;
    of.deadline_ps = now + patience(of.unanswered);
    of.sender.time_out();
    injector_.move_to(message, of.sender.next(), now);
  }
  ask_wake(of.deadline_ps, {nullptr, &message, nullptr, {}});
}

// ---------------------------------------------------------------- receiver

bool Reliability::arrived(Packet& packet, TimePs now) {
  if (packet.kind != PacketKind::data) {
    ask_wake(std::max(packet.tail_ps, now), {&packet, nullptr, nullptr, {}});
    return false;
  }
  FlowEnd* const end = packet.flow ? &flow_end(*packet.flow, packet.tail_ps) : nullptr;
  GoBackNReceiver& receiver = end ? end->receiver : packet.message->reliable->receiver;
  const GoBackNReceiver::Reaction reaction = receiver.arrived(packet.sequence, packet.corrupt);
  if (reaction.answer != PacketKind::data) {
    if (end)
      answer_flow(*packet.flow, *end, reaction.answer, packet.tail_ps);
    else
      answer_message(*packet.message, reaction.answer, packet.tail_ps);
  }
  if (!end) let_go(*packet.message);  // what is to be taken is held by its receiver still
  if (reaction.take) {
    counters_.taken_bytes += packet.payload_bytes;
    return true;
  }
  ++counters_.discarded_packets;
  counters_.discarded_bytes += packet.payload_bytes;
  release(packet);
  return false;
}

Packet& Reliability::make_answer(PacketKind kind, std::uint64_t number, TimePs tail_ps) {
  ++(kind == PacketKind::ack    ? counters_.acks
     : kind == PacketKind::nack ? counters_.nacks
                                : counters_.repeats);
  Packet& packet = packets_.acquire();
  packet.kind = kind;
  packet.sequence = number;
  packet.source = npu_;
  packet.traffic_class = params_.answers.traffic_class;
  packet.wire_bytes = params_.answers.wire_bytes;
  packet.tail_ps = packet.created_ps = tail_ps;
  return packet;
}

/// The check sum is known at the tail.
void Reliability::answer_message(Message& message, PacketKind kind, TimePs tail_ps) {
  Packet& packet = make_answer(kind, message.reliable->receiver.expected(), tail_ps);
  packet.destination = message.key.source;
  packet.vc = params_.answers.vc;
  packet.message = &message;
  ++message.reliable->holders;
  injector_.send_answer(packet, tail_ps);
}

void Reliability::answer_flow(const Flow& flow, const FlowEnd& end, PacketKind kind, TimePs tail_ps) {
  Packet& packet = make_answer(kind, end.receiver.expected(), tail_ps);
  packet.destination = npu_;  // not used: the switches know the way
  packet.vc = params_.answers.flow_vc;
  packet.flow = &flow;
  ++flow.in_flight;
  injector_.send_answer(packet, tail_ps);
}

Reliability::FlowEnd& Reliability::flow_end(const Flow& flow, TimePs now) {
  const auto found = flow_ends_.find(&flow);
  const TimePs deadline_ps = now + params_.timeout_ps;
  if (found != flow_ends_.end() && found->second.key == flow.key) {
    found->second.deadline_ps = deadline_ps;
    found->second.unanswered = 0;
    return found->second;
  }
  if (found != flow_ends_.end()) flow_ends_.erase(found);  // of an earlier flow
  ask_wake(deadline_ps, {nullptr, nullptr, &flow, flow.key});
  return flow_ends_
      .emplace(&flow, FlowEnd{flow.key, GoBackNReceiver(flow.packets, params_.ack_every), deadline_ps, 0})
      .first->second;
}

/// Whoever sends into a flow may have missed what this receiver said.
void Reliability::check_flow(const Flow& flow, const FlowKey& key, TimePs now) {
  const auto found = flow_ends_.find(&flow);
  if (found == flow_ends_.end() || !(found->second.key == key)) return;  // the next flow's by now
  if (!flow.open || !(flow.key == key)) {
    flow_ends_.erase(found);
    return;
  }
  FlowEnd& end = found->second;
  if (end.deadline_ps <= now) {
    answer_flow(flow, end, PacketKind::repeat, now);
    end.deadline_ps = now + patience(++end.unanswered);
  }
  ask_wake(end.deadline_ps, {nullptr, nullptr, &flow, key});
}

// ---------------------------------------------------------------- time

void Reliability::ask_wake(TimePs at, const Due& due) {
  due_.emplace(at, due);
  host_.request_reliability_wake(at);
}

void Reliability::take_answer(Packet& packet, TimePs now) {
  Message* message = packet.message;
  if (packet.flow) {
    const auto found = contributions_.find(packet.flow);
    message = found == contributions_.end() ? nullptr : found->second;
  }
  if (message && !packet.corrupt) heard(*message, packet, now);
  if (!packet.flow) let_go(*packet.message);
  release(packet);
}

void Reliability::wake(TimePs now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const Due due = due_.begin()->second;
    due_.erase(due_.begin());
    if (due.answer)
      take_answer(*due.answer, now);
    else if (due.message)
      check_sender(*due.message, now);
    else
      check_flow(*due.flow, due.key, now);
  }
}

}  // namespace wafertlm
