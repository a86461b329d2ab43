// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/fred/tlm_run.h"

#include <chrono>
#include <queue>

#include "models/fred/flows/routed_order.h"
#include "tests/rtl/fred/rtl_headers.h"
#include "tlm/link/cut_through.h"
#include "tlm/link/flow_unit.h"

namespace wafertlm::test {
namespace {

constexpr TimePs kCycle = 1000;
constexpr std::uint32_t kLanes = 32;

class Switch final : SwitchHost, FlowUnitHost, RouteFunction {
 public:
  explicit Switch(const SwitchScenario& scenario)
      : scenario_(scenario),
        latency_(rtl_latency_cycles(scenario.ports)),
        core_(core_params(), scenario_classes(), *this, *this),
        unit_(unit_params(), packets_, *this),
        sources_(scenario.ports) {
    for (Source& source : sources_)
      for (std::size_t vc = 0; vc < scenario_classes().virtual_channels(); ++vc)
        source.room.emplace_back(depth_flits(scenario.ports) * kFlitBytes);
    RoutedOrder orders(3, scenario.ports);
    flows_.reserve(scenario.flows.size());
    for (const ScenarioFlow& of : scenario.flows) {
      Flow& flow = flows_.emplace_back();
      flow.key = {1, flows_.size()};
      flow.traffic_class = static_cast<ClassId>(of.traffic_class);
      flow.data_type = of.entry.data_type;
      flow.packets = of.entry.packets;
      flow.slot = static_cast<std::uint32_t>(flows_.size() - 1);
      FlowBranch branch;
      for (const std::uint32_t port : of.entry.flow.inputs)
        branch.inputs.push_back(static_cast<PortId>(port));
      for (const std::uint32_t port : of.entry.flow.outputs)
        branch.outputs.push_back(static_cast<PortId>(port));
      branch.order = orders.of(of.entry.flow.inputs, of.entry.flow.outputs);
      if (of.entry.from_above) branch.from_above = static_cast<PortId>(*of.entry.from_above);
      unit_.open(flow, branch, std::vector<std::uint64_t>(branch.outputs.size()));
    }
  }

  void run() {
    for (std::uint32_t i = 0; i < scenario_.ports; ++i) at(0, Event::source, i);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      if (event.kind == Event::source)
        feed(event.port);
      else if (event.kind == Event::credit)
        take_credit(static_cast<PortId>(event.port), *event.packet);
      else
        core_.wake(static_cast<PortId>(event.port), now_);
    }
  }
  Deliveries take_deliveries() { return std::move(deliveries_); }
  std::uint64_t phase_changes() const { return unit_.phase_changes(); }

 private:
  struct Event {
    enum Kind : std::uint8_t { source, credit, wake };  // arrivals before arbitration
    TimePs time;
    Kind kind;
    std::uint64_t order;
    std::uint32_t port;
    Packet* packet = nullptr;  // of a credit
    bool operator<(const Event& other) const {
      return std::tie(other.time, other.kind, other.port, other.order) < std::tie(time, kind, port, order);
    }
  };
  struct Source {
    std::size_t next = 0;
    TimePs line_free = 0, planned = 0;
    std::vector<CreditWindow> room;
  };

  void at(TimePs time, Event::Kind kind, std::uint32_t port, Packet* packet = nullptr) {
    events_.push({time, kind, ++order_, port, packet});
  }

  SwitchParams core_params() const {
    SwitchParams params;
    params.pipeline_ps = latency_ * kCycle;
    params.input_start_ps = kCycle;
    params.credit_delay_ps.assign(scenario_.ports, kCreditCycles * kCycle);
    params.credit_delay_ps.resize(scenario_.ports + kLanes);
    params.flow_lanes = kLanes;
    OutputParams output;
    output.bytes_per_s = kFlitBytes * (kPsPerSecond / kCycle);
    output.buffer_bytes = output.flow_buffer_bytes = depth_flits(scenario_.ports) * kFlitBytes;
    params.outputs.assign(scenario_.ports, output);
    return params;
  }
  FlowUnitParams unit_params() const {
    FlowUnitParams params;
    params.outputs = scenario_.ports;
    params.pipeline_ps = latency_ * kCycle;
    params.credit_delay_ps.assign(scenario_.ports, kCreditCycles * kCycle);
    params.lanes = kLanes;
    params.phase_rule = scenario_.phase_rule;
    params.phase_change_ps = scenario_.phase_change * kCycle;
    for (std::size_t c = 0; c < scenario_classes().size(); ++c)
      params.priority[c] = scenario_classes()[static_cast<ClassId>(c)].priority;
    return params;
  }

  /// Sends the next packet of an input if it can.
  void feed(std::uint32_t input) {
    Source& source = sources_[input];
    const auto& all = scenario_.inputs[input];
    if (source.next == all.size()) return;
    const ScenarioPacket& of = all[source.next];
    const TimePs ready = std::max<TimePs>(of.created * kCycle, source.line_free);
    if (ready > now_) {
      if (source.planned != ready) at(ready, Event::source, input);
      source.planned = ready;
      return;
    }
    const std::uint32_t vc = channel_of(of), bytes = of.flits * kFlitBytes;
    if (source.room[vc].available(now_) < bytes) return;  // a credit comes back here
    source.room[vc].take(bytes);
    source.line_free = now_ + of.flits * kCycle;
    ++source.next;
    Packet& packet = packets_.acquire();
    packet.destination = static_cast<NpuId>(of.output);
    packet.source = static_cast<NpuId>(input);
    packet.wire_bytes = packet.payload_bytes = bytes;
    packet.traffic_class = static_cast<ClassId>(of.traffic_class);
    packet.vc = static_cast<VcId>(vc);
    packet.tail_ps = source.line_free;
    packet.sequence = of.sequence;
    packet.data = of.data;
    if (of.flow >= 0) {
      packet.flow = &flows_[static_cast<std::size_t>(of.flow)];
      unit_.arrive(static_cast<PortId>(input), packet, now_, now_);
    } else {
      core_.arrive(static_cast<PortId>(input), packet, now_);
    }
    at(source.planned = source.line_free, Event::source, input);
  }

  void credit_upstream(PortId input, Packet& packet, TimePs when) {
    const auto port = static_cast<std::uint32_t>(input);
    sources_[port].room[index_of(packet.vc)].give_back(packet.wire_bytes, when);
    at(when, Event::source, port);
  }

  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
  void forward(PortId output, Packet& packet, TimePs) override {
    const auto port = static_cast<std::uint32_t>(output);
    const int from =
        packet.flow ? static_cast<int>(packet.flow->slot) : -1 - static_cast<int>(index_of(packet.source));
    const DeliveryKey key{port, from, static_cast<std::uint32_t>(packet.sequence)};
    TimePs room = packet.tail_ps + hold_cycles(scenario_, key) * kCycle;
    if (!scenario_.closed_until.empty()) room = std::max<TimePs>(room, scenario_.closed_until[port] * kCycle);
    room += latency_ * kCycle;
    // Not ahead of time: who keeps a packet for long does not know for how long.
    at(room, Event::credit, port, &packet);
    deliveries_.emplace(key, Delivery{now_ / kCycle, packet.tail_ps / kCycle - 1, packet.data.bytes()});
  }
  void take_credit(PortId output, Packet& packet) {
    core_.credit(output, packet.vc, packet.wire_bytes, now_, now_);
    if (packet.flow) unit_.credit(output, packet, now_, now_);
    packets_.release(packet);
  }
  void return_credit(PortId input, Packet& packet, TimePs when) override {
    if (packet.flow) return unit_.copy_left(packet, when);
    credit_upstream(input, packet, when);
  }
  void request_wake(PortId output, TimePs when) override {
    at(when, Event::wake, static_cast<std::uint32_t>(output));
  }
  void send_copy(PortId output, std::uint32_t lane, Packet& copy, TimePs head_ps) override {
    core_.arrive_for(output, static_cast<PortId>(scenario_.ports + lane), copy, head_ps);
  }
  void return_flow_credit(PortId input, Packet& packet, TimePs when) override {
    credit_upstream(input, packet, when);
    packets_.release(packet);
  }
  void branch_done(const Flow&, TimePs) override {}
  void request_flow_wake(TimePs) override {}

  const SwitchScenario& scenario_;
  const std::uint32_t latency_;
  PacketPool packets_;
  std::vector<Flow> flows_;
  CutThroughSwitch core_;
  FlowUnit unit_;
  std::vector<Source> sources_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  TimePs now_ = 0;
  Deliveries deliveries_;
};

}  // namespace

TlmRun run_tlm(const SwitchScenario& scenario) {
  Switch one(scenario);
  const auto start = std::chrono::steady_clock::now();
  one.run();
  TlmRun run;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.phase_changes = one.phase_changes();
  run.deliveries = one.take_deliveries();
  return run;
}

}  // namespace wafertlm::test
