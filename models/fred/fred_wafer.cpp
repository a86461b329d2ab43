// SPDX-License-Identifier: Apache-2.0
#include "models/fred/fred_wafer.h"

#include "tlm/fabric/checker.h"

namespace wafertlm {

FredWafer::FredWafer(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
                     CheckerSet* checkers)
    : Fabric(name),
      params_(params),
      classes_(classes),
      checkers_(checkers),
      attached_(params.geometry.endpoints()) {
  params.check();
  check_buffer(params.format, params.buffer_bytes);
}

std::uint32_t FredWafer::add_switch(const std::string& name, TimePs pipeline_ps, std::uint32_t ports) {
  nodes_.push_back({name, pipeline_ps, std::vector<Port>(ports), true});
  for (Port& each : nodes_.back().ports) each.credit_delay_ps = params_.credit_delay_ps;
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void FredWafer::join(SwitchPort below, const OutputParams& up, SwitchPort above, const OutputParams& down,
                     const std::string& suffix) {
  const auto set = [&](SwitchPort from, SwitchPort to, const OutputParams& link) {
    Port& made = port(from);
    made.peer = nodes_[to.node].name + suffix;
    made.link = link;
    made.number = to.node;
    made.input = static_cast<PortId>(to.port);
  };
  set(below, above, up);
  set(above, below, down);
}

void FredWafer::hang(NpuId endpoint, SwitchPort at, const OutputParams& down) {
  attached_[index_of(endpoint)] = at;
  Port& made = port(at);
  made.peer = endpoint_name(endpoint);
  made.link = down;
  made.to_endpoint = made.at_endpoint = true;
  made.number = static_cast<std::uint32_t>(endpoint);
}

void FredWafer::build(const std::vector<const RouteFunction*>& routes, Scheduler& scheduler, bool reverse) {
  switches_.resize(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const std::size_t n = reverse ? nodes_.size() - 1 - k : k;
    SwitchParams made;
    made.pipeline_ps = nodes_[n].pipeline_ps;
    made.input_queue = params_.input_queue;
    made.input_start_ps = params_.input_start_ps;
    if (params_.format.by_flit) made.switching = Switching::wormhole;
    if (params_.in_network) {
      made.flow_lanes = params_.flows.lanes;
      made.flow_stripes = flow_stripes_;
      if (nodes_[n].has_phases) {
        made.phase_rule = params_.flows.phase_rule;
        made.phase_change_ps = params_.flows.phase_change_ps;
      }
    }
    std::vector<std::string> names;
    for (const Port& each : nodes_[n].ports) {
      made.credit_delay_ps.push_back(each.credit_delay_ps);
      made.outputs.push_back(each.link);
      names.push_back(each.peer);
    }
    switches_[n] = std::make_unique<SwitchModule>(nodes_[n].name.c_str(), made, names, names, classes_,
                                                  *routes[n], scheduler);
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    for (std::size_t p = 0; p < nodes_[n].ports.size(); ++p) {
      const Port& each = nodes_[n].ports[p];
      const auto id = static_cast<PortId>(p);
      if (each.is_listed) links_.push_back({nodes_[n].name + "->" + each.peer, n, id, each.at_endpoint});
      if (!each.to_endpoint)
        bind_checked(switches_[n]->output(id), switches_[each.number]->input(each.input), checkers_,
                     nodes_[n].name + "_to_" + each.peer, each.link, classes_);
    }
}

RouteCheck FredWafer::route_check(const std::vector<const RouteFunction*>& routes) const {
  RouteCheck check(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    check.add_switch(n, *routes[n]);
    for (std::size_t p = 0; p < nodes_[n].ports.size(); ++p) {
      const Port& each = nodes_[n].ports[p];
      const std::string name = nodes_[n].name + "->" + each.peer;
      if (each.to_endpoint)
        check.add_exit(name, n, static_cast<PortId>(p));
      else
        check.add_link(name, n, static_cast<PortId>(p), each.number);
    }
  }
  return check;
}

void FredWafer::start_flows(FlowPaths ways, std::shared_ptr<SwitchRoutes> routing, Scheduler& scheduler,
                            PacketPool& packets) {
  flows_ = std::make_unique<FredFlows>(params_.flows, params_.format, classes_, scheduler);
  FlowFabric fabric;
  fabric.ways = std::move(ways);
  fabric.routing = std::move(routing);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    switches_[n]->enable_flows(packets, flows_->admission());
    fabric.units.push_back(switches_[n]->flows());
    fabric.switch_names.emplace_back(switches_[n]->basename());
    std::vector<OutputParams>& links = fabric.outputs.emplace_back();
    for (const Port& each : nodes_[n].ports) links.push_back(each.link);
  }
  for (std::uint32_t e = 0; e < endpoints(); ++e)
    fabric.injection.push_back(link_from(static_cast<NpuId>(e)));
  flows_->admission().set_fabric(std::move(fabric));
}

void FredWafer::list_state(StateVisitor& state) {
  Fabric::list_state(state);
  if (flows_) flows_->admission().list_state(state);
}

std::uint64_t FredWafer::queued_flow_packets() const {
  std::uint64_t packets = 0;
  if (flows_)
    for (const auto& each : switches_) packets += each->flows()->queued();
  return packets;
}

std::vector<std::string> FredWafer::pending_flows() const {
  return flows_ ? flows_->admission().pending() : std::vector<std::string>();
}

TimePs FredWafer::head_latency_ps(NpuId from, NpuId to) const {
  const auto end = [&](NpuId endpoint) {
    return index_of(endpoint) < npus() ? params_.link_latency_ps : params_.io_latency_ps;
  };
  return params_.head_latency_ps(params_.geometry.turn_level(from, to)) - 2 * params_.link_latency_ps +
         end(from) + end(to);
}

void FredWafer::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  const SwitchPort at = port_of(endpoint);
  const auto id = static_cast<PortId>(at.port);
  const std::string name = endpoint_name(endpoint);
  bind_checked(to_fabric, switches_[at.node]->input(id), checkers_, name + "_to_" + nodes_[at.node].name,
               link_from(endpoint), classes_);
  bind_checked(switches_[at.node]->output(id), from_fabric, checkers_, nodes_[at.node].name + "_to_" + name,
               port(at).link, classes_);
}

}  // namespace wafertlm
