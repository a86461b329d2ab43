// SPDX-License-Identifier: Apache-2.0
#include "models/fred/physical/chip_flows.h"

#include <memory>

#include "models/fred/flows/routed_order.h"

namespace wafertlm {
namespace {

/// The switches of one way: the L1 chips, the L2 chip, and the ports of the endpoints below them. The numbers
/// of the switches go to `switches`.
FlowTree tree_of(std::uint32_t way, const ChipWiring& wiring, std::vector<std::size_t>& switches) {
  const FredGeometry& at = wiring.geometry();
  FlowTree tree;
  const auto add = [&](std::uint32_t number, std::uint32_t ports) {
    switches.push_back(number);
    return tree.add_switch(ports);
  };
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1)
    add(wiring.l1_chip(l1, wiring.chip_of(way)), wiring.l1_chip_ports(l1));
  const std::size_t l2 = add(wiring.l2_chip(wiring.l2_of(way)), wiring.l2_ports());
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1)
    tree.join(l1, static_cast<PortId>(wiring.up_port(way)), l2, static_cast<PortId>(wiring.l2_port(l1, way)));
  for (std::uint32_t e = 0; e < at.endpoints(); ++e) {
    const auto endpoint = static_cast<NpuId>(e);
    const std::size_t ports = add(wiring.ports_of(endpoint), wiring.endpoint_ports());
    tree.attach(endpoint, ports, static_cast<PortId>(ChipWiring::kEndpointPort));
    tree.join(ports, static_cast<PortId>(wiring.chip_port(way)), at.l1_of(endpoint),
              static_cast<PortId>(wiring.port_of(endpoint)));
  }
  return tree;
}

}  // namespace

FlowPaths chip_flow_paths(const FredParams& params, const Stripes& stripes, const ChipWiring& wiring) {
  const auto l1 = std::make_shared<RoutedOrder>(params.flows.middle_switches, params.ports(1));
  const auto l2 = std::make_shared<RoutedOrder>(params.flows.middle_switches, params.ports(2));
  FlowPaths ways;
  for (std::uint32_t way = 0; way < wiring.ways(); ++way) {
    std::vector<std::size_t> switches;
    FlowTree tree = tree_of(way, wiring, switches);
    tree.set_order(
        [l1, l2, l1_switches = wiring.geometry().l1_switches](std::size_t at, const FlowBranch& branch) {
          if (branch.inputs.size() == 1) return AdditionOrder();
          const auto ports = [](const std::vector<PortId>& of) {
            std::vector<std::uint32_t> list;
            for (const PortId port : of) list.push_back(static_cast<std::uint32_t>(port));
            return list;
          };
          return (at < l1_switches ? *l1 : *l2).of(ports(branch.inputs), ports(branch.outputs));
        });
    ways.add(std::move(tree), std::move(switches));
  }
  ways.set_choice([stripes, geometry = wiring.geometry()](const std::vector<NpuId>& members) {
    std::vector<std::uint32_t> l1_switches;
    for (const NpuId member : members) l1_switches.push_back(geometry.l1_of(member));
    const std::vector<std::uint32_t> found = stripes.among(l1_switches);
    return std::vector<std::size_t>(found.begin(), found.end());
  });
  return ways;
}

}  // namespace wafertlm
