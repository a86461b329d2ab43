// SPDX-License-Identifier: Apache-2.0
#include "models/fred/fred_fabric.h"

#include "models/fred/flows/routed_order.h"

namespace wafertlm {
namespace {

/// The switches by their numbers and what is at their ports: what is below, the uplink, I/O controllers.
FlowTree wiring_of(const FredGeometry& at) {
  const std::uint32_t l2 = at.l1_switches, l3 = l2 + at.l2_switches;
  FlowTree tree;
  std::vector<std::uint32_t> io_of(at.l1_switches);
  for (const std::uint32_t l1 : at.io) ++io_of[l1];
  for (std::uint32_t n = 0; n < at.l1_switches; ++n) tree.add_switch(at.npus_per_l1 + 1 + io_of[n]);
  for (std::uint32_t n = 0; n < at.l2_switches; ++n)
    tree.add_switch(at.l1_per_l2() + (at.levels() == 3 ? 1 : 0));
  if (at.levels() == 3) tree.add_switch(at.l2_switches);
  for (std::uint32_t n = 0; n < at.npus(); ++n)
    tree.attach(static_cast<NpuId>(n), n / at.npus_per_l1, static_cast<PortId>(n % at.npus_per_l1));
  std::vector<std::uint32_t> next(at.l1_switches, at.npus_per_l1 + 1);
  for (std::uint32_t k = 0; k < at.io.size(); ++k)
    tree.attach(static_cast<NpuId>(at.npus() + k), at.io[k], static_cast<PortId>(next[at.io[k]]++));
  for (std::uint32_t n = 0; n < at.l1_switches; ++n)
    tree.join(n, static_cast<PortId>(at.npus_per_l1), l2 + at.l2_of(n),
              static_cast<PortId>(n % at.l1_per_l2()));
  if (at.levels() == 3)
    for (std::uint32_t n = 0; n < at.l2_switches; ++n)
      tree.join(l2 + n, static_cast<PortId>(at.l1_per_l2()), l3, static_cast<PortId>(n));
  return tree;
}

}  // namespace

FredFabric::FredFabric(const sc_core::sc_module_name& name, const FredParams& params,
                       const ClassTable& classes, Scheduler& scheduler, PacketPool& packets,
                       CheckerSet* checkers, bool reverse)
    : FredWafer(name, params, classes, checkers) {
  plan_switches();
  plan_routes();
  std::vector<const RouteFunction*> routes;
  for (const Routing& each : routing_) routes.push_back(&each);
  build(routes, scheduler, reverse);
  for (std::size_t n = 0; n < switches_.size(); ++n) switches_[n]->set_partition(static_cast<Partition>(n));
  route_check(routes).require_no_cycle(endpoints());
  if (!params.in_network) return;
  FlowTree tree = fred_flow_tree(params);
  // Without reservation nobody asks.
  std::shared_ptr<SwitchRoutes> routing = params.flows.reservation ? fred_routes(params, tree) : nullptr;
  start_flows(std::move(tree), std::move(routing), scheduler, packets);
}

std::vector<SwitchRoutes::Port> fred_ports(const FredParams& params, std::uint32_t level) {
  const FredGeometry& at = params.geometry;
  std::vector<SwitchRoutes::Port> ports;
  std::uint32_t next = 0;
  const auto add = [&](std::uint32_t count, std::uint32_t lanes) {
    for (std::uint32_t i = 0; i < count; ++i, next += lanes) ports.push_back({next, lanes});
  };
  const auto lanes_of = [&](std::uint32_t below) {
    return below == 0 ? 1U : static_cast<std::uint32_t>(params.streams(params.uplink_bytes_per_s(below)));
  };
  add(level == 1 ? at.npus_per_l1 : level == 2 ? at.l1_per_l2() : at.l2_switches, lanes_of(level - 1));
  if (level < at.levels()) add(1, lanes_of(level));
  if (level == 1) add(at.most_io(), 1);
  return ports;
}

std::shared_ptr<SwitchRoutes> fred_routes(const FredParams& params, const FlowTree& tree) {
  auto routes =
      std::make_shared<SwitchRoutes>(params.flows.middle_switches, params.flows.route_search,
                                     [tree](std::size_t at, PortId port) { return tree.behind(at, port); });
  const FredGeometry& at = params.geometry;
  for (std::uint32_t level = 1; level <= at.levels(); ++level) {
    const std::uint32_t count = level == 1 ? at.l1_switches : level == 2 ? at.l2_switches : 1;
    for (std::uint32_t n = 0; n < count; ++n)
      routes->add_switch(params.ports(level), fred_ports(params, level));
  }
  return routes;
}

FlowTree fred_flow_tree(const FredParams& params) {
  const FredGeometry& at = params.geometry;
  const std::uint32_t l2 = at.l1_switches, l3 = l2 + at.l2_switches;
  FlowTree tree = wiring_of(at);
  // Which lane of a port a flow passes makes no difference to the order.
  struct Level {
    std::unique_ptr<RoutedOrder> order;
    std::vector<SwitchRoutes::Port> ports;
  };
  const auto levels = std::make_shared<std::vector<Level>>();
  for (std::uint32_t level = 1; level <= at.levels(); ++level) {
    levels->push_back({std::make_unique<RoutedOrder>(params.flows.middle_switches, params.ports(level)),
                       fred_ports(params, level)});
  }
  tree.set_order([levels, l2, l3](std::size_t number, const FlowBranch& branch) {
    Level& level = (*levels)[number < l2 ? 0 : number < l3 ? 1 : 2];
    const auto ports = [&](const std::vector<PortId>& of) {
      std::vector<std::uint32_t> list;
      for (const PortId port : of) list.push_back(level.ports[index_of(port)].first);
      return list;
    };
    return level.order->of(ports(branch.inputs), ports(branch.outputs));
  });
  return tree;
}

void FredFabric::plan_switches() {
  const FredGeometry& at = params_.geometry;
  const FlowTree tree = wiring_of(at);
  const std::uint32_t first[] = {0, at.l1_switches, at.l1_switches + at.l2_switches};  // by level
  const auto level_of = [&](std::uint32_t n) { return n < first[1] ? 1U : n < first[2] ? 2U : 3U; };
  for (std::uint32_t n = 0; n < tree.switches(); ++n)
    add_switch("l" + std::to_string(level_of(n)) + "_" + std::to_string(n - first[level_of(n) - 1]),
               params_.pipeline_ps(level_of(n)), tree.ports(n));
  for (std::uint32_t n = 0; n + 1 < tree.switches(); ++n) {  // all but the highest have an uplink
    const std::uint32_t level = level_of(n), port = level == 1 ? at.npus_per_l1 : at.l1_per_l2();
    const FlowTree::Attachment above = *tree.behind(n, static_cast<PortId>(port));
    const std::uint64_t bytes_per_s = params_.uplink_bytes_per_s(level);
    join({n, port}, link(bytes_per_s, params_.link_latency_ps, level + 1),
         {static_cast<std::uint32_t>(above.at), static_cast<std::uint32_t>(above.port)},
         link(bytes_per_s, params_.link_latency_ps, level));
  }
  for (std::uint32_t e = 0; e < at.endpoints(); ++e) {
    const auto endpoint = static_cast<NpuId>(e);
    const FlowTree::Attachment at_switch = tree.attachment(endpoint);
    hang(endpoint, {static_cast<std::uint32_t>(at_switch.at), static_cast<std::uint32_t>(at_switch.port)},
         e < at.npus() ? link(params_.npu_bytes_per_s, params_.link_latency_ps, 0)
                       : link(params_.io_bytes_per_s, params_.io_latency_ps, 0));
  }
}

void FredFabric::plan_routes() {
  const FredGeometry& at = params_.geometry;
  const std::uint32_t l2 = at.l1_switches, l3 = l2 + at.l2_switches;
  routing_.resize(at.levels() == 3 ? l3 + 1 : l3);
  for (std::uint32_t n = 0; n < routing_.size(); ++n)
    for (std::uint32_t e = 0; e < at.endpoints(); ++e) {
      const std::uint32_t l1 = at.l1_of(static_cast<NpuId>(e));
      std::uint32_t port = 0;
      if (n < l2)
        port = l1 == n ? port_of(static_cast<NpuId>(e)).port : at.npus_per_l1;
      else if (n < l3)
        port = at.l2_of(l1) == n - l2 ? l1 % at.l1_per_l2() : at.l1_per_l2();
      else
        port = at.l2_of(l1);
      routing_[n].ports.push_back(static_cast<PortId>(port));
    }
}

/// Level 0: to an endpoint.
OutputParams FredFabric::link(std::uint64_t bytes_per_s, TimePs latency_ps, std::uint32_t to_level) const {
  const TimePs pipeline_ps = to_level == 0 ? 0 : params_.pipeline_ps(to_level);
  const TimePs round_trip_ps = latency_ps + pipeline_ps + params_.credit_delay_ps;
  OutputParams made{bytes_per_s, latency_ps, params_.buffer_bytes};
  if (made.buffer_bytes == 0)
    made.buffer_bytes =
        auto_buffer_bytes(bytes_per_s, round_trip_ps, params_.format, 2 * params_.streams(bytes_per_s));
  if (params_.in_network) params_.flows.give_credits(made, round_trip_ps, params_.format);
  return made;
}

OutputParams FredFabric::injection_link() const {
  OutputParams made = link(params_.npu_bytes_per_s, params_.link_latency_ps, 1);
  if (params_.buffer_bytes != 0) return made;
  // Windows count the packets that the NPU's four DMA engines hold ready, too.
  made.buffer_bytes = 3 * (made.buffer_bytes + 4 * std::uint64_t{params_.format.full_wire_bytes()});
  made.round_trip_bytes = auto_buffer_bytes(
      params_.npu_bytes_per_s, params_.link_latency_ps + params_.pipeline_ps(1) + params_.credit_delay_ps,
      params_.format, 0);
  return made;
}

OutputParams FredFabric::io_link() const { return link(params_.io_bytes_per_s, params_.io_latency_ps, 1); }

std::vector<std::uint8_t> FredFabric::exits(NpuId npu) const {
  std::vector<std::uint8_t> exits(endpoints());
  for (std::uint32_t e = 0; e < endpoints(); ++e)
    exits[e] = params_.geometry.turn_level(npu, static_cast<NpuId>(e)) > 1 ? 1 : e < npus() ? 0 : 2;
  return exits;
}

}  // namespace wafertlm
