// SPDX-License-Identifier: Apache-2.0
#include "models/fred/physical/chip_fabric.h"

#include <memory>
#include <numeric>
#include <string>

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

FredChipFabric::FredChipFabric(const sc_core::sc_module_name& name, const FredParams& params,
                               const ClassTable& classes, Scheduler& scheduler, PacketPool& packets,
                               CheckerSet* checkers, bool reverse)
    : FredWafer(name, params, classes, checkers),
      routing_(ChipWiring(params.geometry, params.chips)),
      l2_route_(routing_) {
  plan_switches();
  const ChipWiring& wiring = routing_.wiring;
  const FredGeometry& at = params.geometry;
  std::vector<const RouteFunction*> routes(wiring.switches(), &l2_route_);
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1) {
    const RouteFunction& route = l1_routes_.emplace_back(routing_, l1);
    for (std::uint32_t chip = 0; chip < params.chips.chips_per_l1; ++chip)
      routes[wiring.l1_chip(l1, chip)] = &route;
  }
  for (std::uint32_t e = 0; e < at.endpoints(); ++e) {
    const auto endpoint = static_cast<NpuId>(e);
    routes[wiring.ports_of(endpoint)] = &ports_routes_.emplace_back(routing_, endpoint);
  }
  flow_stripes_ = routing_.stripes.most();
  build(routes, scheduler, reverse);

  // One endpoint of an L1 switch stands for those beside it: their ways have the same links from chip to
  // chip.
  RouteCheck check = route_check(routes);
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1) {
    const auto endpoint = static_cast<NpuId>(l1 * at.npus_per_l1);
    check.add_source(endpoint, wiring.ports_of(endpoint), routing_.stripes.most());
  }
  check.require_no_cycle(endpoints());
  if (!params.in_network) return;
  std::vector<std::uint32_t> all(at.l1_switches);
  std::iota(all.begin(), all.end(), 0U);
  routing_.stripes.among(all);  // so that every flow has a way
  start_flows(chip_flow_paths(params, routing_.stripes, wiring), nullptr, scheduler, packets);
}

void FredChipFabric::plan_switches() {
  const ChipWiring& wiring = routing_.wiring;
  const FredGeometry& at = params_.geometry;
  const std::uint32_t chips = params_.chips.chips_per_l1;
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1)
    for (std::uint32_t chip = 0; chip < chips; ++chip)
      add_switch("l1_" + std::to_string(l1) + "_" + std::to_string(chip), params_.pipeline_ps(1),
                 wiring.l1_chip_ports(l1));
  for (std::uint32_t l2 = 0; l2 < wiring.l2_chips(); ++l2)
    add_switch("l2_" + std::to_string(l2), params_.pipeline_ps(2), wiring.l2_ports());
  for (std::uint32_t way = 0; way < wiring.ways(); ++way)
    for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1)
      join({wiring.l1_chip(l1, wiring.chip_of(way)), wiring.up_port(way)},
           link(params_.link_latency_ps, 2, 1), {wiring.l2_chip(wiring.l2_of(way)), wiring.l2_port(l1, way)},
           link(params_.link_latency_ps, 1, 1), "_" + std::to_string(wiring.up_port_of(way)));
  for (std::uint32_t e = 0; e < endpoints(); ++e) plan_endpoint(static_cast<NpuId>(e));
}

void FredChipFabric::plan_endpoint(NpuId endpoint) {
  const ChipWiring& wiring = routing_.wiring;
  const bool is_npu = index_of(endpoint) < npus();
  const std::uint32_t ports = add_switch(endpoint_name(endpoint) + "_ports", 0, wiring.endpoint_ports());
  set_without_phases(ports);
  const SwitchPort inside{ports, ChipWiring::kEndpointPort};
  hang(endpoint, inside,
       between(is_npu ? params_.npu_bytes_per_s : params_.io_bytes_per_s, params_.credit_delay_ps));
  port(inside).is_listed = false;
  port(inside).credit_delay_ps = 0;
  const TimePs latency_ps = is_npu ? params_.link_latency_ps : params_.io_latency_ps;
  for (std::uint32_t chip = 0; chip < params_.chips.chips_per_l1; ++chip) {
    const SwitchPort outside{ports, wiring.chip_port(chip)};
    const SwitchPort at_chip{wiring.l1_chip(params_.geometry.l1_of(endpoint), chip),
                             wiring.port_of(endpoint)};
    join(outside, link(latency_ps, 1, params_.chips.up_ports), at_chip,
         link(latency_ps, 0, params_.chips.up_ports));
    port(outside).at_endpoint = port(at_chip).at_endpoint = true;
  }
}

/// Between an endpoint and its ports. Each chip may have some packets waiting, as many as its port's own
/// buffer holds.
OutputParams FredChipFabric::between(std::uint64_t bytes_per_s, TimePs credit_delay_ps) const {
  const FredChipParams& chips = params_.chips;
  OutputParams made{bytes_per_s, 0,
                    params_.buffer_bytes != 0
                        ? chips.chips_per_l1 * params_.buffer_bytes
                        : auto_buffer_bytes(bytes_per_s, credit_delay_ps, params_.format,
                                            kPacketsPerPort * chips.chips_per_l1)};
  if (params_.in_network)
    params_.flows.give_credits(made, credit_delay_ps, params_.format, chips.chips_per_l1 * chips.up_ports);
  return made;
}

/// From or to a chip. Level 0: to the ports of an endpoint. `ways` share it.
OutputParams FredChipFabric::link(TimePs latency_ps, std::uint32_t to_level, std::uint32_t ways) const {
  const FredChipParams& chips = params_.chips;
  const TimePs round_trip_ps =
      latency_ps + (to_level == 0 ? 0 : params_.pipeline_ps(to_level)) + params_.credit_delay_ps;
  OutputParams made{chips.port_bytes_per_s, latency_ps,
                    params_.buffer_bytes != 0 ? params_.buffer_bytes
                                              : auto_buffer_bytes(chips.port_bytes_per_s, round_trip_ps,
                                                                  params_.format, kPacketsPerPort)};
  if (params_.in_network) params_.flows.give_credits(made, round_trip_ps, params_.format, ways);
  return made;
}

}  // namespace wafertlm
