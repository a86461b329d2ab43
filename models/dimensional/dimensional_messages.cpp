// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_messages.h"

namespace wafertlm {

DimensionalMessages::DimensionalMessages(const sc_core::sc_module_name& name, const DimensionalParams& params,
                                         const ClassTable& classes, Scheduler& scheduler)
    : DimensionalFabric(name, params, 0),
      network_(npus(), params_.format, classes, scheduler, params_.rules) {
  const Dimensions& dimensions = params_.dimensions;
  MessagePorts& ports = network_.ports();
  for (std::uint32_t n = 0; n < npus(); ++n)
    ports.add_vertex(node_routing_[n], node_routing_[n].outputs() - 1);
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (!is_switched(d)) continue;
    for (std::uint32_t k = 0; k < npus() / dimensions[d].size; ++k)
      ports.add_vertex(switch_routing_[d], dimensions[d].size);
  }
  for_each_link([&](const std::string& link_name, std::size_t from, PortId output, std::size_t to,
                    PortId input, const OutputParams& link) {
    links_.push_back({link_name, from, output, false});
    ports.set_link(static_cast<std::uint32_t>(from), output, link, static_cast<std::uint32_t>(to), input);
    if (const std::uint64_t rate = flow_rate(from, output); rate != 0)
      ports.set_flow_rate(static_cast<std::uint32_t>(from), output, rate);
  });
}

const MessagePort& DimensionalMessages::port_of(const FabricLink& link) const {
  const MessagePorts& ports = network_.ports();
  return ports.port(ports.number_of(static_cast<std::uint32_t>(link.from), link.output));
}

OutputCounters DimensionalMessages::counters(const FabricLink& link) const {
  const MessagePort& port = port_of(link);
  return {port.packets, port.payload_bytes, port.wire_bytes};
}

void DimensionalMessages::attach(NpuId, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  to_fabric.get_base_port().bind(no_packets_);
  from_fabric.get_base_port().bind(no_packets_);
}

}  // namespace wafertlm
