// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_fabric.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/fabric/checker.h"
#include "tlm/link/route_check.h"

namespace wafertlm {
namespace {

/// Between an NPU and its node there is no wire: the fastest line there can be.
constexpr std::uint64_t kNoWire = (std::uint64_t{1} << 53) - 1;

std::string node_name(NpuId npu) { return "node" + std::to_string(index_of(npu)); }

/// Where the link that leaves through `port` comes in.
DimensionPort other_end(const DimensionPort& port, std::uint32_t own_coordinate) {
  using To = DimensionPort::To;
  const To to = port.to == To::next ? To::previous : port.to == To::previous ? To::next : port.to;
  return {port.dimension, to, own_coordinate};
}

PortId number_of(const DimensionPort& port, const std::vector<DimensionPort>& ports) {
  for (std::uint32_t n = 0; n < ports.size(); ++n)
    if (ports[n].dimension == port.dimension && ports[n].to == port.to &&
        (port.to != DimensionPort::To::peer || ports[n].coordinate == port.coordinate))
      return static_cast<PortId>(n);
  throw std::logic_error("a link of dimension " + std::to_string(port.dimension) + " has no other end");
}

}  // namespace

DimensionalFabric::DimensionalFabric(const sc_core::sc_module_name& name, const DimensionalParams& params,
                                     const ClassTable& classes, Scheduler& scheduler, CheckerSet* checkers,
                                     bool reverse)
    : Fabric(name), params_(params), classes_(classes), checkers_(checkers) {
  check_params();
  const Dimensions& dimensions = params_.dimensions;
  std::size_t switches = npus();
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    first_switch_.push_back(switches);
    const bool switched = dimensions[d].kind == FabricDimension::Kind::switched && dimensions[d].size > 1;
    if (switched) switches += npus() / dimensions[d].size;
    switch_routing_.emplace_back(dimensions, d);
  }
  switch_count_ = switches;
  for (std::uint32_t n = 0; n < npus(); ++n) node_routing_.emplace_back(dimensions, static_cast<NpuId>(n));
  if (params_.messages) {
    make_network(classes, scheduler);
    return;
  }
  switches_.resize(switches);
  make_nodes(classes, scheduler, reverse);
  make_switches(classes, scheduler);
  bind_links(classes);
  check_routes();
}

void DimensionalFabric::check_params() const {
  const Dimensions& dimensions = params_.dimensions;
  check_buffer(params_.format, params_.buffer_bytes);
  if (params_.format.by_flit) throw std::invalid_argument("dimensions do not go with wormhole switching");
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    if (dimensions[d].size > 1 &&
        (dimensions[d].bytes_per_s == 0 || (dimensions[d].latency_ps == 0 && !params_.messages)))
      throw std::invalid_argument("dimension " + std::to_string(d) +
                                  " needs a bandwidth and a latency of 1 ps or more");
  for (const OtherLink& other : params_.other_links)
    if (index_of(other.npu) >= npus() || other.dimension >= dimensions.count() || other.bytes_per_s == 0 ||
        other.latency_ps == 0)
      throw std::invalid_argument("links of NPU " + std::to_string(index_of(other.npu)) + " in dimension " +
                                  std::to_string(other.dimension) +
                                  ": there is no such NPU or dimension, or a bandwidth or latency is 0");
  if (params_.messages) return;
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
    throw std::invalid_argument(
        "these dimensions need " + std::to_string(queues) +
        " queues (inputs x outputs x channels of all switches), more than the " +
        std::to_string(kMaxQueues) +
        " that fit into memory: make large switches or fully connected dimensions smaller, or "
        "take fewer virtual channels");
}

OutputParams DimensionalFabric::link(NpuId npu, std::size_t dimension) const {
  std::uint64_t bytes_per_s = params_.dimensions[dimension].bytes_per_s;
  TimePs latency_ps = params_.dimensions[dimension].latency_ps;
  for (const OtherLink& other : params_.other_links)
    if (other.npu == npu && other.dimension == dimension) {
      bytes_per_s = other.bytes_per_s;
      latency_ps = other.latency_ps;
    }
  const std::uint64_t buffer =
      params_.buffer_bytes != 0
          ? params_.buffer_bytes
          : auto_buffer_bytes(bytes_per_s, latency_ps + params_.credit_delay_ps, params_.format, 3);
  return {bytes_per_s, latency_ps, buffer};
}

/// An endpoint always accepts.
OutputParams DimensionalFabric::ejection() const { return {kNoWire, 0, std::uint64_t{1} << 60}; }

OutputParams DimensionalFabric::injection_link() const { return {kNoWire, 0, std::uint64_t{1} << 60}; }

TimePs DimensionalFabric::lookahead_ps() const {
  if (network_) return 0;
  TimePs ahead = params_.credit_delay_ps;
  for (std::size_t d = 0; d < params_.dimensions.count(); ++d)
    if (params_.dimensions[d].size > 1) ahead = std::min(ahead, params_.dimensions[d].latency_ps);
  for (const OtherLink& other : params_.other_links) ahead = std::min(ahead, other.latency_ps);
  return ahead;
}

void DimensionalFabric::make_nodes(const ClassTable& classes, Scheduler& scheduler, bool reverse) {
  for (std::uint32_t k = 0; k < npus(); ++k) make_node(reverse ? npus() - 1 - k : k, classes, scheduler);
}

void DimensionalFabric::make_node(std::uint32_t n, const ClassTable& classes, Scheduler& scheduler) {
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
  node.outputs.push_back(ejection());
  names.emplace_back("npu");
  node.ring_outputs.emplace_back();
  if (!has_ring) node.ring_outputs.clear();
  switches_[n] = std::make_unique<SwitchModule>(("node_" + std::to_string(n)).c_str(), node, names, names,
                                                classes, node_routing_[n], scheduler);
  switches_[n]->set_region(n);
}

std::size_t DimensionalFabric::switch_number(NpuId npu, std::size_t d) const {
  const std::size_t n = index_of(npu), stride = params_.dimensions.stride(d);
  return first_switch_[d] + n / (stride * params_.dimensions[d].size) * stride + n % stride;
}

void DimensionalFabric::make_switches(const ClassTable& classes, Scheduler& scheduler) {
  const Dimensions& dimensions = params_.dimensions;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (dimensions[d].kind != FabricDimension::Kind::switched || dimensions[d].size < 2) continue;
    for (std::uint32_t n = 0; n < npus(); ++n) {
      const auto first = static_cast<NpuId>(n);
      if (dimensions.coordinate(first, d) != 0) continue;
      SwitchParams params;
      std::vector<std::string> names;
      for (std::uint32_t c = 0; c < dimensions[d].size; ++c) {
        const NpuId npu = dimensions.at(first, d, c);
        params.credit_delay_ps.push_back(params_.credit_delay_ps);
        params.outputs.push_back(link(npu, d));
        names.push_back(node_name(npu));
      }
      const std::size_t number = switch_number(first, d);
      switches_[number] =
          std::make_unique<SwitchModule>(("switch_" + std::to_string(number - npus())).c_str(), params, names,
                                         names, classes, switch_routing_[d], scheduler);
      switches_[number]->set_region(static_cast<Region>(number));
    }
  }
}

/// visit(name, from, output, to, input, dimension, its parameters)
template <typename Visit>
void DimensionalFabric::for_each_link(const Visit& visit) const {
  const Dimensions& dimensions = params_.dimensions;
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    const std::vector<DimensionPort> ports = ports_of(here, dimensions);
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
      const std::size_t d = ports[p].dimension;
      const auto port = static_cast<PortId>(p);
      const OutputParams params = link(here, d);
      if (ports[p].to == DimensionPort::To::to_switch) {
        const std::size_t number = switch_number(here, d);
        const std::string name = "switch" + std::to_string(number - npus());
        const auto at = static_cast<PortId>(ports[p].coordinate);
        visit(node_name(here) + "->" + name, n, port, number, at, params);
        visit(name + "->" + node_name(here), number, at, n, port, params);
        continue;
      }
      const NpuId there = dimensions.at(here, d, ports[p].coordinate);
      const PortId input =
          number_of(other_end(ports[p], dimensions.coordinate(here, d)), ports_of(there, dimensions));
      visit(node_name(here) + "->" + node_name(there) + "." + name_of(ports[p]), n, port, index_of(there),
            input, params);
    }
  }
}

void DimensionalFabric::bind_links(const ClassTable& classes) {
  for_each_link([&](const std::string& name, std::size_t from, PortId output, std::size_t to, PortId input,
                    const OutputParams& params) {
    links_.push_back({name, from, output, false});
    std::string plain = name;
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == '.' || c == '-' || c == '>'; }, '_');
    bind_checked(switches_[from]->output(output), switches_[to]->input(input), checkers_, plain, params,
                 classes);
  });
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    links_.push_back(
        {node_name(here) + "->" + endpoint_name(here), n, static_cast<PortId>(ports(here) - 1), true});
  }
}

void DimensionalFabric::make_network(const ClassTable& classes, Scheduler& scheduler) {
  const Dimensions& dimensions = params_.dimensions;
  network_ = std::make_unique<MessageNetwork>(npus(), params_.format, classes, scheduler);
  MessagePorts& ports = network_->ports();
  for (std::uint32_t n = 0; n < npus(); ++n)
    ports.add_vertex(node_routing_[n], node_routing_[n].outputs() - 1);
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (dimensions[d].kind != FabricDimension::Kind::switched || dimensions[d].size < 2) continue;
    for (std::uint32_t k = 0; k < npus() / dimensions[d].size; ++k)
      ports.add_vertex(switch_routing_[d], dimensions[d].size);
  }
  for_each_link([&](const std::string& name, std::size_t from, PortId output, std::size_t to, PortId input,
                    const OutputParams& params) {
    links_.push_back({name, from, output, false});
    ports.set_link(static_cast<std::uint32_t>(from), output, params, static_cast<std::uint32_t>(to), input);
  });
}

OutputCounters DimensionalFabric::counters(const FabricLink& link) const {
  if (!network_) return Fabric::counters(link);
  const MessagePorts& ports = network_->ports();
  const MessagePort& port = ports.port(ports.number_of(static_cast<std::uint32_t>(link.from), link.output));
  OutputCounters counters;
  counters.packets = port.packets;
  counters.payload_bytes = port.payload_bytes;
  counters.wire_bytes = port.wire_bytes;
  return counters;
}

std::uint64_t DimensionalFabric::bytes_per_s(const FabricLink& link) const {
  if (!network_) return Fabric::bytes_per_s(link);
  const MessagePorts& ports = network_->ports();
  return ports.port(ports.number_of(static_cast<std::uint32_t>(link.from), link.output)).line.bytes_per_s();
}

std::uint64_t DimensionalFabric::queued_packets() const {
  return network_ ? network_->messages() : Fabric::queued_packets();
}

void DimensionalFabric::observe(LinkObserver& observer) {
  if (network_)
    network_->observe(observer);
  else
    Fabric::observe(observer);
}

::tlm::tlm_sync_enum DimensionalFabric::NoPackets::nb_transport_fw(Packet&, ::tlm::tlm_phase&,
                                                                   sc_core::sc_time&) {
  throw std::logic_error("a packet on a fabric that carries messages");
}

::tlm::tlm_sync_enum DimensionalFabric::NoPackets::nb_transport_bw(Packet&, ::tlm::tlm_phase&,
                                                                   sc_core::sc_time&) {
  throw std::logic_error("a credit on a fabric that carries messages");
}

void DimensionalFabric::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric,
                               FabricTargetSocket& from_fabric) {
  if (network_) {
    to_fabric.get_base_port().bind(no_packets_);
    from_fabric.get_base_port().bind(no_packets_);
    return;
  }
  SwitchModule& node = *switches_[index_of(endpoint)];
  const auto own = static_cast<PortId>(ports(endpoint) - 1);
  // Packets for several links go in side by side, so there is no line whose rules a checker could hold.
  to_fabric.bind(node.input(own));
  bind_checked(node.output(own), from_fabric, checkers_,
               node_name(endpoint) + "_to_" + endpoint_name(endpoint), ejection(), classes_);
}

TimePs DimensionalFabric::head_latency_ps(NpuId from, NpuId to) const {
  return params_.dimensions.head_latency_ps(from, to);
}

/// Routes in the order of the dimensions cannot wait for each other across dimensions, and rings have
/// datelines, so only what is within a dimension and no ring is left to check; done where the graph is small.
void DimensionalFabric::check_routes() const {
  constexpr std::uint32_t kMaxNpus = 128;
  for (std::size_t d = 0; d < params_.dimensions.count(); ++d)
    if (params_.dimensions[d].kind == FabricDimension::Kind::ring) return;
  if (npus() > kMaxNpus) return;
  RouteCheck check(switches_.size());
  for (std::uint32_t n = 0; n < npus(); ++n) check.add_switch(n, node_routing_[n]);
  const Dimensions& dimensions = params_.dimensions;
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    if (dimensions[d].kind == FabricDimension::Kind::switched && dimensions[d].size > 1)
      for (std::uint32_t n = 0; n < npus(); ++n)
        check.add_switch(switch_number(static_cast<NpuId>(n), d), switch_routing_[d]);
  for (const FabricLink& each : links_) {
    if (each.exit) {
      check.add_exit(each.name, each.from, each.output);
      continue;
    }
    std::size_t to = each.from;
    if (each.from < npus()) {
      const auto here = static_cast<NpuId>(each.from);
      const DimensionPort port = ports_of(here, dimensions)[index_of(each.output)];
      to = port.to == DimensionPort::To::to_switch
               ? switch_number(here, port.dimension)
               : index_of(dimensions.at(here, port.dimension, port.coordinate));
    } else {
      for (std::size_t d = 0; d < dimensions.count(); ++d)
        for (std::uint32_t n = 0; n < npus(); ++n)
          if (dimensions[d].kind == FabricDimension::Kind::switched && dimensions[d].size > 1 &&
              switch_number(static_cast<NpuId>(n), d) == each.from &&
              dimensions.coordinate(static_cast<NpuId>(n), d) == index_of(each.output))
            to = n;
    }
    check.add_link(each.name, each.from, each.output, to);
  }
  // From the NPUs: nobody begins at a switch.
  for (std::uint32_t n = 0; n < npus(); ++n) check.add_source(static_cast<NpuId>(n), n, 1);
  check.require_no_cycle(npus());
}

}  // namespace wafertlm
