// SPDX-License-Identifier: Apache-2.0
#include "models/fred/fred_fabric.h"

#include <algorithm>
#include <stdexcept>

#include "models/fred/flows/routed_order.h"
#include "tlm/fabric/checker.h"

namespace wafertlm {

std::uint64_t FredParams::streams(std::uint64_t bytes_per_s) const {
  return (bytes_per_s - 1) / npu_bytes_per_s + 1;
}

std::uint32_t FredParams::ports(std::uint32_t level) const {
  const auto of_uplink = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(streams(uplink_bytes_per_s(below)));
  };
  const std::uint32_t up = level < geometry.levels() ? of_uplink(level) : 0;
  if (level == 1) return geometry.npus_per_l1 + up + geometry.most_io();
  const std::uint32_t below = level == 2 ? geometry.l1_per_l2() : geometry.l2_switches;
  return std::max(below * of_uplink(level - 1) + up, 2U);
}

TimePs FredParams::head_latency_ps(std::uint32_t turn_level) const {
  TimePs latency = 2 * turn_level * link_latency_ps + pipeline_ps(turn_level);
  for (std::uint32_t level = 1; level < turn_level; ++level) latency += 2 * pipeline_ps(level);
  return latency;
}

FredFabric::FredFabric(const sc_core::sc_module_name& name, const FredParams& params,
                       const ClassTable& classes, Scheduler& scheduler, PacketPool& packets,
                       CheckerSet* checkers, bool reverse)
    : Fabric(name), params_(params), classes_(classes), checkers_(checkers) {
  check_params();
  plan_nodes();
  plan_routes();
  switches_.resize(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const std::size_t n = reverse ? nodes_.size() - 1 - k : k;
    SwitchParams made;
    made.pipeline_ps = params.pipeline_ps(nodes_[n].level);
    made.input_queue = params.input_queue;
    if (params.format.by_flit) made.switching = Switching::wormhole;
    if (params.flows) {
      made.flow_lanes = params.flows->lanes;
      made.phase_rule = params.flows->phase_rule;
      made.phase_change_ps = params.flows->phase_change_ps;
    }
    std::vector<std::string> names;
    for (const Port& port : nodes_[n].ports) {
      made.credit_delay_ps.push_back(params.credit_delay_ps);
      made.outputs.push_back(port.link);
      names.push_back(port.to_endpoint ? endpoint_name(static_cast<NpuId>(port.number))
                                       : nodes_[port.number].name);
    }
    switches_[n] = std::make_unique<SwitchModule>(nodes_[n].name.c_str(), made, names, names, classes,
                                                  routing_[n], scheduler);
  }
  bind_links();
  check_routes();
  if (params.flows) start_flows(scheduler, packets);
}

void FredFabric::start_flows(Scheduler& scheduler, PacketPool& packets) {
  flows_ = std::make_unique<FredFlows>(*params_.flows, params_.format, classes_, packets, scheduler);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::vector<OutputParams> links;
    for (const Port& port : nodes_[n].ports) links.push_back(port.link);
    flows_->add_switch(*switches_[n], links);
  }
  for (std::uint32_t e = 0; e < endpoints(); ++e)
    flows_->add_injection(e < npus() ? injection_link() : io_link());
  FlowTree tree = fred_flow_tree(params_);
  if (params_.flows->reservation) flows_->set_routing(fred_routes(params_, tree));
  flows_->start(std::move(tree));
}

std::vector<std::string> FredFabric::pending_flows() const {
  return flows_ ? flows_->admission().pending() : std::vector<std::string>();
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

std::shared_ptr<FlowRouting> fred_routes(const FredParams& params, const FlowTree& tree) {
  auto routes =
      std::make_shared<SwitchRoutes>(params.flows->middle_switches, params.flows->route_search,
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

  // Which lane of a port a flow passes makes no difference to the order.
  struct Level {
    std::unique_ptr<RoutedOrder> order;
    std::vector<SwitchRoutes::Port> ports;
  };
  const auto levels = std::make_shared<std::vector<Level>>();
  for (std::uint32_t level = 1; level <= at.levels(); ++level) {
    levels->push_back({std::make_unique<RoutedOrder>(params.flows->middle_switches, params.ports(level)),
                       fred_ports(params, level)});
  }
  tree.set_order([levels, l2, l3](std::size_t number, const FlowLeg& leg) {
    Level& level = (*levels)[number < l2 ? 0 : number < l3 ? 1 : 2];
    const auto ports = [&](const std::vector<PortId>& of) {
      std::vector<std::uint32_t> list;
      for (const PortId port : of) list.push_back(level.ports[index_of(port)].first);
      return list;
    };
    return level.order->of(ports(leg.inputs), ports(leg.outputs));
  });
  return tree;
}

void FredFabric::check_params() const {
  params_.geometry.check();
  if (params_.npu_bytes_per_s == 0 || params_.l1_uplink_bytes_per_s == 0 ||
      (params_.geometry.levels() == 3 && params_.l2_uplink_bytes_per_s == 0))
    throw std::invalid_argument("NPUs and uplinks need a bandwidth");
  if (!params_.geometry.io.empty() && params_.io_bytes_per_s == 0)
    throw std::invalid_argument("I/O controllers need a bandwidth");
  if (params_.link_latency_ps + params_.stage_latency_ps == 0)
    throw std::invalid_argument("link latency and stage latency are both 0: a hop must take at least 1 ps");
  check_buffer(params_.format, params_.buffer_bytes);
}

/// The ports of a switch: what is below it, its uplink, its I/O controllers.
void FredFabric::plan_nodes() {
  const FredGeometry& at = params_.geometry;
  const auto below = [&](std::uint32_t number, std::uint32_t count, std::uint32_t first, bool endpoints,
                         const OutputParams& down) {
    for (std::uint32_t i = 0; i < count; ++i)
      nodes_[number].ports.push_back({endpoints, first + i, {}, down});
  };
  const auto up = [&](std::uint32_t number, std::uint32_t to, std::uint32_t input) {
    const std::uint32_t level = nodes_[number].level;
    nodes_[number].ports.push_back(
        {false, to, static_cast<PortId>(input),
         link(params_.uplink_bytes_per_s(level), params_.link_latency_ps, level + 1)});
    nodes_[to].ports[input].input = static_cast<PortId>(nodes_[number].ports.size() - 1);
  };
  const auto add = [&](std::uint32_t level, std::uint32_t number) {
    nodes_.push_back({"l" + std::to_string(level) + "_" + std::to_string(number), level, {}});
  };
  for (std::uint32_t n = 0; n < at.l1_switches; ++n) add(1, n);
  for (std::uint32_t n = 0; n < at.l2_switches; ++n) add(2, n);
  if (at.levels() == 3) add(3, 0);
  const std::uint32_t l2 = at.l1_switches, l3 = l2 + at.l2_switches;
  for (std::uint32_t n = 0; n < at.l1_switches; ++n)
    below(n, at.npus_per_l1, n * at.npus_per_l1, true,
          link(params_.npu_bytes_per_s, params_.link_latency_ps, 0));
  for (std::uint32_t n = 0; n < at.l2_switches; ++n)
    below(l2 + n, at.l1_per_l2(), n * at.l1_per_l2(), false,
          link(params_.l1_uplink_bytes_per_s, params_.link_latency_ps, 1));
  for (std::uint32_t n = 0; n < at.l1_switches; ++n) up(n, l2 + at.l2_of(n), n % at.l1_per_l2());
  if (at.levels() == 3) {
    below(l3, at.l2_switches, l2, false, link(params_.l2_uplink_bytes_per_s, params_.link_latency_ps, 2));
    for (std::uint32_t n = 0; n < at.l2_switches; ++n) up(l2 + n, l3, n);
  }
  for (std::uint32_t k = 0; k < at.io.size(); ++k)
    nodes_[at.io[k]].ports.push_back(
        {true, at.npus() + k, {}, link(params_.io_bytes_per_s, params_.io_latency_ps, 0)});
}

std::uint32_t FredFabric::port_of(NpuId endpoint) const {
  const auto& ports = nodes_[params_.geometry.l1_of(endpoint)].ports;
  return static_cast<std::uint32_t>(
      std::find_if(ports.begin(), ports.end(),
                   [&](const Port& port) { return port.to_endpoint && port.number == index_of(endpoint); }) -
      ports.begin());
}

void FredFabric::plan_routes() {
  const FredGeometry& at = params_.geometry;
  routing_.resize(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    for (std::uint32_t e = 0; e < at.endpoints(); ++e) {
      const std::uint32_t l1 = at.l1_of(static_cast<NpuId>(e));
      std::uint32_t port = 0;
      if (nodes_[n].level == 1)
        port = l1 == n ? port_of(static_cast<NpuId>(e)) : at.npus_per_l1;
      else if (nodes_[n].level == 2)
        port = at.l2_of(l1) == n - at.l1_switches ? l1 % at.l1_per_l2() : at.l1_per_l2();
      else
        port = at.l2_of(l1);
      routing_[n].ports.push_back(static_cast<PortId>(port));
    }
}

void FredFabric::bind_links() {
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    for (std::size_t p = 0; p < nodes_[n].ports.size(); ++p) {
      const Port& port = nodes_[n].ports[p];
      const std::string to =
          port.to_endpoint ? endpoint_name(static_cast<NpuId>(port.number)) : nodes_[port.number].name;
      links_.push_back({nodes_[n].name + "->" + to, n, static_cast<PortId>(p), port.to_endpoint});
      if (!port.to_endpoint)
        bind_checked(switches_[n]->output(static_cast<PortId>(p)), switches_[port.number]->input(port.input),
                     checkers_, nodes_[n].name + "_to_" + to, port.link, classes_);
    }
}

void FredFabric::check_routes() const {
  RouteCheck check(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) check.add_switch(n, routing_[n]);
  for (const FabricLink& link : links_) {
    if (link.exit)
      check.add_exit(link.name, link.from, link.output);
    else
      check.add_link(link.name, link.from, link.output,
                     nodes_[link.from].ports[index_of(link.output)].number);
  }
  check.require_no_cycle(endpoints());
}

std::uint64_t FredFabric::buffer_bytes(std::uint64_t bytes_per_s, TimePs latency_ps,
                                       TimePs pipeline_ps) const {
  if (params_.buffer_bytes != 0) return params_.buffer_bytes;
  return auto_buffer_bytes(bytes_per_s, latency_ps + pipeline_ps + params_.credit_delay_ps, params_.format,
                           2 * params_.streams(bytes_per_s));
}

/// Level 0: to an endpoint.
OutputParams FredFabric::link(std::uint64_t bytes_per_s, TimePs latency_ps, std::uint32_t to_level) const {
  const TimePs pipeline_ps = to_level == 0 ? 0 : params_.pipeline_ps(to_level);
  OutputParams made{bytes_per_s, latency_ps, buffer_bytes(bytes_per_s, latency_ps, pipeline_ps)};
  if (params_.flows)
    made.flow_buffer_bytes =
        params_.flows->per_buffer *
        params_.flows->room_bytes(bytes_per_s, latency_ps + pipeline_ps + params_.credit_delay_ps,
                                  params_.format);
  return made;
}

OutputParams FredFabric::injection_link() const {
  OutputParams made = link(params_.npu_bytes_per_s, params_.link_latency_ps, 1);
  // Windows count the packets that the NPU's four DMA engines hold ready, too.
  if (params_.buffer_bytes == 0)
    made.buffer_bytes = 3 * (made.buffer_bytes + 4 * std::uint64_t{params_.format.full_wire_bytes()});
  return made;
}

OutputParams FredFabric::io_link() const { return link(params_.io_bytes_per_s, params_.io_latency_ps, 1); }

std::string FredFabric::switch_of(NpuId endpoint) const {
  return nodes_[params_.geometry.l1_of(endpoint)].name;
}

TimePs FredFabric::head_latency_ps(NpuId from, NpuId to) const {
  const auto end = [&](NpuId endpoint) {
    return index_of(endpoint) < npus() ? params_.link_latency_ps : params_.io_latency_ps;
  };
  return params_.head_latency_ps(params_.geometry.turn_level(from, to)) - 2 * params_.link_latency_ps +
         end(from) + end(to);
}

std::vector<std::uint8_t> FredFabric::exits(NpuId npu) const {
  std::vector<std::uint8_t> exits(endpoints());
  for (std::uint32_t e = 0; e < endpoints(); ++e)
    exits[e] = params_.geometry.turn_level(npu, static_cast<NpuId>(e)) > 1 ? 1 : e < npus() ? 0 : 2;
  return exits;
}

void FredFabric::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  const std::uint32_t l1 = params_.geometry.l1_of(endpoint), port = port_of(endpoint);
  const auto id = static_cast<PortId>(port);
  const std::string name = endpoint_name(endpoint);
  bind_checked(to_fabric, switches_[l1]->input(id), checkers_, name + "_to_" + nodes_[l1].name,
               index_of(endpoint) < npus() ? injection_link() : io_link(), classes_);
  bind_checked(switches_[l1]->output(id), from_fabric, checkers_, nodes_[l1].name + "_to_" + name,
               nodes_[l1].ports[port].link, classes_);
}

}  // namespace wafertlm
