// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/mesh/io_port.h"
#include "tlm/kernel/units.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

/// The sides in their order, and the NPU.
enum class Direction : std::uint8_t { east, west, north, south, local };
constexpr std::size_t kDirections = 5;
const char* to_string(Direction direction);
constexpr Direction direction_of(Side side) { return static_cast<Direction>(side); }
/// Of a side.
constexpr Direction opposite(Direction side) {
  constexpr Direction kOpposite[] = {Direction::west, Direction::east, Direction::south, Direction::north};
  return kOpposite[static_cast<std::size_t>(side)];
}

/// A width × height grid of routers, one NPU each; NPU n sits at column n mod width, row n / width. Row 0 is
/// north. I/O controller k, on the free port of an edge router, is the endpoint npus() + k.
class MeshGeometry {
 public:
  /// @throws std::invalid_argument: a controller at an NPU that does not exist, at a side that has a
  /// neighbour, or where there is one already.
  MeshGeometry(std::uint32_t width, std::uint32_t height, const std::vector<IoPort>& io = {});

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t npus() const { return width_ * height_; }
  /// NPUs and I/O controllers.
  std::uint32_t endpoints() const { return static_cast<std::uint32_t>(positions_.size()); }
  /// Of an endpoint's router.
  std::uint32_t column(NpuId endpoint) const { return positions_[index_of(endpoint)].column; }
  std::uint32_t row(NpuId endpoint) const { return positions_[index_of(endpoint)].row; }
  /// The router's port that leads to the endpoint: local for an NPU, a side for a controller.
  Direction exit(NpuId endpoint) const { return positions_[index_of(endpoint)].exit; }
  NpuId router(NpuId endpoint) const { return at(column(endpoint), row(endpoint)); }
  /// The endpoint behind a port that has no neighbour.
  NpuId endpoint_at(NpuId router, Direction port) const;
  NpuId at(std::uint32_t column, std::uint32_t row) const {
    return static_cast<NpuId>(row * width_ + column);
  }

  bool has_neighbor(NpuId npu, Direction direction) const;
  /// No neighbour on that side of the NPU.
  bool is_edge(const IoPort& port) const;
  /// Requires has_neighbor.
  NpuId neighbor(NpuId npu, Direction direction) const;
  /// Mesh links between the routers of two endpoints on the X-Y route.
  std::uint32_t hops(NpuId from, NpuId to) const;
  /// Where the X-Y route leaves the router of the first endpoint; local if the other one has the same router.
  Direction next_direction(NpuId from, NpuId to) const;
  /// The routers on the X-Y route between two endpoints, both ends included.
  std::vector<NpuId> route(NpuId from, NpuId to) const;

  /// The ports of a router: its neighbours' directions in their fixed order, local, the sides with an I/O
  /// controller.
  std::vector<Direction> ports(NpuId npu) const;

 private:
  struct Position {
    std::uint16_t column, row;
    Direction exit;
  };
  std::uint32_t width_, height_;
  std::vector<Position>
      positions_;  // of all endpoints; a table, because routing asks twice per hop and a division is slow
};

/// X-Y routing of one router: along the row first, then along the column.
class XyRouting : public RouteFunction {
 public:
  XyRouting(const MeshGeometry& geometry, NpuId here);
  virtual ~XyRouting() = default;
  PortId output_for(const Packet& packet) const override;

 protected:
  /// Of the router, towards the side; `local` is the exit to the endpoint.
  PortId port(Direction side, NpuId endpoint) const {
    return port_[static_cast<std::size_t>(side == Direction::local ? geometry_.exit(endpoint) : side)];
  }
  const MeshGeometry& geometry_;

 private:
  std::uint32_t column_, row_;
  PortId port_[kDirections]{};
};

}  // namespace wafertlm
