// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/injector.h"

#include <algorithm>

#include "models/endpoint/reliability.h"

namespace wafertlm {
namespace {

SwitchParams port_params(const InjectorParams& injector) {
  SwitchParams params;
  params.credit_delay_ps.resize(injector.dma_engines + (injector.answers ? 1 : 0));
  params.outputs = {injector.link};
  if (injector.lower_half) params.ring_outputs = {{1, false}};
  if (injector.format.by_flit) params.switching = Switching::wormhole;
  return params;
}

}  // namespace

Injector::Injector(NpuId npu, const InjectorParams& params, const ClassTable& classes, PacketPool& packets,
                   InjectorHost& host)
    : npu_(npu),
      engines_(params.dma_engines),
      order_(params.order),
      format_(params.format),
      link_latency_ps_(params.link.latency_ps),
      classes_(classes),
      packets_(packets),
      host_(host),
      slots_(params.dma_engines * kMaxClasses,
             Slot(params.dma_bytes_per_s ? params.dma_bytes_per_s : params.link.bytes_per_s)),
      lanes_(npu, params.striped),
      windows_(params.exits, params.link, params.format, params.dma_engines),
      port_(make_switch_core(port_params(params), classes, *this, *this)) {
  if (params.port_routes)
    ports_.emplace(npu, params.format, *params.port_routes, params.ports, classes, packets, host);
}

void Injector::send(Message& message, std::uint64_t ticket, TimePs now) {
  // Endpoints go on when all switches have at this instant; the first packet may reach the next one at once.
  if (first_switch_) first_switch_->settle(now);
  if (ports_) return ports_->send(message, ticket, now);
  const ClassId traffic_class = message.traffic_class;
  with_no_engine_[index_of(traffic_class)].push_back({&message, ticket, 0});
  wake_engine(traffic_class, now);
}

void Injector::send_into_flow(Message& message, std::uint64_t credit_bytes, std::uint64_t ticket,
                              TimePs now) {
  const std::size_t slot = message.flow->slot;
  if (slot >= flow_windows_.size()) flow_windows_.resize(slot + 1);
  flow_windows_[slot].reset();  // of the flow that had the slot before
  if (credit_bytes != 0) {
    flow_windows_[slot] = std::make_unique<CreditWindow>(credit_bytes);
    message.flow_window = flow_windows_[slot].get();
  }
  send(message, ticket, now);
}

void Injector::flow_credit(const Flow& flow, std::uint32_t bytes, TimePs at, TimePs now) {
  if (flow.slot >= flow_windows_.size() || !flow_windows_[flow.slot]) return;
  CreditWindow& window = *flow_windows_[flow.slot];
  const bool starved = window.time_of_credits(format_.full_wire_bytes()) == kNever;
  window.give_back(bytes, at);
  if (starved) wake_engine(flow.traffic_class, now);
}

std::uint64_t Injector::outstanding_flow_credits() const {
  std::uint64_t bytes = 0;
  for (const auto& window : flow_windows_)
    if (window) bytes += window->outstanding();
  return bytes;
}

/// Engines that wait for a packet of their message try again; and one that has nothing to do, if there is
/// one, takes the next message of the class.
void Injector::wake_engine(ClassId traffic_class, TimePs now) {
  // The engine that has read its last packet first; it may be at that still.
  std::size_t best = engines_;
  for (std::size_t engine = 0; engine < engines_; ++engine) {
    const Slot& candidate = slot(engine, traffic_class);
    if (candidate.packet_waiting) continue;
    if (is_within(candidate)) {
      refill(engine, traffic_class, now);
      continue;
    }
    if (best == engines_ || candidate.pace.free_ps() < slot(best, traffic_class).pace.free_ps())
      best = engine;
  }
  if (best != engines_) refill(best, traffic_class, now);
}

void Injector::resume(TimePs now) {
  std::array<bool, kMaxClasses> has_none{};  // no message for an engine, hence for no other one
  for (std::size_t engine = 0; engine < engines_; ++engine)
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Slot& idle = slot(engine, static_cast<ClassId>(c));
      const bool takes_any = idle.ends_packet && !is_within(idle);
      if (idle.packet_waiting || (has_none[c] && takes_any)) continue;
      const bool has_found = refill(engine, static_cast<ClassId>(c), now);
      if (takes_any) has_none[c] = !has_found;
    }
}

/// What is left of the packet that comes next.
std::uint64_t Injector::next_payload(const Message& message) const {
  return std::min<std::uint64_t>(message.bytes - message.injected_bytes,
                                 format_.packet_bytes - message.injected_bytes % format_.packet_bytes);
}

/// Whether the next packet can be made: its bytes have been read, and there is or will be room for its flow.
bool Injector::may_go(const Message& message) const {
  if (message.injected_bytes + next_payload(message) > message.available_bytes) return false;
  if (message.reliable && !message.reliable->sender.may_send()) return false;
  return !message.flow_window || message.flow_window->time_of_credits(format_.wire_bytes(
                                     static_cast<std::uint32_t>(next_payload(message)))) != kNever;
}

/// Whether its next packet can be made, and has room in its window.
bool Injector::may_be_next(const Message& message, ClassId traffic_class) {
  if (!may_go(message)) return false;
  if (message.flow || windows_.has_credits(message, first_vc(traffic_class),
                                           format_.unit_at(message.bytes, message.injected_bytes).wire_bytes))
    return true;
  lacks_window_ = true;
  return false;
}

/// Gives the engine the message whose turn it is, of those whose next packet can be made; false if there is
/// none.
bool Injector::take_turn(Slot& slot, ClassId traffic_class) {
  if (!slot.ends_packet) return true;  // the flits of a packet follow each other
  if (is_within(slot)) return may_be_next(*slot.active.message, traffic_class);
  RingQueue<Active>& waiting = with_no_engine_[index_of(traffic_class)];
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!may_be_next(*waiting[i].message, traffic_class)) continue;
    slot.active = waiting[i];
    take_out(waiting, i);
    return true;
  }
  return false;
}

/// Those before it keep their places if they may be waiting for a window; else they come last now.
void Injector::take_out(RingQueue<Active>& waiting, std::size_t i) const {
  for (std::size_t k = i; k > 0; --k) {
    if (windows_.limited()) {
      waiting[k] = waiting[k - 1];
    } else {
      waiting.push_back(waiting.front());
      waiting.pop_front();
    }
  }
  waiting.pop_front();
}

void Injector::ask_window_wake(TimePs now) {
  if (!lacks_window_ || windows_.next_ps() >= window_wake_ps_) return;
  window_wake_ps_ = std::max(windows_.next_ps(), now);
  host_.request_wake(window_wake_ps_);
}

/// Takes the room that the packet needs behind the port, beside its channel's. Returns when it has it.
TimePs Injector::take_credits(Packet& packet, TimePs head_ps) {
  const Message& message = *packet.message;
  if (!message.flow) {
    packet.lane = lanes_.next(packet.destination);
    windows_.take(packet, packet.vc);
    return head_ps;
  }
  packet.flow = message.flow;
  packet.vc = classes_.flow_vc(packet.traffic_class);
  CreditWindow* const window = message.flow_window;
  if (!window) return head_ps;
  head_ps = std::max(head_ps, window->time_of_credits(packet.wire_bytes));
  window->available(head_ps);
  window->take(packet.wire_bytes);
  return head_ps;
}

/// Puts the next packet of the engine and class in front of the port; false if none can go.
bool Injector::refill(std::size_t engine, ClassId traffic_class, TimePs now) {
  Slot& by = slot(engine, traffic_class);
  windows_.update(now);
  if (!take_turn(by, traffic_class)) {
    ask_window_wake(now);
    return false;
  }
  Active& active = by.active;
  Message& message = *active.message;
  const WireFormat::Unit unit = format_.unit_at(message.bytes, message.injected_bytes);
  Packet& packet = make_packet(packets_, npu_, message, first_vc(traffic_class), unit, now);
  const TimePs head_ps = take_credits(packet, std::max({now, by.pace.free_ps(), active.free_ps}));
  const Line::Slot read = by.pace.send(packet.wire_bytes, head_ps, head_ps == now ? 0 : Line::kUnbound);
  packet.head_fraction = read.start_fraction;
  packet.tail_ps = active.free_ps = read.end;
  if (message.reliable) host_.packet_made(packet);

  by.packet_waiting = true;
  by.ends_packet = unit.ends_packet;
  by.ends_message = message.injected_bytes == message.bytes;
  port_->arrive(static_cast<PortId>(engine), packet, head_ps);
  if (by.ends_message || (message.watch != 0 && --message.watch == 0)) host_.watched(message);
  return true;
}

void Injector::move_to(Message& message, std::uint64_t number, TimePs now) {
  message.injected_packets = number;
  message.injected_bytes = std::min(number * format_.packet_bytes, message.bytes);
  const bool ends = number == format_.packets(message.bytes);
  for (std::size_t engine = 0; engine < engines_; ++engine) {
    Slot& at = slot(engine, message.traffic_class);
    if ((!at.packet_waiting && !is_within(at)) || at.active.message != &message) continue;
    at.ends_message = ends;
    if (at.packet_waiting) return;
    if (ends) host_.injected(at.active.ticket, now);
    refill(engine, message.traffic_class, now);
    return;
  }
  RingQueue<Active>& waiting = with_no_engine_[index_of(message.traffic_class)];
  bool found = false;
  std::uint64_t ticket = kAgain;
  for (std::size_t left = waiting.size(); left > 0; --left) {
    const Active active = waiting.front();
    waiting.pop_front();
    if (active.message == &message) {
      found = true;
      ticket = active.ticket;
      if (ends) continue;
    }
    waiting.push_back(active);
  }
  if (ends) {
    if (found) host_.injected(ticket, now);
    return;
  }
  if (!found) waiting.push_back({&message, kAgain, 0});
  wake_engine(message.traffic_class, now);
}

void Injector::send_answer(Packet& packet, TimePs at) {
  if (!packet.flow) windows_.take(packet, packet.vc);
  port_->arrive(static_cast<PortId>(engines_), packet, at);
}

void Injector::credit(const Packet& packet, TimePs at, TimePs now) {
  if (ports_) return ports_->credit(packet, at);
  port_->credit(PortId{0}, packet.vc, packet.wire_bytes, at, now);
  if (packet.flow && packet.kind != PacketKind::data) return;
  if (packet.flow) return flow_credit(*packet.flow, packet.wire_bytes, at, now);
  if (windows_.give_back(packet, first_vc(packet.traffic_class), at)) ask_window_wake(now);
}

void Injector::list_active(Active& active, StateVisitor& state) {
  [[maybe_unused]] auto& [message, ticket, free_ps] = active;
  state.derived(message->place);
  state.deadline(free_ps);
  if (message->flow_window) message->flow_window->list_state(state);
}

/// One that has nothing to do stays so until a message starts; who has been idle longest gets that. No
/// message ends within a period.
void Injector::list_engine(Slot& by, StateVisitor& state) const {
  [[maybe_unused]] auto& [pace, active_message, packet_waiting, ends_packet, ends_message] = by;
  if (!ends_packet) return state.give_up();
  const bool waits = !packet_waiting && is_within(by);  // for a packet of its message
  state.require(!packet_waiting && !waits);
  state.derived((packet_waiting ? 1U : 0U) | (waits ? 2U : 0U));
  pace.list_state(state, packet_waiting ? StateVisitor::OnceOver::matters : StateVisitor::OnceOver::memory);
  if (packet_waiting || waits) list_active(active_message, state);
}

void Injector::list_state(StateVisitor& state) {
  if (ports_) return state.give_up();
  port_->list_state(PortId{0}, state);
  for (std::size_t c = 0; c < classes_.size() && !state.gives_up(); ++c) {
    const auto traffic_class = static_cast<ClassId>(c);
    for (std::size_t engine = 0; engine < engines_; ++engine) list_engine(slot(engine, traffic_class), state);
    if (state.at_rest()) list_order_at_rest(traffic_class, state);
    RingQueue<Active>& waiting = with_no_engine_[c];
    state.require(waiting.empty());
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      state.derived(c << 32 | i);
      list_active(waiting[i], state);
    }
  }
  windows_.list_state(state);
  state.value(lacks_window_);
  state.wake_up(window_wake_ps_);
}

/// Who has been idle longest comes first; how long does not matter.
void Injector::list_order_at_rest(ClassId traffic_class, StateVisitor& state) {
  for (std::size_t engine = 0; engine < engines_; ++engine) {
    Line& pace = slot(engine, traffic_class).pace;
    std::size_t longer = 0;
    for (std::size_t other = 0; other < engines_; ++other) {
      const TimePs free_ps = slot(other, traffic_class).pace.free_ps();
      longer += free_ps < pace.free_ps() || (free_ps == pace.free_ps() && other < engine);
    }
    state.value(longer);
    if (state.restores() && pace.free_ps() < state.now() && state.now() > engines_)
      pace.set_idle_since(state.now() - 1 - (engines_ - longer));
  }
}

void Injector::ask_again() {
  port_->ask_again(PortId{0});
  if (window_wake_ps_ != kNever) host_.request_wake(window_wake_ps_);
}

void Injector::wake(TimePs now) {
  if (ports_) return ports_->wake(now);
  now_ = now;
  if (window_wake_ps_ <= now) {
    window_wake_ps_ = kNever;
    lacks_window_ = false;
    resume(now);
  }
  port_->wake(PortId{0}, now);
}

/// The waiting packet of this engine and class has been granted: `at` is when its tail leaves.
void Injector::return_credit(PortId engine, Packet& packet, TimePs at) {
  if (index_of(engine) == engines_) return;  // an answer
  Slot& by = slot(index_of(engine), packet.traffic_class);
  by.packet_waiting = false;
  if (by.ends_message)
    host_.injected(by.active.ticket, at);
  else if (by.ends_packet && !is_within(by))
    with_no_engine_[index_of(packet.traffic_class)].push_back(by.active);
  refill(index_of(engine), packet.traffic_class, now_);
}

}  // namespace wafertlm
