// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_messages.h"

#include <algorithm>

namespace wafertlm {

namespace {

/// All of a switch's outputs are one.
class OneOutput final : public RouteFunction {
 public:
  PortId output_for(const Packet&) const override { return PortId{0}; }
};
const OneOutput kOneOutput;

}  // namespace

DimensionalMessages::DimensionalMessages(const sc_core::sc_module_name& name, const DimensionalParams& params,
                                         const ClassTable& classes, Scheduler& scheduler)
    : DimensionalFabric(name, params, 0),
      network_(params.one_for_all ? 1 : npus(), params_.format, classes, scheduler, params_.rules) {
  params_.one_for_all ? add_one_place() : add_all_places();
}

void DimensionalMessages::add_all_places() {
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

void DimensionalMessages::add_one_place() {
  const Dimensions& dimensions = params_.dimensions;
  MessagePorts& ports = network_.ports();
  network_.stands_for_all(*this);
  moves_.resize(dimensions.count());
  ports_ = ports_of(NpuId{0}, dimensions);
  ports.add_vertex(node_routing_[0], node_routing_[0].outputs() - 1);
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    if (!is_switched(d)) continue;
    switched_.push_back(d);
    ports.add_vertex(kOneOutput, 1);
  }
  for_each_link([&](const std::string& link_name, std::size_t from, PortId output, std::size_t to,
                    PortId input, const OutputParams& link) {
    links_.push_back({link_name, from, output, false});
    if (from == 0)
      ports.set_link(0, output, link, to < npus() ? 0 : vertex_of_switch(to),
                     to < npus() ? input : PortId{0});
    else if (from >= npus() && to == 0)
      ports.set_link(vertex_of_switch(from), PortId{0}, link, 0, input);
  });
}

std::uint32_t DimensionalMessages::vertex_of_switch(std::size_t number) const {
  const auto found = std::find(switched_.begin(), switched_.end(), switched_dimension(number));
  return static_cast<std::uint32_t>(found - switched_.begin()) + 1;
}

const MessagePort& DimensionalMessages::port_of(const FabricLink& link) const {
  const MessagePorts& ports = network_.ports();
  if (params_.one_for_all) return ports.port(port_at_one_place(link));
  return ports.port(ports.number_of(static_cast<std::uint32_t>(link.from), link.output));
}

/// Fully connected dimensions number their ports by the peer, which is another one at each place.
std::uint32_t DimensionalMessages::port_at_one_place(const FabricLink& link) const {
  const MessagePorts& ports = network_.ports();
  if (link.from >= npus()) return ports.number_of(vertex_of_switch(link.from), PortId{0});
  const DimensionPort& same = ports_[index_of(link.output)];
  if (same.to != DimensionPort::To::peer) return ports.number_of(0, link.output);
  // NPU 0's port k of the dimension leads to coordinate k + 1, another one's leaves its own out.
  const FabricDimension& dimension = params_.dimensions[same.dimension];
  const auto first = static_cast<std::uint32_t>(index_of(link.output)) - (same.coordinate - 1);
  const std::uint32_t own = params_.dimensions.coordinate(static_cast<NpuId>(link.from), same.dimension),
                      peer = same.coordinate - (same.coordinate <= own ? 1 : 0),
                      moved = moves_[same.dimension] == EqualPlaces::Move::exclusive_or
                                  ? peer ^ own
                                  : (peer + dimension.size - own) % dimension.size;
  return ports.number_of(0, static_cast<PortId>(first + moved - 1));
}

NpuId DimensionalMessages::behind(const MessagePort& link, NpuId destination) const {
  const Dimensions& dimensions = params_.dimensions;
  if (link.vertex == 0) {
    const DimensionPort& port = ports_[link.output];
    return dimensions.at(NpuId{0}, port.dimension, port.coordinate);
  }
  const std::size_t d = switched_[link.vertex - 1];
  return dimensions.at(NpuId{0}, d, dimensions.coordinate(destination, d));
}

bool DimensionalMessages::has_full_connections() const {
  return std::any_of(ports_.begin(), ports_.end(),
                     [](const DimensionPort& port) { return port.to == DimensionPort::To::peer; });
}

bool DimensionalMessages::numbers_inputs(std::uint32_t vertex) const {
  return vertex != 0 || has_full_connections();
}

void DimensionalMessages::crosses(const MessagePort& link, const EqualPlaces& places) {
  if (link.vertex != 0 || ports_[link.output].to != DimensionPort::To::peer) return;
  const std::size_t d = ports_[link.output].dimension;
  for (const EqualPlaces::Axis& axis : places.axes()) {
    if (axis.dimension != d) continue;
    if (moves_[d].value_or(axis.move) != axis.move)
      throw PlacesDiffer("collectives move the places of a fully connected dimension differently");
    moves_[d] = axis.move;
  }
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
