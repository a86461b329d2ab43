// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_module.h"

#include <stdexcept>
#include <utility>

namespace wafertlm {

void begin_request(FabricInitiatorSocket& socket, Packet& packet, TimePs delay_ps) {
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_sc_time(delay_ps);
  if (socket->nb_transport_fw(packet, phase, delay) != ::tlm::TLM_ACCEPTED)
    throw std::logic_error(std::string(socket.name()) +
                           ": a posted packet was not answered with TLM_ACCEPTED");
}

void end_request(FabricTargetSocket& socket, Packet& packet, TimePs delay_ps) {
  ::tlm::tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time delay = to_sc_time(delay_ps);
  if (socket->nb_transport_bw(packet, phase, delay) != ::tlm::TLM_ACCEPTED)
    throw std::logic_error(std::string(socket.name()) + ": a credit was not answered with TLM_ACCEPTED");
}

SwitchModule::Input::Input(const std::string& name, SwitchModule& module, PortId id)
    : socket(("in_" + name).c_str()), owner(module), port(id) {
  socket.bind(static_cast<FabricForwardIf&>(*this));
}

SwitchModule::Output::Output(const std::string& name, SwitchModule& module, PortId id)
    : socket(("out_" + name).c_str()), owner(module), port(id) {
  socket.bind(static_cast<FabricBackwardIf&>(*this));
}

SwitchModule::SwitchModule(const sc_core::sc_module_name& name, SwitchParams params,
                           const std::vector<std::string>& input_names,
                           const std::vector<std::string>& output_names, const ClassTable& classes,
                           const RouteFunction& routes, Scheduler& scheduler)
    : sc_module(name), scheduler_(scheduler), core_(std::move(params), classes, routes, *this) {
  for (std::size_t i = 0; i < input_names.size(); ++i)
    inputs_.emplace_back(input_names[i], *this, static_cast<PortId>(i));
  for (std::size_t i = 0; i < output_names.size(); ++i)
    outputs_.emplace_back(output_names[i], *this, static_cast<PortId>(i));
}

::tlm::tlm_sync_enum SwitchModule::Input::nb_transport_fw(Packet& packet, ::tlm::tlm_phase&,
                                                          sc_core::sc_time& delay) {
  owner.core_.arrive(port, packet, owner.scheduler_.now() + delay.value());
  return ::tlm::TLM_ACCEPTED;
}

::tlm::tlm_sync_enum SwitchModule::Output::nb_transport_bw(Packet& packet, ::tlm::tlm_phase&,
                                                           sc_core::sc_time& delay) {
  const TimePs now = owner.scheduler_.now();
  owner.core_.credit(port, packet.vc, packet.wire_bytes, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

void SwitchModule::forward(PortId output, Packet& packet, TimePs head_ps) {
  begin_request(outputs_[index_of(output)].socket, packet, head_ps - scheduler_.now());
}

void SwitchModule::return_credit(PortId input, Packet& packet, TimePs at) {
  end_request(inputs_[index_of(input)].socket, packet, at - scheduler_.now());
}

void SwitchModule::request_wake(PortId output, TimePs at) {
  scheduler_.schedule(at, *this, static_cast<std::uint32_t>(output));
}

void SwitchModule::wake(std::uint32_t output, TimePs now) { core_.wake(static_cast<PortId>(output), now); }

}  // namespace wafertlm
