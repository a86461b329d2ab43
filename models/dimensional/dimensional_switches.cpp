// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_switches.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/fabric/checker.h"
#include "tlm/link/route_check.h"

namespace wafertlm {

DimensionalSwitches::DimensionalSwitches(const sc_core::sc_module_name& name, const DimensionalParams& params,
                                         const ClassTable& classes, Scheduler& scheduler,
                                         CheckerSet* checkers, bool reverse)
    : DimensionalFabric(name, params, 1), classes_(classes), checkers_(checkers) {
  check_queues();
  switches_.resize(switches());
  for (std::uint32_t k = 0; k < npus(); ++k) make_node(reverse ? npus() - 1 - k : k, scheduler);
  make_switches(scheduler);
  bind_links();
  check_routes();
}

void DimensionalSwitches::check_queues() const {
  const Dimensions& dimensions = params_.dimensions;
  // A queue per input, output and channel.
  std::uint64_t per_node = 1, queues = 0;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    per_node += dimensions[d].links();
    if (dimensions[d].kind == FabricDimension::Kind::switched)
      queues += std::uint64_t{npus() / dimensions[d].size} * dimensions[d].size * dimensions[d].size;
  }
  queues = (queues + npus() * per_node * per_node) * classes_.virtual_channels();
  constexpr std::uint64_t kMaxQueues = std::uint64_t{1} << 27;
  if (queues > kMaxQueues)
    throw std::invalid_argument("these dimensions need " + std::to_string(queues) +
                                " queues (inputs x outputs x channels of all switches), more than the " +
                                std::to_string(kMaxQueues) +
                                " that fit into memory: make large switches or fully connected dimensions "
                                "smaller, or take fewer virtual channels");
}

TimePs DimensionalSwitches::lookahead_ps() const {
  TimePs ahead = params_.credit_delay_ps;
  for (std::size_t d = 0; d < params_.dimensions.count(); ++d)
    if (params_.dimensions[d].size > 1) ahead = std::min(ahead, params_.dimensions[d].latency_ps);
  for (const OtherLink& other : params_.other_links) ahead = std::min(ahead, other.latency_ps);
  return ahead;
}

void DimensionalSwitches::make_node(std::uint32_t n, Scheduler& scheduler) {
  const Dimensions& dimensions = params_.dimensions;
  const auto npu = static_cast<NpuId>(n);
  SwitchParams node;
  std::vector<std::string> names;
  bool has_ring = false;
  for (const DimensionPort& port : ports_of(npu, dimensions)) {
    node.credit_delay_ps.push_back(params_.credit_delay_ps);
    node.outputs.push_back(link(npu, port.dimension));
    names.push_back(name_of(port));
    RingPort in, out;
    if (dimensions[port.dimension].kind == FabricDimension::Kind::ring) {
      has_ring = true;
      // Each direction of a dimension is a ring; what goes up comes in from the previous NPU.
      const bool up = port.to == DimensionPort::To::next;
      const std::uint32_t own = dimensions.coordinate(npu, port.dimension),
                          last = dimensions[port.dimension].size - 1;
      const auto upward = static_cast<std::uint16_t>(1 + 2 * port.dimension);
      out = {static_cast<std::uint16_t>(up ? upward : upward + 1), up ? own == last : own == 0};
      in.ring = static_cast<std::uint16_t>(up ? upward + 1 : upward);
    }
    node.ring_inputs.push_back(in);
    node.ring_outputs.push_back(out);
  }
  node.credit_delay_ps.push_back(0);  // the NPU itself
  node.outputs.push_back(injection_link());
  names.emplace_back("npu");
  node.ring_outputs.emplace_back();
  if (!has_ring) node.ring_outputs.clear();
  switches_[n] = std::make_unique<SwitchModule>(("node_" + std::to_string(n)).c_str(), node, names, names,
                                                classes_, node_routing_[n], scheduler);
  switches_[n]->set_partition(n);
}

void DimensionalSwitches::make_switches(Scheduler& scheduler) {
  const Dimensions& dimensions = params_.dimensions;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (!is_switched(d)) continue;
    for (std::uint32_t n = 0; n < npus(); ++n) {
      const auto first = static_cast<NpuId>(n);
      if (dimensions.coordinate(first, d) != 0) continue;
      SwitchParams params;
      std::vector<std::string> names;
      for (std::uint32_t c = 0; c < dimensions[d].size; ++c) {
        const NpuId npu = dimensions.at(first, d, c);
        params.credit_delay_ps.push_back(params_.credit_delay_ps);
        params.outputs.push_back(link(npu, d));
        names.push_back(switch_of(npu));
      }
      const std::size_t number = switch_number(first, d);
      switches_[number] =
          std::make_unique<SwitchModule>(("switch_" + std::to_string(number - npus())).c_str(), params, names,
                                         names, classes_, switch_routing_[d], scheduler);
      switches_[number]->set_partition(static_cast<Partition>(number));
    }
  }
}

void DimensionalSwitches::bind_links() {
  for_each_link([&](const std::string& name, std::size_t from, PortId output, std::size_t to, PortId input,
                    const OutputParams& params) {
    links_.push_back({name, from, output, false});
    std::string plain = name;
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == '.' || c == '-' || c == '>'; }, '_');
    bind_checked(switches_[from]->output(output), switches_[to]->input(input), checkers_, plain, params,
                 classes_);
  });
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    links_.push_back(
        {switch_of(here) + "->" + endpoint_name(here), n, static_cast<PortId>(ports(here) - 1), true});
  }
}

void DimensionalSwitches::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric,
                                 FabricTargetSocket& from_fabric) {
  SwitchModule& node = *switches_[index_of(endpoint)];
  const auto own = static_cast<PortId>(ports(endpoint) - 1);
  // Packets for several links go in side by side, so there is no line whose rules a checker could hold.
  to_fabric.bind(node.input(own));
  bind_checked(node.output(own), from_fabric, checkers_,
               switch_of(endpoint) + "_to_" + endpoint_name(endpoint), injection_link(), classes_);
}

/// Routes in the order of the dimensions cannot wait for each other across dimensions, and rings have
/// datelines, so only what is within a dimension and no ring is left to check; done where the graph is small.
void DimensionalSwitches::check_routes() const {
  constexpr std::uint32_t kMaxNpus = 128;
  for (std::size_t d = 0; d < params_.dimensions.count(); ++d)
    if (params_.dimensions[d].kind == FabricDimension::Kind::ring) return;
  if (npus() > kMaxNpus) return;
  RouteCheck check(switches_.size());
  for (std::uint32_t n = 0; n < npus(); ++n) check.add_switch(n, node_routing_[n]);
  for (std::size_t d = 0; d < params_.dimensions.count(); ++d)
    if (is_switched(d))
      for (std::uint32_t n = 0; n < npus(); ++n)
        check.add_switch(switch_number(static_cast<NpuId>(n), d), switch_routing_[d]);
  for_each_link([&](const std::string& name, std::size_t from, PortId output, std::size_t to, PortId,
                    const OutputParams&) { check.add_link(name, from, output, to); });
  for (const FabricLink& each : links_)
    if (each.exit) check.add_exit(each.name, each.from, each.output);
  // From the NPUs: nobody begins at a switch.
  for (std::uint32_t n = 0; n < npus(); ++n) check.add_source(static_cast<NpuId>(n), n, 1);
  check.require_no_cycle(npus());
}

}  // namespace wafertlm
