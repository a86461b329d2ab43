// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tlm/link/switch_core.h"
#include "tlm/units.h"

namespace wafertlm {

enum class Direction : std::uint8_t { east, west, north, south, local };
constexpr std::size_t kDirections = 5;
const char* to_string(Direction direction);

/// A width × height grid of routers, one NPU each; NPU n sits at column n mod width, row n / width. Row 0 is
/// north.
class MeshGeometry {
 public:
  MeshGeometry(std::uint32_t width, std::uint32_t height);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t npus() const { return width_ * height_; }
  std::uint32_t column(NpuId npu) const { return places_[index_of(npu)].column; }
  std::uint32_t row(NpuId npu) const { return places_[index_of(npu)].row; }
  NpuId at(std::uint32_t column, std::uint32_t row) const {
    return static_cast<NpuId>(row * width_ + column);
  }

  bool has_neighbor(NpuId npu, Direction direction) const;
  /// Requires has_neighbor.
  NpuId neighbor(NpuId npu, Direction direction) const;
  /// Mesh links between two NPUs on the X-Y route.
  std::uint32_t hops(NpuId from, NpuId to) const;
  /// The NPUs on the X-Y route, both ends included.
  std::vector<NpuId> route(NpuId from, NpuId to) const;

  /// The ports of a router: its neighbours' directions in their fixed order, then local.
  std::vector<Direction> ports(NpuId npu) const;

 private:
  struct Place {
    std::uint16_t column, row;
  };
  std::uint32_t width_, height_;
  std::vector<Place> places_;  // a table, because routing asks twice per hop and a division is slow
};

/// X-Y routing of one router: along the row first, then along the column.
class XyRouting final : public RouteFunction {
 public:
  XyRouting(const MeshGeometry& geometry, NpuId here);
  PortId output_for(const Packet& packet) const override;

 private:
  const MeshGeometry& geometry_;
  std::uint32_t column_, row_;
  PortId port_[kDirections]{};
};

}  // namespace wafertlm
