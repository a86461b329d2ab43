// SPDX-License-Identifier: Apache-2.0
// Operations of an endpoint, from start to end, and the steps of its collectives.
#include "models/endpoint/endpoint.h"

#include <stdexcept>

#include "tlm/acceleration/steady_states.h"

namespace wafertlm {
namespace {

/// A threadblock that enters flows does so in its last step.
std::uint32_t threadblocks_into_flows(const StepSource& program) {
  std::uint32_t count = 0;
  for (std::uint32_t index = 0; index < program.threadblocks(); ++index) {
    const std::uint32_t steps = program.steps(index);
    if (steps > 0 && program.step(index, steps - 1).kind == Step::Kind::flow_send) ++count;
  }
  return count;
}

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

void Endpoint::set_steady_states(SteadyStates& steady, FabricForwardIf& leads_to) {
  steady_ = &steady;
  steady.add_source(npu_, injector_, leads_to, injector_.port().bytes_per_s(PortId{0}));
}

void Endpoint::list_state(StateVisitor& state) {
  if (memory_ || reliability_ || fault_) return state.give_up();
  state.require(collectives_.empty() && timers_.empty() && matcher_.empty());
  injector_.list_state(state);
}

void Endpoint::watched(Message& message) {
  if (!steady_) return;
  if (message.injected_bytes == message.bytes)
    steady_->ends(message);
  else
    steady_->look_at(message);
}

// ---------------------------------------------------------------- operations

void Endpoint::start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                          std::uint64_t token, TimePs now) {
  send_message(make_message({0, tag, npu_}, peer, bytes, traffic_class), {nullptr, token}, now);
}

void Endpoint::start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) {
  expect({0, tag, peer}, {nullptr, token}, now);
}

void Endpoint::start_collective(const CollectiveStart& start, TimePs now) {
  auto& slot = collectives_[start.collective_id];
  if (slot)
    throw std::logic_error(name_of(npu_) + " entered collective " + std::to_string(start.collective_id) +
                           " twice");
  slot = std::make_unique<Collective>();
  slot->start = start;
  if (!start.program->endpoint_steps()) return begin(*slot, now);
  if (!flow_control_)
    throw std::logic_error(name_of(npu_) + " should ask for in-network flows, but the fabric has none");
  const FlowKey first{start.collective_id, 0};
  flow_control_->ask({first, start.program, start.group, npu_, start.traffic_class, start.data_type, 0, this,
                      start.collective_id, false},
                     now);
}

void Endpoint::flows_decided(bool in_network, std::uint64_t collective_id, TimePs now) {
  Collective& collective = *collectives_.at(collective_id);
  if (!in_network) collective.start.program = collective.start.program->endpoint_steps();
  begin(collective, now);
}

void Endpoint::begin(Collective& collective, TimePs now) {
  const StepSource& program = *collective.start.program;
  if (flow_control_) flow_control_->will_enter(threadblocks_into_flows(program));
  Runner::prepare(collective, program);
  runner_.begin(collective, now);
}

void Endpoint::program_done(Collective& collective, TimePs now) {
  set_timer(now, Timer::Event::finished, nullptr, {&collective});
}

void Endpoint::end(Collective& collective) {
  const std::uint64_t token = collective.start.token;
  collectives_.erase(collective.start.collective_id);
  host_.communication_done(token);
}

// ---------------------------------------------------------------- steps

void Endpoint::stage_started(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs) {
  if (collective.stages.empty()) collective.stages.resize(collective.threadblocks.size());
  collective.stages[threadblock] = {step.port_order, next_arrival_++, true};
}

void Endpoint::send(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs now) {
  const CollectiveStart& start = collective.start;
  const bool contributes = step.kind == Step::Kind::flow_send;
  const NpuId peer = contributes ? npu_ : (*start.group)[step.peer];
  Message& message =
      make_message({start.collective_id, step.tag, npu_}, peer, step.bytes, start.traffic_class);
  message.address = step.offset;
  if (!collective.stages.empty() && collective.stages[threadblock].has_started) {
    message.port_order = collective.stages[threadblock].port_order;
    message.arrival = collective.stages[threadblock].arrival;
  }
  if (contributes) message.contributes = true;
  if (start.buffer) {
    const std::uint32_t number = collective.threadblocks[threadblock].done;
    message.source_data = start.buffer + step.offset;
    if (step.nonblocking || collective.program->pieces(threadblock, number).size() != 1) {
      std::vector<std::byte>& gathered = message.gathered.make();
      gather_values(*collective.program, threadblock, number, start.buffer, gathered);
      message.source_data = gathered.data();
    }
  }
  send_message(message, {&collective, 0, threadblock, step.nonblocking}, now, step.delay_ps);
}

void Endpoint::receive(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs now) {
  State& state = collective.threadblocks[threadblock];
  state.expected_bytes = step.bytes;
  const NpuId from = step.kind == Step::Kind::flow_copy ? kFabric : (*collective.start.group)[step.peer];
  expect({collective.start.collective_id, step.tag, from},
         {&collective, state.done, threadblock, step.nonblocking}, now);
}

void Endpoint::delay(Collective& collective, std::uint32_t threadblock, TimePs until) {
  set_timer(until, Timer::Event::local, nullptr, {&collective, 0, threadblock});
}

void Endpoint::work(Collective& collective, std::uint32_t, const Step& step) {
  const RankBuffer buffer = collective.buffer();
  if (buffer.values) do_locally(step, buffer.type, buffer.values);
}

void Endpoint::received_all(Collective& collective, std::uint32_t threadblock) {
  if (collective.start.buffer)
    collective.received.store(*collective.program, threadblock, collective.buffer());
}

// ---------------------------------------------------------------- time

void Endpoint::set_timer(TimePs at, Timer::Event event, Message* message, const Waiter& waiter) {
  Timer timer{message, waiter, event};
  if (!injector_.has_port_per_link()) {
    const MessageKey key = message             ? message->key
                           : waiter.collective ? MessageKey{waiter.collective->start.collective_id}
                                               : MessageKey{};
    timer.place = {event, key.operation, key.tag, key.source, waiter.threadblock, waiter.token};
  }
  if (timers_.add(at, timer)) host_.request_timer_wake(at);
}

void Endpoint::wake_timer(TimePs now) {
  const TimePs next = timers_.wake(now, [&](const Timer& timer) {
    now_ = now;
    handle(timer, now);
  });
  if (next != kNever) host_.request_timer_wake(next);
}

void Endpoint::handle(const Timer& timer, TimePs now) {
  switch (timer.event) {
    case Timer::Event::sent:
      if (timer.message) release(*timer.message);
      return sent(timer.waiter, now);
    case Timer::Event::launch:
      return launch(*timer.message, timer.waiter, now);
    case Timer::Event::arrived:
      return memory_ ? part_arrived(*timer.message, timer.waiter.token)
                     : message_arrived(*timer.message, now);
    case Timer::Event::taken:
      return take_in(*timer.message, timer.waiter, now);
    case Timer::Event::local:
      return runner_.local_done(*timer.waiter.collective, timer.waiter.threadblock, now);
    case Timer::Event::finished:
      return end(*timer.waiter.collective);
    case Timer::Event::answers:
      return reliability_->wake(now);
  }
}

}  // namespace wafertlm
