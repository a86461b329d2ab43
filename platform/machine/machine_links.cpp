// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/machine_links.h"

#include "models/endpoint/endpoint.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"

namespace wafertlm {

std::vector<MachineLink> machine_links(const Machine& machine) {
  const Fabric& fabric = machine.wafer().fabric();
  std::vector<MachineLink> links;
  for (const FabricLink& link : fabric.links())
    links.push_back({link.name, link.from, link.output, fabric.bytes_per_s(link)});
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
    const auto id = static_cast<NpuId>(n);
    const OutputParams own = n < fabric.npus() ? fabric.npu_link(id) : fabric.io_link();
    links.push_back({fabric.endpoint_name(id) + "->" + fabric.switch_of(id), fabric.switches() + n, PortId{0},
                     own.bytes_per_s, fabric.injection_is_wire()});
  }
  return links;
}

std::vector<OutputCounters> link_counters(const Machine& machine) {
  const Fabric& fabric = machine.wafer().fabric();
  std::vector<OutputCounters> counters;
  for (const FabricLink& link : fabric.links()) counters.push_back(fabric.counters(link));
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
    const auto id = static_cast<NpuId>(n);
    counters.push_back(machine.has(id) ? machine.endpoint(id).injection_port().counters(PortId{0})
                                       : OutputCounters{});
  }
  return counters;
}

LinkPlaces::LinkPlaces(const std::vector<MachineLink>& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const MachineLink& link = links[i];
    if (places_.size() <= link.from) places_.resize(link.from + 1);
    auto& outputs = places_[link.from];
    if (outputs.size() <= index_of(link.output)) outputs.resize(index_of(link.output) + 1, kNone);
    outputs[index_of(link.output)] = i;
  }
}

}  // namespace wafertlm
