// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/endpoint.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/free_numbers.h"
#include "tlm/npu_name.h"

namespace wafertlm {
namespace {

/// The sender of what comes out of a flow.
constexpr NpuId kFabric{~std::uint32_t{0}};

/// A strand that enters flows does so in its last step.
std::uint32_t strands_into_flows(const StepSource& program) {
  std::uint32_t strands = 0;
  for (std::uint32_t strand = 0; strand < program.strands(); ++strand) {
    const std::uint32_t steps = program.steps(strand);
    if (steps > 0 && program.step(strand, steps - 1).kind == Step::Kind::flow_send) ++strands;
  }
  return strands;
}

std::string sender_name(NpuId sender) { return sender == kFabric ? "the fabric" : npu_name(sender); }

}  // namespace

void EndpointHost::access_memory(bool, std::uint64_t, std::uint64_t, std::uint64_t) {
  throw std::logic_error("an endpoint that uses a memory needs a shell that has one");
}

Endpoint::Endpoint(NpuId npu, const InjectorParams& injector, const ClassTable& classes, PacketPool& packets,
                   MessagePool& messages, EndpointHost& host, const EndpointParams& params)
    : npu_(npu),
      params_(params),
      host_(host),
      messages_(messages),
      packets_(packets),
      injector_(npu, injector, classes, packets, *this) {
  if (params.memory_traffic) memory_.emplace(*params.memory_traffic, static_cast<MemoryTrafficHost&>(*this));
  if (params.reliability)
    reliability_.emplace(npu, *params.reliability, injector.format, injector_, packets, messages,
                         static_cast<ReliabilityHost&>(*this));
}

Endpoint::~Endpoint() = default;

/// Nobody here needs the message any more.
void Endpoint::release(Message& message) {
  if (message.reliable)
    reliability_->let_go(message);
  else
    messages_.release(message);
}

void Endpoint::start_collective(const CollectiveStart& start, TimePs now) {
  auto& slot = collectives_[start.collective_id];
  if (slot)
    throw std::logic_error(npu_name(npu_) + " entered collective " + std::to_string(start.collective_id) +
                           " twice");
  slot = std::make_unique<Collective>();
  slot->start = start;
  if (!start.program->endpoint_steps()) return begin(*slot, now);
  if (!flow_control_)
    throw std::logic_error(npu_name(npu_) + " should ask for in-network flows, but the fabric has none");
  flow_control_->ask({{start.collective_id, 0},
                      start.program,
                      start.group,
                      npu_,
                      start.traffic_class,
                      start.data_type,
                      0,
                      this,
                      start.collective_id,
                      false},
                     now);
}

void Endpoint::flows_decided(bool in_network, std::uint64_t collective_id, TimePs now) {
  Collective& collective = *collectives_.at(collective_id);
  if (!in_network) collective.start.program = collective.start.program->endpoint_steps();
  begin(collective, now);
}

void Endpoint::begin(Collective& collective, TimePs now) {
  const CollectiveStart& start = collective.start;
  collective.strands.resize(start.program->strands());
  // One more than there are, so that nothing ends before all strands have been started.
  collective.unfinished = start.program->strands() + 1;
  if (flow_control_) flow_control_->will_enter(strands_into_flows(*start.program));
  for (std::uint32_t strand = 0; strand < start.program->strands(); ++strand) {
    if (start.program->steps(strand) == 0)
      --collective.unfinished;
    else
      advance(collective, strand, now);
  }
  if (--collective.unfinished == 0)
    set_timer(now, Timer::Event::done, nullptr, {&collective, 0, Step::kNone});
}

void Endpoint::start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                          std::uint64_t token, TimePs now) {
  send_message(make_message({0, tag, npu_}, peer, bytes, traffic_class), {nullptr, token}, now);
}

void Endpoint::start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) {
  expect({0, tag, peer}, {nullptr, token}, now);
}

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

void Endpoint::send_message(Message& message, const Waiter& waiter, TimePs now, TimePs delay_ps) {
  delay_ps += params_.step_cost_ps;
  if (delay_ps == 0)
    launch(message, waiter, now);
  else
    set_timer(now + delay_ps, Timer::Event::launch, &message, waiter);
}

void Endpoint::launch(Message& message, const Waiter& waiter, TimePs now) {
  if (message.contributes) {
    const CollectiveStart& start = waiter.collective->start;
    const Strand& strand = waiter.collective->strands[waiter.strand];
    if (!flow_control_)
      throw std::logic_error(npu_name(npu_) + " should enter an in-network flow, but the fabric has none");
    flow_control_->enter({{start.collective_id, message.key.tag},
                          start.program,
                          start.group,
                          npu_,
                          start.traffic_class,
                          start.data_type,
                          message.bytes,
                          this,
                          make_ticket(waiter, &message),
                          strand.done + 1 == start.program->steps(waiter.strand)},
                         now);
    return;
  }
  if (memory_) memory_->read(message);
  if (reliability_) reliability_->begin(message);
  if (waiter.posted) return injector_.send(message, PortQueues::kUntold, now);
  injector_.send(message, make_ticket(waiter, nullptr), now);
}

void Endpoint::flow_granted(const Flow& flow, std::uint64_t room_bytes, std::uint64_t ticket, TimePs now) {
  Message& contribution = *sending_[ticket].contribution;
  contribution.flow = &flow;
  if (memory_) memory_->read(contribution);
  if (reliability_) reliability_->begin(contribution);
  injector_.send_into_flow(contribution, room_bytes, ticket, now);
}

std::uint64_t Endpoint::make_ticket(const Waiter& waiter, Message* contribution) {
  const std::uint64_t ticket = take_number(sending_, free_tickets_);
  sending_[ticket] = {true, waiter, contribution};
  return ticket;
}

void Endpoint::injected(std::uint64_t ticket, TimePs at) {
  if (ticket == Injector::kAgain || ticket == PortQueues::kUntold) return;
  Sending& sent = sending_[ticket];
  sent.is_used = false;
  free_tickets_.push_back(ticket);
  // Nobody receives a contribution as it is.
  set_timer(at, Timer::Event::done, sent.contribution, sent.waiter);
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

/// Runs the strand until it has to wait.
void Endpoint::advance(Collective& collective, std::uint32_t index, TimePs now) {
  Strand& strand = collective.strands[index];
  const std::uint32_t steps = collective.start.program->steps(index);
  while (!strand.running && strand.done < steps) {
    if (!start_step(collective, index, now)) return;
  }
}

/// Starts the strand's next step; a step without bytes is done at once. Returns false if it has to wait for
/// another strand.
bool Endpoint::start_step(Collective& collective, std::uint32_t index, TimePs now) {
  const CollectiveStart& start = collective.start;
  Strand& strand = collective.strands[index];
  const Step step = start.program->step(index, strand.done);
  if (step.joins && strand.posted != 0) return false;
  if (step.after_strand != Step::kNone && collective.strands[step.after_strand].done < step.after_count) {
    if (!strand.parked) park(collective, index, step.after_strand);
    return false;
  }
  strand.parked = false;
  if (step.enters) {
    Stage& stage = collective.stage(index);
    stage.has_entered = true;
    stage.turn = step.turn;
    stage.arrival = next_arrival_++;
  }
  if (step.bytes == 0) {
    step_done(collective, index, now);
    return true;
  }
  if (step.is_local() && step.delay_ps == 0) {
    if (start.buffer) do_locally(step, start.data_type, start.buffer);
    step_done(collective, index, now);
    return true;
  }
  strand.running = !step.posted;
  if (step.is_local()) {
    set_timer(now + step.delay_ps, Timer::Event::local, nullptr, {&collective, 0, index});
    return true;
  }
  if (step.kind == Step::Kind::send || step.kind == Step::Kind::flow_send) {
    start_send_step(collective, index, step, now);
  } else {
    strand.posted += step.posted ? 1 : 0;
    strand.expected_bytes = step.bytes;
    const NpuId from = step.kind == Step::Kind::flow_copy ? kFabric : (*start.group)[step.peer];
    expect({start.collective_id, step.tag, from}, {&collective, strand.done, index, step.posted}, now);
  }
  if (step.posted) step_done(collective, index, now);
  return true;
}

void Endpoint::start_send_step(Collective& collective, std::uint32_t index, const Step& step, TimePs now) {
  const CollectiveStart& start = collective.start;
  const std::uint32_t number = collective.strands[index].done;
  const bool contributes = step.kind == Step::Kind::flow_send;
  const NpuId peer = contributes ? npu_ : (*start.group)[step.peer];
  Message& message =
      make_message({start.collective_id, step.tag, npu_}, peer, step.bytes, start.traffic_class);
  message.address = step.offset;
  if (!collective.stages.empty() && collective.stages[index].has_entered) {
    message.turn = collective.stages[index].turn;
    message.arrival = collective.stages[index].arrival;
  }
  if (contributes) message.contributes = true;
  if (start.buffer && step.posted) {
    std::vector<std::byte>& gathered = message.gathered.make();
    for (const BufferPiece& piece : start.program->pieces(index, number))
      gathered.insert(gathered.end(), start.buffer + piece.offset, start.buffer + piece.offset + piece.bytes);
    message.source_data = gathered.data();
  } else if (start.buffer) {
    message.source_data = start.buffer + step.offset;
  }
  send_message(message, {&collective, 0, index, step.posted}, now, step.delay_ps);
}

/// Strand `index` waits for `other`.
void Endpoint::park(Collective& collective, std::uint32_t index, std::uint32_t other) {
  Strand& waited_for = collective.strands[other];
  if (waited_for.first_parked == Step::kNone)
    waited_for.first_parked = index;
  else
    collective.strands[waited_for.last_parked].next_parked = index;
  waited_for.last_parked = index;
  collective.strands[index].next_parked = Step::kNone;
  collective.strands[index].parked = true;
}

/// Those that wait for strand `index` see whether this was what they wait for; they park again if not.
void Endpoint::resume_parked(Collective& collective, std::uint32_t index, TimePs now) {
  const std::size_t first = resumed_.size();
  std::uint32_t other = std::exchange(collective.strands[index].first_parked, Step::kNone);
  for (; other != Step::kNone; other = collective.strands[other].next_parked) {
    collective.strands[other].parked = false;
    resumed_.push_back(other);
  }
  const std::size_t end = resumed_.size();  // strands that go on may resume others, further back
  for (std::size_t i = first; i < end; ++i) advance(collective, resumed_[i], now);
  resumed_.resize(first);
}

void Endpoint::step_done(Collective& collective, std::uint32_t index, TimePs now) {
  Strand& strand = collective.strands[index];
  strand.running = false;
  ++strand.done;
  resume_parked(collective, index, now);
  if (strand.done == collective.start.program->steps(index) && --collective.unfinished == 0)
    set_timer(now, Timer::Event::done, nullptr, {&collective, 0, Step::kNone});
}

TimePs Endpoint::receive_cost_ps(const Message& message, const Waiter& waiter) const {
  if (params_.reduction_bytes_per_s == 0 || !waiter.collective) return params_.receive_cost_ps;
  const Step step =
      waiter.collective->start.program->step(waiter.strand, static_cast<std::uint32_t>(waiter.token));
  if (step.kind != Step::Kind::reduce) return params_.receive_cost_ps;
  return params_.receive_cost_ps + transfer_time_ps(3 * message.bytes, params_.reduction_bytes_per_s);
}

void Endpoint::expect(const MessageKey& key, const Waiter& waiter, TimePs now) {
  const auto* const early = matcher_.find(key);
  if (!early) return matcher_.add(key, nullptr, waiter);
  if (!early->message)
    throw std::logic_error(npu_name(npu_) + " waits twice for the message with tag " +
                           std::to_string(key.tag) + " from " + sender_name(key.source));
  Message& message = *early->message;
  matcher_.remove(*early);
  early_bytes_ -= message.bytes;
  if (memory_)
    post_to_memory(message, waiter);
  else
    set_timer(now + receive_cost_ps(message, waiter), Timer::Event::taken, &message, waiter);
}

/// What comes out of a flow is a message of the fabric to this endpoint.
Message& Endpoint::result_of(const Flow& flow) {
  if (flow.slot >= results_.size()) results_.resize(flow.slot + 1);
  Message*& result = results_[flow.slot];
  if (!result)
    result =
        &make_message({flow.key.operation, flow.key.number, kFabric}, npu_, flow.bytes, flow.traffic_class);
  return *result;
}

void Endpoint::receive(Packet& packet, TimePs now) {
  if (reliability_ && !reliability_->arrived(packet, now)) return;
  Message& message = packet.flow ? result_of(*packet.flow) : *packet.message;
  const bool stores = memory_ && memory_->fills_chunk(message, message.arrived_bytes, packet.payload_bytes);
  received_bytes_ += packet.payload_bytes;
  message.arrived_bytes += packet.payload_bytes;
  ++message.arrived_packets;
  message.tail_ps = std::max(message.tail_ps, packet.tail_ps);
  if (!packet.data.empty()) {
    message.data.resize(message.bytes);
    std::copy(packet.data.begin(), packet.data.end(),
              message.data.data() + static_cast<std::ptrdiff_t>(packet.offset));
  }
  if (packet.flow && message.arrived_bytes == message.bytes) results_[packet.flow->slot] = nullptr;
  if (reliability_)
    reliability_->release(packet);
  else
    packets_.release(packet);
  if (stores || message.arrived_bytes == message.bytes)
    set_timer(std::max(message.tail_ps, now), Timer::Event::arrived, &message,
              {nullptr, message.arrived_bytes});
}

void Endpoint::set_timer(TimePs at, Timer::Event event, Message* message, const Waiter& waiter) {
  if (timer_wake_.ask(at)) host_.request_timer_wake(at);
  timers_.push({at, timer_order_++, message, waiter, event});
}

void Endpoint::wake_timer(TimePs now) {
  if (!timer_wake_.take(now)) return;
  now_ = now;
  while (!timers_.empty() && timers_.top().at <= now) {
    const Timer timer = timers_.top();
    timers_.pop();
    switch (timer.event) {
      case Timer::Event::done:
        if (timer.message) release(*timer.message);
        finish(timer.waiter, now);
        break;
      case Timer::Event::launch:
        launch(*timer.message, timer.waiter, now);
        break;
      case Timer::Event::arrived:
        if (memory_)
          part_arrived(*timer.message, timer.waiter.token);
        else
          message_arrived(*timer.message, now);
        break;
      case Timer::Event::taken:
        take_in(*timer.message, timer.waiter, now);
        break;
      case Timer::Event::local: {
        const CollectiveStart& start = timer.waiter.collective->start;
        const std::uint32_t strand = timer.waiter.strand;
        if (start.buffer)
          do_locally(start.program->step(strand, timer.waiter.collective->strands[strand].done),
                     start.data_type, start.buffer);
        finish(timer.waiter, now);
        break;
      }
      case Timer::Event::answers:
        reliability_->wake(now);
        break;
    }
  }
  if (!timers_.empty() && timer_wake_.ask(timers_.top().at)) host_.request_timer_wake(timers_.top().at);
}

void Endpoint::message_arrived(Message& message, TimePs now) {
  const auto* const expected = matcher_.find(message.key);
  if (!expected || expected->message) return wait_for_step(message);
  const Waiter waiter = expected->waiter;
  matcher_.remove(*expected);
  const TimePs cost = receive_cost_ps(message, waiter);
  if (cost == 0)
    take_in(message, waiter, now);
  else
    set_timer(now + cost, Timer::Event::taken, &message, waiter);
}

void Endpoint::wait_for_step(Message& message) {
  matcher_.add(message.key, &message, {});
  early_bytes_ += message.bytes;
  early_high_water_ = std::max(early_high_water_, early_bytes_);
}

/// With a memory: `bytes` of the message are here, enough for a chunk.
void Endpoint::part_arrived(Message& message, std::uint64_t bytes) {
  const bool is_new = !memory_->knows(message);
  memory_->arrived(message, bytes);
  if (!is_new) return;
  const auto* const expected = matcher_.find(message.key);
  if (!expected || expected->message) return wait_for_step(message);
  const Waiter waiter = expected->waiter;
  matcher_.remove(*expected);
  post_to_memory(message, waiter);
}

void Endpoint::post_to_memory(Message& message, const Waiter& waiter) {
  storing_.emplace(&message, waiter);
  if (!waiter.collective) return memory_->post(message, 0, false);
  const Step step =
      waiter.collective->start.program->step(waiter.strand, static_cast<std::uint32_t>(waiter.token));
  memory_->post(message, step.offset, step.kind == Step::Kind::reduce);
}

void Endpoint::message_stored(Message& message) {
  const Waiter waiter = storing_.extract(&message).mapped();
  set_timer(now_ + params_.receive_cost_ps, Timer::Event::taken, &message, waiter);
}

void Endpoint::memory_done(std::uint64_t token, bool ok, TimePs now) {
  if (!ok)
    throw std::runtime_error(npu_name(npu_) +
                             ": its memory refused what a send or receive reads or writes; does the buffer "
                             "fit into npu.hbm.capacity?");
  now_ = now;
  memory_->access_done(token);
}

/// Stores or reduces what arrived, and lets its step go on.
void Endpoint::take_in(Message& message, const Waiter& waiter, TimePs now) {
  if (waiter.collective) {
    const CollectiveStart& start = waiter.collective->start;
    const auto index = static_cast<std::uint32_t>(waiter.token);
    const std::uint64_t expected = waiter.posted ? start.program->step(waiter.strand, index).bytes
                                                 : waiter.collective->strands[waiter.strand].expected_bytes;
    if (message.bytes != expected)
      throw std::logic_error(npu_name(npu_) + ", collective " + std::to_string(start.collective_id) + ": " +
                             sender_name(message.key.source) + " sent " + std::to_string(message.bytes) +
                             " B where a step expects " + std::to_string(expected) + " B");
    if (start.buffer && waiter.posted)
      waiter.collective->stage(waiter.strand).taken.emplace(index, message.data.bytes());
    else if (start.buffer)
      store(start, waiter.strand, index, message.data.data());
  }
  release(message);
  finish(waiter, now);
}

void Endpoint::store(const CollectiveStart& start, std::uint32_t strand, std::uint32_t index,
                     const std::byte* from) {
  const bool reduces = start.program->step(strand, index).kind == Step::Kind::reduce;
  for (const BufferPiece& piece : start.program->pieces(strand, index)) {
    if (reduces)
      add_values(start.data_type, start.buffer + piece.offset, from, piece.bytes);
    else
      std::copy(from, from + piece.bytes, start.buffer + piece.offset);
    from += piece.bytes;
  }
}

void Endpoint::finish(const Waiter& waiter, TimePs now) {
  if (!waiter.collective) {
    host_.communication_done(waiter.token);
    return;
  }
  Collective& collective = *waiter.collective;
  if (waiter.strand == Step::kNone) {  // all strands are done
    const std::uint64_t token = collective.start.token;
    collectives_.erase(collective.start.collective_id);
    host_.communication_done(token);
    return;
  }
  Strand& strand = collective.strands[waiter.strand];
  if (!waiter.posted) {
    step_done(collective, waiter.strand, now);
  } else if (--strand.posted == 0 && !collective.stages.empty()) {
    // In the order of the steps, whatever came first, so that sums are the same bits.
    auto& taken = collective.stages[waiter.strand].taken;
    for (const auto& [index, values] : taken) store(collective.start, waiter.strand, index, values.data());
    taken.clear();
  }
  advance(collective, waiter.strand, now);
}

std::string Endpoint::waits(const MessageKey& key, const Waiter& waiter) const {
  if (!waiter.collective)
    return npu_name(npu_) + " waits for " + sender_name(key.source) + " in a receive with tag " +
           std::to_string(key.tag);
  const Collective& collective = *waiter.collective;
  const auto name = [&](NpuId npu) {
    const Group& group = *collective.start.group;
    const auto rank = std::find(group.begin(), group.end(), npu) - group.begin();
    return npu_name(npu) + " (rank " + std::to_string(rank) + ")";
  };
  const std::string source =
      key.source == kFabric ? "the result of in-network flow " + std::to_string(key.tag) : name(key.source);
  return name(npu_) + " waits for " + source + " in collective " +
         std::to_string(collective.start.collective_id) + " step " + std::to_string(waiter.token) +
         " of strand " + std::to_string(waiter.strand);
}

std::string Endpoint::missing(const Message& message) const {
  const auto* const expected = matcher_.find(message.key);
  const auto storing = storing_.find(&message);
  std::string who = npu_name(npu_) + " waits for no step yet that takes a message from " +
                    sender_name(message.key.source) + " with tag " + std::to_string(message.key.tag);
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
    lines.push_back(npu_name(npu_) + " waits to enter in-network flow " + std::to_string(key.tag) +
                    " of collective " + std::to_string(key.operation));
  }
  if (sends != 0)
    lines.push_back(npu_name(npu_) + " has " + std::to_string(sends) +
                    " sends that the fabric does not take");
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace wafertlm
