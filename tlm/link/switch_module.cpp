// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_module.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/link/lossy_links.h"

namespace wafertlm {

void begin_request(const sc_core::sc_object& from, FabricForwardIf& peer, Packet& packet,
                   const sc_core::sc_time& delay) {
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_core::sc_time annotated = delay;
  if (peer.nb_transport_fw(packet, phase, annotated) != ::tlm::TLM_ACCEPTED)
    throw std::logic_error(std::string(from.name()) + ": a posted packet was not answered with TLM_ACCEPTED");
}

void end_request(const sc_core::sc_object& from, FabricBackwardIf& peer, Packet& packet,
                 const sc_core::sc_time& delay) {
  ::tlm::tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time annotated = delay;
  if (peer.nb_transport_bw(packet, phase, annotated) != ::tlm::TLM_ACCEPTED)
    throw std::logic_error(std::string(from.name()) + ": a credit was not answered with TLM_ACCEPTED");
}

void begin_request(FabricInitiatorSocket& socket, Packet& packet, TimePs delay_ps) {
  begin_request(socket, *peer_of(socket), packet, to_sc_time(delay_ps));
}

void end_request(const sc_core::sc_object& from, FabricBackwardIf& peer, Packet& packet, VcId vc,
                 TimePs delay_ps) {
  const VcId now_on = std::exchange(packet.vc, vc);
  end_request(from, peer, packet, to_sc_time(delay_ps));
  packet.vc = now_on;
}

void end_request(FabricTargetSocket& socket, Packet& packet, TimePs delay_ps) {
  end_request(socket, *peer_of(socket), packet, to_sc_time(delay_ps));
}

void prefetch_injection(const SwitchCore& port, const FabricForwardIf& fabric, SwitchCore::Winner& likely,
                        unsigned depth) {
  if (depth == 0) {
    port.prefetch_output(PortId{0});
    __builtin_prefetch(&fabric);
  } else if (depth == 1) {
    port.prefetch_contenders(PortId{0});
  } else if (depth == 2) {
    likely = port.likely_winner(PortId{0});
    if (likely.packet) prefetch_for_hop(*likely.packet);
    fabric.prefetch();
  } else if (depth == 4) {
    if (likely.packet) fabric.prefetch(*likely.packet);
  }
}

namespace {

SwitchParams with_lanes(SwitchParams params) {
  params.credit_delay_ps.resize(params.credit_delay_ps.size() + params.flow_lanes);
  return params;
}

FlowUnitParams flow_params(const SwitchParams& params, const ClassTable& classes) {
  FlowUnitParams flows;
  flows.outputs = params.outputs.size();
  flows.pipeline_ps = params.pipeline_ps;
  flows.credit_delay_ps = params.credit_delay_ps;
  flows.lanes = params.flow_lanes;
  flows.stripes = params.flow_stripes;
  flows.phase_rule = params.phase_rule;
  flows.phase_change_ps = params.phase_change_ps;
  for (std::size_t c = 0; c < classes.size(); ++c)
    flows.priority[c] = classes[static_cast<ClassId>(c)].priority;
  return flows;
}

}  // namespace

SwitchModule::SwitchModule(const sc_core::sc_module_name& name, SwitchParams params,
                           const std::vector<std::string>& input_names,
                           const std::vector<std::string>& output_names, const ClassTable& classes,
                           const RouteFunction& routes, Scheduler& scheduler)
    : sc_module(name),
      scheduler_(scheduler),
      inputs_(input_names.size()),
      outputs_(output_names.size()),
      core_(make_switch_core(with_lanes(params), classes, routes, *this)),
      flow_params_(flow_params(params, classes)),
      input_queue_(params.input_queue),
      input_start_ps_(params.input_start_ps),
      links_(params.outputs) {
  for (std::size_t i = 0; i < input_names.size(); ++i) {
    inputs_[i].owner = this;
    inputs_[i].port = static_cast<PortId>(i);
    input_sockets_.emplace_back(("in_" + input_names[i]).c_str());
    input_sockets_.back().bind(static_cast<FabricForwardIf&>(inputs_[i]));
  }
  for (std::size_t i = 0; i < output_names.size(); ++i) {
    outputs_[i].owner = this;
    outputs_[i].port = static_cast<PortId>(i);
    outputs_[i].latency = to_sc_time(params.outputs.at(i).latency_ps);
    output_sockets_.emplace_back(("out_" + output_names[i]).c_str());
    output_sockets_.back().bind(static_cast<FabricBackwardIf&>(outputs_[i]));
  }
}

void SwitchModule::enable_flows(PacketPool& packets, FlowListener& listener) {
  if (flow_params_.lanes == 0) throw std::logic_error(std::string(name()) + " has no lanes for flows");
  flow_packets_ = &packets;
  flow_listener_ = &listener;
  flows_ = std::make_unique<FlowUnit>(flow_params_, packets, static_cast<FlowUnitHost&>(*this));
}

void SwitchModule::set_view(SwitchView& view) {
  view_ = &view;
  if (flows_) flows_->set_view(view);
}

void SwitchModule::send_for_view(PortId output, Packet& packet, TimePs tail_ps) {
  Output& from = outputs_[index_of(output)];
  packet.tail_ps = tail_ps + from.latency.value();
  packet.head_fraction = 0;
  ++packet.hops;
  begin_request(*this, *from.peer, packet, from.latency);
}

void SwitchModule::return_for_view(PortId input, Packet& packet, VcId vc, TimePs tail_ps) {
  Input& to = inputs_[index_of(input)];
  const TimePs now = scheduler_.now();
  const TimePs at = std::max(now, tail_ps + credit_delay_ps(input));
  end_request(*this, *to.peer, packet, vc, at - now);
}

void SwitchModule::add_errors(const BitErrors& errors, std::uint64_t first_link) {
  lossy_links_ = std::make_shared<LossyLinks>(errors, first_link, outputs_.size());
}

std::uint64_t SwitchModule::spoiled_packets() const { return lossy_links_ ? lossy_links_->spoiled() : 0; }

void SwitchModule::end_of_elaboration() {
  bool may_run_ahead = input_start_ps_ == 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].peer = peer_of(input_sockets_[i]);
    may_run_ahead = may_run_ahead && inputs_[i].peer->time_source() == &scheduler_;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].peer = peer_of(output_sockets_[i]);
    if (lossy_links_) outputs_[i].peer = &lossy_links_->before(i, *outputs_[i].peer);
    outputs_[i].may_run_ahead = may_run_ahead && outputs_[i].peer->time_source() == &scheduler_;
  }
}

void SwitchModule::start_of_simulation() {
  if (view_ || lossy_links_) return;
  bool may_be_late = !flows_ && !scheduler_.may_have_windows();
  for (Output& output : outputs_) {
    const LinkEnd end = output.peer->link_end();
    may_be_late = may_be_late && output.may_run_ahead;
    if (end.sink) core_->lead_to(output.port, *end.sink);
    if (SwitchCore* const next = end.at ? end.at->plain_core() : nullptr)
      core_->lead_to(output.port, *next, end.input, end.at->inputs_[index_of(end.input)].peer == &output);
  }
  for (const Input& input : inputs_) may_be_late = may_be_late && input.peer->may_be_told_late();
  if (may_be_late && core_->form_trains()) scheduler_.add_late(*this);
}

::tlm::tlm_sync_enum SwitchModule::Input::nb_transport_fw(Packet& packet, ::tlm::tlm_phase&,
                                                          sc_core::sc_time& delay) {
  const TimePs now = owner->scheduler_.now();
  if (owner->view_ && owner->view_->arrive(port, packet, now + delay.value(), now))
    return ::tlm::TLM_ACCEPTED;
  if (packet.flow)
    owner->flows_->arrive(port, packet, now + delay.value(), now);
  else
    owner->core_->arrive(port, packet, now + delay.value());
  return ::tlm::TLM_ACCEPTED;
}

/// Without a latency it matters who goes first at an instant.
bool SwitchModule::Output::may_be_told_late() const {
  return !owner->view_ && !owner->flows_ && latency != sc_core::SC_ZERO_TIME;
}

::tlm::tlm_sync_enum SwitchModule::Output::nb_transport_bw(Packet& packet, ::tlm::tlm_phase&,
                                                           sc_core::sc_time& delay) {
  const TimePs now = owner->scheduler_.now();
  if (owner->view_ && owner->view_->credit(port, packet, now + delay.value(), now))
    return ::tlm::TLM_ACCEPTED;
  owner->core_->credit(port, packet.vc, packet.wire_bytes, now + delay.value(), now);
  if (packet.flow) owner->flows_->credit(port, packet, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

void SwitchModule::list_state(PortId output, StateVisitor& state) {
  if (view_ || lossy_links_) return state.give_up();
  core_->list_state(output, state);
  if (flows_ && !state.gives_up()) flows_->list_state(output, state);
}

void SwitchModule::forward(PortId output, Packet& packet, TimePs) {
  Output& from = outputs_[index_of(output)];
  if (view_) view_->sent(output, packet, scheduler_.now());
  begin_request(*this, *from.peer, packet, from.latency);  // the head leaves now
}

void SwitchModule::return_credit(PortId input, Packet& packet, TimePs at) {
  if (packet.flow) return flows_->copy_left(packet, at);  // it came from a lane
  Input& to = inputs_[index_of(input)];
  if (PendingTimes::is_pending(at))
    return scheduler_.pending().when(at, [this, &to, &packet, vc = packet.vc](TimePs known) {
      end_request(*this, *to.peer, packet, vc, known - scheduler_.now());
    });
  end_request(*this, *to.peer, packet, to_sc_time(at - scheduler_.now()));
}

void SwitchModule::send_copy(PortId output, std::uint32_t lane, Packet& copy, TimePs head_ps) {
  core_->arrive_for(output, static_cast<PortId>(inputs_.size() + lane), copy, head_ps);
}

void SwitchModule::return_flow_credit(PortId input, Packet& packet, TimePs at) {
  scheduler_.pending().when(at, [this, input, &packet](TimePs known) {
    end_request(*this, *inputs_[index_of(input)].peer, packet, to_sc_time(known - scheduler_.now()));
    flow_packets_->release(packet);
  });
}

void SwitchModule::branch_done(const Flow& flow, TimePs at) {
  scheduler_.pending().when(at, [this, &flow](TimePs known) { flow_listener_->branch_done(flow, known); });
}

void SwitchModule::request_wake(PortId output, TimePs at) {
  const auto what = static_cast<std::uint32_t>(output);
  if (outputs_[what].may_run_ahead)
    scheduler_.schedule_run_ahead(at, *this, what);
  else
    scheduler_.schedule(at, *this, what);
}

TimePs SwitchModule::request_late_wake(PortId output, TimePs, TimePs by) {
  request_wake(output, by);
  return by;
}

void SwitchModule::wake(std::uint32_t output, TimePs now) { core_->wake(static_cast<PortId>(output), now); }

void SwitchModule::prefetch(std::uint32_t output, unsigned depth) const {
  const Output& port = outputs_[output];
  const auto id = static_cast<PortId>(output);
  if (depth == 0) {
    __builtin_prefetch(&port);
    core_->prefetch_output(id);
    return;
  }
  if (depth == 1) {
    core_->prefetch_contenders(id);
    for (const Input& input : inputs_) __builtin_prefetch(&input);
    __builtin_prefetch(port.peer);
    return;
  }
  if (depth == 2) port.likely = core_->likely_winner(id);
  const SwitchCore::Winner& winner = port.likely;
  if (!winner.packet || winner.packet->flow) return;
  const FabricBackwardIf* const sender = inputs_[winner.input].peer;
  if (depth == 2) {
    prefetch_for_hop(*winner.packet);
    __builtin_prefetch(sender);
    port.peer->prefetch();
  } else if (depth == 3) {
    __builtin_prefetch(winner.packet->next);
    sender->prefetch();
  } else {
    sender->prefetch(*winner.packet);
    port.peer->prefetch(*winner.packet);
  }
}

}  // namespace wafertlm
