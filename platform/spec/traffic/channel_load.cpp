// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/traffic/channel_load.h"

#include <algorithm>

#include "models/mesh/mesh_topology.h"

namespace wafertlm::traffic {
namespace {

/// Weights per link by node and direction, from differences along rows and columns: O(1) for a pair.
class Weights {
 public:
  explicit Weights(const MeshGeometry& geometry)
      : geometry_(geometry), by_node_(geometry.npus()), injection_(geometry.npus()) {}

  void add(NpuId from, NpuId to, std::uint64_t weight) {
    injection_[index_of(from)] += weight;
    at(to, Direction::local) += weight;
    const NpuId corner = geometry_.at(geometry_.column(to), geometry_.row(from));
    const bool east = geometry_.column(to) > geometry_.column(from);
    add_span(from, corner, east ? Direction::east : Direction::west, weight);
    const bool south = geometry_.row(to) > geometry_.row(from);
    add_span(corner, to, south ? Direction::south : Direction::north, weight);
  }

  /// Turns the differences into weights.
  void finish() {
    const std::uint32_t last = geometry_.npus() - 1;
    for (std::uint32_t n = 0; n <= last; ++n) {
      carry(n, Direction::east, Direction::west);
      carry(n, Direction::south, Direction::north);
      carry(last - n, Direction::west, Direction::east);
      carry(last - n, Direction::north, Direction::south);
    }
  }

  std::uint64_t& at(NpuId node, Direction side) {
    return by_node_[index_of(node)].side[static_cast<std::size_t>(side)];
  }
  std::uint64_t& injection(NpuId node) { return injection_[index_of(node)]; }

 private:
  struct Sides {
    std::uint64_t side[kDirections] = {};
  };
  /// Modulo 2^64 until finish().
  void add_span(NpuId from, NpuId to, Direction side, std::uint64_t weight) {
    at(from, side) += weight;
    at(to, side) -= weight;
  }
  void carry(std::uint32_t n, Direction side, Direction back) {
    const auto node = static_cast<NpuId>(n);
    if (geometry_.has_neighbor(node, back)) at(node, side) += at(geometry_.neighbor(node, back), side);
  }

  const MeshGeometry& geometry_;
  std::vector<Sides> by_node_;
  std::vector<std::uint64_t> injection_;
};

/// Around holes: route by route.
void add_routes(Weights& weights, const MeshTopology& mesh, const Pattern& pattern) {
  for (std::uint32_t n = 0; n < mesh.npus(); ++n)
    for (const Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n))) {
      if (choice.weight == 0) continue;
      weights.injection(static_cast<NpuId>(n)) += choice.weight;
      weights.at(choice.destination, Direction::local) += choice.weight;
      for (const std::size_t link : mesh.route(static_cast<NpuId>(n), choice.destination))
        weights.at(static_cast<NpuId>(link / 4), static_cast<Direction>(link % 4)) += choice.weight;
    }
}

std::string name(const char* kind, NpuId node) { return kind + std::to_string(index_of(node)); }

}  // namespace

void finish(ChannelLoads& loads, std::uint64_t cycle_bytes_per_s) {
  const auto fills_later = [](const ChannelLoad& a, const ChannelLoad& b) {
    return Uint128{a.weight} * b.bytes_per_s < Uint128{b.weight} * a.bytes_per_s;
  };
  const auto busiest = std::max_element(loads.links.begin(), loads.links.end(), fills_later);
  loads.busiest = static_cast<std::size_t>(busiest - loads.links.begin());
  loads.bound = static_cast<double>(busiest->bytes_per_s) / static_cast<double>(cycle_bytes_per_s) *
                static_cast<double>(loads.total) / static_cast<double>(busiest->weight);
}

ChannelLoads channel_loads(const MeshParams& mesh, const Pattern& pattern) {
  const MeshGeometry geometry(mesh.width, mesh.height);
  Weights weights(geometry);
  const MeshRates rates(mesh, geometry);
  if (mesh.has_holes()) {
    add_routes(weights, MeshTopology(mesh), pattern);
  } else {
    for (std::uint32_t n = 0; n < geometry.npus(); ++n)
      for (const Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n)))
        weights.add(static_cast<NpuId>(n), choice.destination, choice.weight);
    weights.finish();
  }

  ChannelLoads loads;
  loads.total = pattern.total();
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto node = static_cast<NpuId>(n);
    for (const Direction side : geometry.ports(node)) {
      const bool local = side == Direction::local;
      loads.links.push_back({name("router", node) + (local ? name("->npu", node)
                                                           : name("->router", geometry.neighbor(node, side))),
                             weights.at(node, side),
                             local ? mesh.ejection_bytes_per_s : rates.of(mesh_link(node, side))});
    }
  }
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto node = static_cast<NpuId>(n);
    loads.links.push_back(
        {name("npu", node) + name("->router", node), weights.injection(node), mesh.injection_bytes_per_s});
  }
  finish(loads, mesh.link_bytes_per_s);
  return loads;
}

ChannelLoads channel_loads(const Topology& topology, std::uint64_t cycle_bytes_per_s,
                           const Pattern& pattern) {
  ChannelLoads loads;
  loads.total = pattern.total();
  for (std::size_t number = 0; number < topology.links(); ++number)
    loads.links.push_back({topology.link_name(number), 0, topology.link(number).bytes_per_s});
  for (std::uint32_t n = 0; n < topology.npus(); ++n)
    for (const Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n)))
      for (const std::size_t link : topology.route(static_cast<NpuId>(n), choice.destination))
        loads.links[link].weight += choice.weight;
  finish(loads, cycle_bytes_per_s);
  return loads;
}

}  // namespace wafertlm::traffic
