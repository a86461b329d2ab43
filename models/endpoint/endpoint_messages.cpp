// SPDX-License-Identifier: Apache-2.0
// Messages of an endpoint: how they leave, and who takes those that arrive.
#include <algorithm>
#include <stdexcept>

#include "models/endpoint/endpoint.h"
#include "tlm/acceleration/steady_states.h"
#include "tlm/kernel/free_numbers.h"
#include "tlm/packets/npu_name.h"

namespace wafertlm {

// ---------------------------------------------------------------- sender

Message& Endpoint::make_message(const MessageKey& key, NpuId peer, std::uint64_t bytes,
                                ClassId traffic_class) {
  Message& message = messages_.acquire();
  message.key = key;
  message.destination = peer;
  message.traffic_class = traffic_class;
  message.bytes = bytes;
  message.arrival = next_arrival_;
  return message;
}

/// Nobody here needs the message any more.
void Endpoint::release(Message& message) {
  if (message.reliable)
    reliability_->let_go(message);
  else
    messages_.release(message);
}

void Endpoint::send_message(Message& message, const Waiter& waiter, TimePs now, TimePs delay_ps) {
  delay_ps += params_.step_cost_ps;
  if (delay_ps == 0)
    launch(message, waiter, now);
  else
    set_timer(now + delay_ps, Timer::Event::launch, &message, waiter);
}

void Endpoint::launch(Message& message, const Waiter& waiter, TimePs now) {
  if (message.contributes) return enter_flow(message, waiter, now);
  if (memory_) memory_->read(message);
  if (reliability_) reliability_->begin(message);
  const std::uint64_t ticket = waiter.nonblocking ? PortQueues::kNoTicket : make_ticket(waiter, nullptr);
  if (steady_) steady_->starts(message);
  injector_.send(message, ticket, now);
}

void Endpoint::enter_flow(Message& contribution, const Waiter& waiter, TimePs now) {
  const CollectiveStart& start = waiter.collective->start;
  const State& state = waiter.collective->threadblocks[waiter.threadblock];
  if (!flow_control_)
    throw std::logic_error(name_of(npu_) + " should enter an in-network flow, but the fabric has none");
  const FlowKey flow{start.collective_id, contribution.key.tag};
  flow_control_->enter(
      {flow, start.program, start.group, npu_, start.traffic_class, start.data_type, contribution.bytes, this,
       make_ticket(waiter, &contribution), state.done + 1 == state.steps},
      now);
}

void Endpoint::flow_granted(const Flow& flow, std::uint64_t credit_bytes, std::uint64_t ticket, TimePs now) {
  Message& contribution = *sending_[ticket].contribution;
  contribution.flow = &flow;
  if (memory_) memory_->read(contribution);
  if (reliability_) reliability_->begin(contribution);
  if (steady_) steady_->starts(contribution);
  injector_.send_into_flow(contribution, credit_bytes, ticket, now);
}

std::uint64_t Endpoint::make_ticket(const Waiter& waiter, Message* contribution) {
  const std::uint64_t ticket = take_number(sending_, free_tickets_);
  sending_[ticket] = {true, waiter, contribution};
  return ticket;
}

void Endpoint::injected(std::uint64_t ticket, TimePs at) {
  if (ticket == Injector::kAgain || ticket == PortQueues::kNoTicket) return;
  Sending& sending = sending_[ticket];
  sending.is_used = false;
  free_tickets_.push_back(ticket);
  // Nobody receives a contribution as it is.
  set_timer(at, Timer::Event::sent, sending.contribution, sending.waiter);
}

void Endpoint::sent(const Waiter& waiter, TimePs now) {
  if (!waiter.collective) return host_.communication_done(waiter.token);
  runner_.step_done(*waiter.collective, waiter.threadblock, now);
}

void Endpoint::inject(Packet& packet, TimePs head_ps) {
  const TimePs left_ps = head_ps - injector_.link_latency_ps();
  const bool is_data = packet.kind == PacketKind::data;
  if (memory_ && is_data) memory_->packet_left(*packet.message);
  const Fault::Effect effect = fault_ && is_data ? fault_->apply(packet, left_ps) : Fault::Effect::none;
  if (reliability_) {
    if (effect == Fault::Effect::flipped) packet.corrupt = true;  // the check sum tells
    reliability_->left(packet, left_ps);
  }
  if (effect == Fault::Effect::dropped) {
    injector_.credit(packet, packet.tail_ps, left_ps);
    if (reliability_)
      reliability_->lost(packet);
    else
      packets_.release(packet);
    return;
  }
  if (packet.flow) packet.message = nullptr;
  host_.inject(packet, head_ps);
}

// ---------------------------------------------------------------- receiver

/// What comes out of a flow is a message of the fabric to this endpoint.
Message& Endpoint::result_of(const Flow& flow) {
  if (flow.slot >= results_.size()) results_.resize(flow.slot + 1);
  Message*& result = results_[flow.slot];
  if (result) return *result;
  result =
      &make_message({flow.key.operation, flow.key.number, kFabric}, npu_, flow.bytes, flow.traffic_class);
  result->is_result = true;
  if (steady_) steady_->starts_result(*result, flow);
  return *result;
}

void Endpoint::receive(Packet& packet, TimePs now) {
  if (reliability_ && !reliability_->arrived(packet, now)) return;
  Message& message = packet.flow ? result_of(*packet.flow) : *packet.message;
  const bool stores = memory_ && memory_->fills_chunk(message, message.arrived_bytes, packet.payload_bytes);
  message.arrived_bytes += packet.payload_bytes;
  ++message.arrived_packets;
  message.tail_ps = std::max(message.tail_ps, packet.tail_ps);
  if (!packet.data.empty()) {
    message.data.resize(message.bytes);
    std::copy(packet.data.begin(), packet.data.end(),
              message.data.data() + static_cast<std::ptrdiff_t>(packet.offset));
  }
  if (steady_ && message.arrived_bytes == message.bytes) steady_->arrived(message);
  if (packet.flow && message.arrived_bytes == message.bytes) results_[packet.flow->slot] = nullptr;
  if (reliability_)
    reliability_->release(packet);
  else
    packets_.release(packet);
  if (stores || message.arrived_bytes == message.bytes)
    set_timer(std::max(message.tail_ps, now), Timer::Event::arrived, &message,
              {nullptr, message.arrived_bytes});
}

void Endpoint::expect(const MessageKey& key, const Waiter& waiter, TimePs now) {
  const auto* const early = matcher_.find(key);
  if (!early) return matcher_.add(key, nullptr, waiter);
  if (!early->message)
    throw std::logic_error(name_of(npu_) + " waits twice for the message with tag " +
                           std::to_string(key.tag) + " from " + name_of(key.source));
  Message& message = *early->message;
  matcher_.remove(*early);
  early_bytes_ -= message.bytes;
  if (memory_)
    store_in_memory(message, waiter);
  else
    set_timer(now + receive_cost_ps(waiter), Timer::Event::taken, &message, waiter);
}

/// Who expects the message, and does so no longer.
std::optional<Endpoint::Waiter> Endpoint::take_waiter(const Message& message) {
  const auto* const expected = matcher_.find(message.key);
  if (!expected || expected->message) return std::nullopt;
  const Waiter waiter = expected->waiter;
  matcher_.remove(*expected);
  return waiter;
}

/// Its receive has not been posted yet.
void Endpoint::keep_early(Message& message) {
  matcher_.add(message.key, &message, {});
  early_bytes_ += message.bytes;
  early_high_water_ = std::max(early_high_water_, early_bytes_);
}

void Endpoint::message_arrived(Message& message, TimePs now) {
  const std::optional<Waiter> waiter = take_waiter(message);
  if (!waiter) return keep_early(message);
  const TimePs cost = receive_cost_ps(*waiter);
  if (cost == 0)
    take_in(message, *waiter, now);
  else
    set_timer(now + cost, Timer::Event::taken, &message, *waiter);
}

/// With a memory: `bytes` of the message are here, enough for a chunk.
void Endpoint::part_arrived(Message& message, std::uint64_t bytes) {
  const bool is_new = !memory_->knows(message);
  memory_->arrived(message, bytes);
  if (!is_new) return;
  if (const std::optional<Waiter> waiter = take_waiter(message))
    store_in_memory(message, *waiter);
  else
    keep_early(message);
}

void Endpoint::store_in_memory(Message& message, const Waiter& waiter) {
  storing_.emplace(&message, waiter);
  if (!waiter.collective) return memory_->post(message, 0, false);
  const Step step = waiter.collective->program->step(waiter.threadblock, waiter.step());
  memory_->post(message, step.offset, step.kind == Step::Kind::reduce);
}

void Endpoint::message_stored(Message& message) {
  const Waiter waiter = storing_.extract(&message).mapped();
  set_timer(now_ + params_.receive_cost_ps, Timer::Event::taken, &message, waiter);
}

void Endpoint::memory_done(std::uint64_t token, bool ok, TimePs now) {
  if (!ok)
    throw std::runtime_error(name_of(npu_) +
                             ": its memory refused what a send or receive reads or writes; does the buffer "
                             "fit into npu.hbm.capacity?");
  now_ = now;
  memory_->access_done(token);
}

TimePs Endpoint::receive_cost_ps(const Waiter& waiter) const {
  if (params_.reduction_bytes_per_s == 0 || !waiter.collective) return params_.receive_cost_ps;
  const Step step = waiter.collective->program->step(waiter.threadblock, waiter.step());
  return params_.receive_cost_ps + transfer_time_ps(3 * step.paid_reduction(), params_.reduction_bytes_per_s);
}

/// Stores or reduces what arrived, and lets its step go on.
void Endpoint::take_in(Message& message, const Waiter& waiter, TimePs now) {
  if (!waiter.collective) {
    release(message);
    return host_.communication_done(waiter.token);
  }
  Collective& collective = *waiter.collective;
  const StepSource& program = *collective.program;
  const std::uint32_t threadblock = waiter.threadblock;
  const std::uint64_t expected = waiter.nonblocking ? program.step(threadblock, waiter.step()).bytes
                                                    : collective.threadblocks[threadblock].expected_bytes;
  if (message.bytes != expected)
    throw std::logic_error(name_of(npu_) + ", collective " + std::to_string(collective.start.collective_id) +
                           ": " + name_of(message.key.source) + " sent " + std::to_string(message.bytes) +
                           " B where a step expects " + std::to_string(expected) + " B");
  if (collective.start.buffer && waiter.nonblocking)
    collective.received.add(threadblock, waiter.step(), message.data.bytes());
  else if (collective.start.buffer)
    store_values(program, threadblock, waiter.step(), collective.buffer(), message.data.data());
  release(message);
  if (waiter.nonblocking)
    runner_.receive_done(collective, threadblock, now);
  else
    runner_.step_done(collective, threadblock, now);
}

// What an endpoint waits for, in words.

std::string Endpoint::name_of(NpuId npu) { return npu == kFabric ? "the fabric" : npu_name(npu); }

std::string Endpoint::waits(const MessageKey& key, const Waiter& waiter) const {
  if (!waiter.collective)
    return name_of(npu_) + " waits for " + name_of(key.source) + " in a receive with tag " +
           std::to_string(key.tag);
  const Collective& collective = *waiter.collective;
  const auto name = [&](NpuId npu) {
    const Group& group = *collective.start.group;
    const auto rank = std::find(group.begin(), group.end(), npu) - group.begin();
    return name_of(npu) + " (rank " + std::to_string(rank) + ")";
  };
  const std::string source =
      key.source == kFabric ? "the result of in-network flow " + std::to_string(key.tag) : name(key.source);
  return name(npu_) + " waits for " + source + " in collective " +
         std::to_string(collective.start.collective_id) + " step " + std::to_string(waiter.token) +
         " of threadblock " + std::to_string(waiter.threadblock);
}

std::string Endpoint::missing(const Message& message) const {
  const auto* const expected = matcher_.find(message.key);
  const auto storing = storing_.find(&message);
  std::string who = name_of(npu_) + " waits for no step yet that takes a message from " +
                    name_of(message.key.source) + " with tag " + std::to_string(message.key.tag);
  if (storing != storing_.end())
    who = waits(message.key, storing->second);
  else if (expected && !expected->message)
    who = waits(message.key, expected->waiter);
  return who + ": all of the message has left, " + std::to_string(message.arrived_bytes) + " of " +
         std::to_string(message.bytes) + " B have arrived";
}

std::vector<std::string> Endpoint::pending() const {
  std::vector<std::string> lines;
  matcher_.for_each([&](const auto& entry) {
    if (!entry.message) lines.push_back(waits(entry.key, entry.waiter));
  });
  for (const auto& [message, waiter] : storing_) lines.push_back(waits(message->key, waiter));
  std::size_t sends = 0;
  for (const Sending& each : sending_) {
    if (!each.is_used) continue;
    if (!each.contribution || each.contribution->flow) {
      ++sends;
      continue;
    }
    const MessageKey& key = each.contribution->key;
    lines.push_back(name_of(npu_) + " waits to enter in-network flow " + std::to_string(key.tag) +
                    " of collective " + std::to_string(key.operation));
  }
  if (sends != 0)
    lines.push_back(name_of(npu_) + " has " + std::to_string(sends) + " sends that the fabric does not take");
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace wafertlm
