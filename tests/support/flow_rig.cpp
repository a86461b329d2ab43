// SPDX-License-Identifier: Apache-2.0
#include "tests/support/flow_rig.h"

#include <algorithm>

#include "models/fred/flows/routed_order.h"
#include "models/fred/flows/switch_routes.h"
#include "platform/machine/reliability.h"
#include "tlm/checking/checking.h"
#include "tlm/link/cut_through.h"

namespace wafertlm::test {

struct FlowRig::Switch final : SwitchHost, FlowUnitHost, RouteFunction {
  Switch(FlowRig& owner, std::size_t id, const SwitchParams& params, const FlowUnitParams& unit_params)
      : rig(owner),
        number(id),
        inputs(unit_params.credit_delay_ps.size()),
        core(params, owner.classes_, *this, *this),
        unit(unit_params, owner.packets_, *this),
        carried(params.outputs.size()) {
    for (std::size_t i = 0; i < params.outputs.size(); ++i)
      errors.emplace_back(BitErrors{owner.params_.bit_error_rate, 1}, id * 100 + i);
  }

  PortId output_for(const Packet& packet) const override {
    const auto to = static_cast<std::uint32_t>(packet.destination), n = rig.params_.npus_per_l1;
    if (number == rig.params_.l1) return static_cast<PortId>(to / n);
    return static_cast<PortId>(to / n == number ? to % n : n);
  }
  void forward(PortId output, Packet& packet, TimePs head_ps) override;
  void return_credit(PortId input, Packet& packet, TimePs at) override;
  void request_wake(PortId output, TimePs at) override {
    rig.at(at, [this, output] { core.wake(output, rig.now_); });
  }
  void send_copy(PortId output, std::uint32_t lane, Packet& copy, TimePs head_ps) override {
    core.arrive_for(output, static_cast<PortId>(inputs + lane), copy, head_ps);
  }
  void return_flow_credit(PortId input, Packet& packet, TimePs at) override {
    credit_upstream(input, packet, at);
    rig.packets_.release(packet);
  }
  void branch_done(const Flow& flow, TimePs at) override { rig.admission_->branch_done(flow, at); }
  void request_flow_wake(TimePs at) override {
    rig.at(at, [this] { unit.wake(rig.now_); });
  }

  void arrive(PortId input, Packet& packet, TimePs head_ps) {
    if (packet.flow)
      unit.arrive(input, packet, head_ps, rig.now_);
    else
      core.arrive(input, packet, head_ps);
  }
  void credit(PortId output, const Packet& packet, TimePs at) {
    core.credit(output, packet.vc, packet.wire_bytes, at, rig.now_);
    if (packet.flow) unit.credit(output, packet, at, rig.now_);
  }
  void credit_upstream(PortId input, const Packet& packet, TimePs at);

  FlowRig& rig;
  std::size_t number, inputs;
  CutThroughSwitch core;
  FlowUnit unit;
  std::vector<std::map<FlowKey, std::uint64_t>> carried;
  std::vector<LinkErrors> errors;  // by output
};

struct FlowRig::Node final : EndpointHost {
  Node(FlowRig& owner, std::uint32_t n, const InjectorParams& injector)
      : rig(owner),
        number(n),
        endpoint(static_cast<NpuId>(n), injector, owner.classes_, owner.packets_, owner.messages_, *this,
                 endpoint_params(owner.params_)) {}
  static EndpointParams endpoint_params(const FlowRigParams& rig) {
    EndpointParams params;
    params.reliability = rig.reliability;
    if (params.reliability) params.reliability->errors.rate = rig.bit_error_rate;
    return params;
  }
  void inject(Packet& packet, TimePs head_ps) override {
    rig.switches_[number / rig.params_.npus_per_l1]->arrive(
        static_cast<PortId>(number % rig.params_.npus_per_l1), packet, head_ps);
  }
  void request_injector_wake(TimePs at) override {
    rig.at(at, [this] { endpoint.wake_injector(rig.now_); });
  }
  void request_timer_wake(TimePs at) override {
    rig.at(at, [this] { endpoint.wake_timer(rig.now_); });
  }
  void communication_done(std::uint64_t token) override {
    const auto found = rig.done_.find(token);
    const auto call = found->second;
    rig.done_.erase(found);
    if (call) call(rig.now_);
  }
  FlowRig& rig;
  std::uint32_t number;
  Endpoint endpoint;
};

struct FlowRig::Orders {
  RoutedOrder l1, l2;
};

struct FlowRig::Admission final : FlowAdmissionHost {
  explicit Admission(FlowRig& owner) : rig(owner) {}
  void request_admission_wake(TimePs at) override {
    rig.at(at, [this] { rig.admission_->wake(rig.now_); });
  }
  FlowRig& rig;
};

void FlowRig::Switch::forward(PortId output, Packet& packet, TimePs head_ps) {
  errors[index_of(output)].cross(packet);
  if (packet.flow && packet.kind == PacketKind::data)
    carried[index_of(output)][packet.flow->key] += packet.payload_bytes;
  const auto next = rig.tree_.behind(number, output);
  if (next) return rig.switches_[next->at]->arrive(next->port, packet, head_ps);
  Node& node = *rig.nodes_[number * rig.params_.npus_per_l1 + index_of(output)];
  credit(output, packet, packet.tail_ps + rig.params_.credit_delay_ps);
  node.endpoint.receive(packet, rig.now_);
}

void FlowRig::Switch::return_credit(PortId input, Packet& packet, TimePs at) {
  if (packet.flow) return unit.copy_left(packet, at);
  credit_upstream(input, packet, at);
}

void FlowRig::Switch::credit_upstream(PortId input, const Packet& packet, TimePs at) {
  const auto previous = rig.tree_.behind(number, input);
  if (previous) return rig.switches_[previous->at]->credit(previous->port, packet, at);
  Endpoint& endpoint = rig.nodes_[number * rig.params_.npus_per_l1 + index_of(input)]->endpoint;
  endpoint.credit(packet, at, rig.now_);
}

OutputParams FlowRig::link(std::uint64_t bytes_per_s) const {
  const auto in_flight = static_cast<std::uint64_t>(
      (Uint128{bytes_per_s} * (params_.latency_ps + params_.pipeline_ps + params_.credit_delay_ps)) /
          kPsPerSecond +
      1);
  const std::uint64_t line_rate = in_flight + 2 * std::uint64_t{params_.packet_bytes};
  const std::uint64_t room =
      params_.credit_packets == 0 ? line_rate : params_.credit_packets * std::uint64_t{params_.packet_bytes};
  return {bytes_per_s, params_.latency_ps, line_rate, params_.flows * room, room};
}

FlowRig::FlowRig(const FlowRigParams& params, const ClassTable& classes)
    : params_(params), classes_(classes) {
  const std::uint32_t n = params.npus_per_l1;
  FlowFabric fabric;
  for (std::uint32_t s = 0; s <= params.l1; ++s) {
    const bool top = s == params.l1;
    SwitchParams core;
    core.pipeline_ps = params.pipeline_ps;
    for (std::uint32_t p = 0; p < (top ? params.l1 : n); ++p)
      core.outputs.push_back(link(top ? params.uplink_bytes_per_s : params.npu_bytes_per_s));
    if (!top) core.outputs.push_back(link(params.uplink_bytes_per_s));
    FlowUnitParams unit;
    unit.outputs = core.outputs.size();
    unit.pipeline_ps = params.pipeline_ps;
    unit.credit_delay_ps.assign(core.outputs.size(), params.credit_delay_ps);
    unit.lanes = params.lanes;
    unit.phase_rule = params.phase_rule;
    unit.phase_change_ps = params.phase_change_ps;
    for (std::size_t c = 0; c < classes.size(); ++c)
      unit.priority[c] = classes[static_cast<ClassId>(c)].priority;
    core.credit_delay_ps = unit.credit_delay_ps;
    core.credit_delay_ps.resize(core.credit_delay_ps.size() + unit.lanes);
    tree_.add_switch(static_cast<std::uint32_t>(core.outputs.size()));
    switches_.push_back(std::make_unique<Switch>(*this, s, core, unit));
    fabric.outputs.push_back(core.outputs);
    fabric.units.push_back(&switches_.back()->unit);
  }
  FlowAdmissionParams admission;
  admission.format.packet_bytes = params.packet_bytes;
  admission.reservation = params.reservation;
  admission.conflict = params.conflict;
  if (params.reliability) admission.answers = params.reliability->answers;
  admission_host_ = std::make_unique<Admission>(*this);
  admission_ = std::make_unique<FlowAdmission>(admission, classes, *admission_host_);
  for (std::uint32_t npu = 0; npu < npus(); ++npu) {
    tree_.attach(static_cast<NpuId>(npu), npu / n, static_cast<PortId>(npu % n));
    InjectorParams injector;
    injector.format.packet_bytes = params.packet_bytes;
    injector.link = link(params.npu_bytes_per_s);
    injector.dma_engines = 16;
    injector.answers = params.reliability.has_value();
    nodes_.push_back(std::make_unique<Node>(*this, npu, injector));
    nodes_.back()->endpoint.set_flow_control(*admission_);
    fabric.injection.push_back(injector.link);
  }
  for (std::uint32_t s = 0; s < params.l1; ++s)
    tree_.join(s, static_cast<PortId>(n), params.l1, static_cast<PortId>(s));
  if (params.routed_order) {
    orders_ = std::shared_ptr<Orders>(new Orders{{3, n + 1}, {3, params.l1}});
    tree_.set_order([orders = orders_, top = params.l1](std::size_t at, const FlowBranch& branch) {
      const auto ports = [](const std::vector<PortId>& of) {
        std::vector<std::uint32_t> list;
        for (const PortId port : of) list.push_back(static_cast<std::uint32_t>(port));
        return list;
      };
      return (at == top ? orders->l2 : orders->l1).of(ports(branch.inputs), ports(branch.outputs));
    });
  }
  if (params.middle_switches != 0) {
    auto routes = std::make_shared<SwitchRoutes>(
        params.middle_switches, FredRouteMode::first_colouring,
        [this](std::size_t at, PortId port) { return tree_.behind(at, port); });
    for (std::uint32_t s = 0; s <= params.l1; ++s) {
      std::vector<SwitchRoutes::Port> ports(s == params.l1 ? params.l1 : n + 1);
      for (std::uint32_t p = 0; p < ports.size(); ++p) ports[p].first = p;
      const auto count = static_cast<std::uint32_t>(ports.size());
      routes->add_switch(count, std::move(ports));
    }
    fabric.routing = routes;
  }
  fabric.ways = tree_;
  admission_->set_fabric(std::move(fabric));
}

FlowRig::~FlowRig() = default;

AdditionOrder FlowRig::additions(const std::vector<NpuId>& contributors,
                                 const std::vector<NpuId>& receivers) const {
  return tree_.additions(contributors, tree_.branches(contributors, receivers));
}

void FlowRig::at(TimePs time, std::function<void()> what) { events_.emplace(time, std::move(what)); }

void FlowRig::enter(const CollectiveProgram& program, std::uint64_t id, std::uint32_t rank,
                    ClassId traffic_class, TimePs when, std::byte* values, std::function<void(TimePs)> done) {
  const std::uint64_t token = next_token_++;
  done_.emplace(token, std::move(done));
  at(when, [=, &program] {
    nodes_[index_of(program.group[rank])]->endpoint.start_collective(
        {id, program.ranks[rank].get(), &program.group, traffic_class, values, program.data_type, token},
        now_);
  });
}

void FlowRig::send(NpuId from, NpuId to, std::uint64_t bytes, ClassId traffic_class, std::uint64_t tag,
                   TimePs when, std::function<void(TimePs)> received) {
  const std::uint64_t sent = next_token_++, taken = next_token_++;
  done_.emplace(sent, nullptr);
  done_.emplace(taken, std::move(received));
  at(when, [=] {
    nodes_[index_of(from)]->endpoint.start_send(to, tag, bytes, traffic_class, sent, now_);
    nodes_[index_of(to)]->endpoint.start_receive(from, tag, taken, now_);
  });
}

void FlowRig::run() {
  while (!events_.empty()) {
    const auto first = events_.begin();
    now_ = first->first;
    const auto what = std::move(first->second);
    events_.erase(first);
    what();
  }
}

std::string FlowRig::unrest() {
  std::string text;
  for (const auto& each : switches_) {
    if (each->core.queued() + each->unit.queued() != 0)
      text += say("switch ", each->number, " holds packets; ");
    if (each->core.outstanding_credits() != 0) text += say("switch ", each->number, " misses credits; ");
    if (each->unit.open_branches() != 0) text += say("switch ", each->number, " has open branches; ");
  }
  for (const auto& node : nodes_)
    if (node->endpoint.injection_port().outstanding_credits() + node->endpoint.outstanding_flow_credits() +
            node->endpoint.injection_port().queued() !=
        0)
      text += say("NPU ", node->number, " is not at rest; ");
  if (packets_.in_use() != 0) text += say(packets_.in_use(), " packets are out; ");
  if (messages_.in_use() != 0) text += say(messages_.in_use(), " messages are out; ");
  if (admission_->active() != 0) text += "a flow is open; ";
  return text;
}

std::vector<std::string> FlowRig::pending() const { return admission_->pending(); }

std::map<FlowKey, std::uint64_t> FlowRig::carried(std::size_t at, PortId output) const {
  return switches_[at]->carried[index_of(output)];
}

std::uint64_t FlowRig::payload_bytes(std::size_t at, PortId output) const {
  return switches_[at]->core.counters(output).payload_bytes;
}

std::uint64_t FlowRig::phase_changes(std::size_t at) const { return switches_[at]->unit.phase_changes(); }

std::uint64_t FlowRig::injected_bytes(NpuId npu) const {
  return nodes_[index_of(npu)]->endpoint.injection_port().counters(PortId{0}).payload_bytes;
}

ReliabilityCounters FlowRig::repairs() const {
  ReliabilityCounters sum;
  for (const auto& node : nodes_)
    if (const ReliabilityCounters* const of = node->endpoint.reliability()) sum += *of;
  return sum;
}

FlowRepairCounters FlowRig::flow_repairs() const {
  FlowRepairCounters sum;
  for (const auto& each : switches_) {
    sum.discarded_packets += each->unit.repairs().discarded_packets;
    sum.discarded_bytes += each->unit.repairs().discarded_bytes;
    sum.answers += each->unit.repairs().answers;
  }
  return sum;
}

std::uint64_t FlowRig::spoiled_packets() const {
  std::uint64_t packets = repairs().spoiled_packets;
  for (const auto& each : switches_)
    for (const LinkErrors& link : each->errors) packets += link.spoiled();
  return packets;
}

void FlowRig::set_fault(NpuId npu, Fault& fault) { nodes_[index_of(npu)]->endpoint.set_fault(fault); }

}  // namespace wafertlm::test
