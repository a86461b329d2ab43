// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_geometry.h"

#include <stdexcept>

#include "tlm/packets/npu_name.h"

namespace wafertlm {
namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

/// Where X-Y routing turns next between two grid positions.
Direction xy_direction(std::uint32_t column, std::uint32_t row, std::uint32_t to_column,
                       std::uint32_t to_row) {
  if (to_column != column) return to_column > column ? Direction::east : Direction::west;
  if (to_row != row) return to_row > row ? Direction::south : Direction::north;
  return Direction::local;
}

}  // namespace

const char* to_string(Direction direction) {
  constexpr const char* kNames[kDirections] = {"east", "west", "north", "south", "local"};
  return kNames[static_cast<std::size_t>(direction)];
}

MeshGeometry::MeshGeometry(std::uint32_t width, std::uint32_t height, const std::vector<IoPort>& io)
    : width_(width), height_(height) {
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t column = 0; column < width; ++column)
      positions_.push_back(
          {static_cast<std::uint16_t>(column), static_cast<std::uint16_t>(row), Direction::local});
  for (const IoPort& port : io) {
    const std::string place = npu_name(port.npu) + ", " + to_string(direction_of(port.side));
    if (index_of(port.npu) >= npus())
      throw std::invalid_argument("I/O controller at " + place + ": no such NPU");
    if (has_neighbor(port.npu, direction_of(port.side)) ||
        endpoint_at(port.npu, direction_of(port.side)) != port.npu)
      throw std::invalid_argument("I/O controller at " + place + ": that port is not free");
    Position at = positions_[index_of(port.npu)];
    at.exit = direction_of(port.side);
    positions_.push_back(at);
  }
}

NpuId MeshGeometry::endpoint_at(NpuId router, Direction port) const {
  for (std::uint32_t n = npus(); n < endpoints(); ++n)
    if (exit(static_cast<NpuId>(n)) == port && this->router(static_cast<NpuId>(n)) == router)
      return static_cast<NpuId>(n);
  return router;
}

bool MeshGeometry::has_neighbor(NpuId npu, Direction direction) const {
  switch (direction) {
    case Direction::east:
      return column(npu) + 1 < width_;
    case Direction::west:
      return column(npu) > 0;
    case Direction::north:
      return row(npu) > 0;
    case Direction::south:
      return row(npu) + 1 < height_;
    case Direction::local:
      break;
  }
  return false;
}

bool MeshGeometry::is_edge(const IoPort& port) const {
  return !has_neighbor(port.npu, direction_of(port.side));
}

NpuId MeshGeometry::neighbor(NpuId npu, Direction direction) const {
  const std::int64_t steps[kDirections] = {1, -1, -std::int64_t{width_}, std::int64_t{width_}, 0};
  return static_cast<NpuId>(static_cast<std::int64_t>(npu) + steps[static_cast<std::size_t>(direction)]);
}

std::uint32_t MeshGeometry::hops(NpuId from, NpuId to) const {
  return distance(column(from), column(to)) + distance(row(from), row(to));
}

Direction MeshGeometry::next_direction(NpuId from, NpuId to) const {
  return xy_direction(column(from), row(from), column(to), row(to));
}

std::vector<NpuId> MeshGeometry::route(NpuId from, NpuId to) const {
  std::vector<NpuId> path{router(from)};
  while (path.back() != router(to)) path.push_back(neighbor(path.back(), next_direction(path.back(), to)));
  return path;
}

std::vector<Direction> MeshGeometry::ports(NpuId npu) const {
  std::vector<Direction> ports;
  for (const Side side : kAllSides)
    if (!is_edge({npu, side})) ports.push_back(direction_of(side));
  ports.push_back(Direction::local);
  for (const Side side : kAllSides)
    if (is_edge({npu, side}) && endpoint_at(npu, direction_of(side)) != npu)
      ports.push_back(direction_of(side));
  return ports;
}

XyRouting::XyRouting(const MeshGeometry& geometry, NpuId here)
    : geometry_(geometry), column_(geometry.column(here)), row_(geometry.row(here)) {
  std::uint32_t port = 0;
  for (const Direction side : geometry.ports(here))
    port_[static_cast<std::size_t>(side)] = static_cast<PortId>(port++);
}

PortId XyRouting::output_for(const Packet& packet) const {
  const Direction direction =
      xy_direction(column_, row_, geometry_.column(packet.destination), geometry_.row(packet.destination));
  return port(direction, packet.destination);
}

}  // namespace wafertlm
