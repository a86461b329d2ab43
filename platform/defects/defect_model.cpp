// SPDX-License-Identifier: Apache-2.0
#include "platform/defects/defect_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wafertlm::wafer_yield {

std::string to_string(PartKind kind) {
  constexpr std::array<const char*, 3> kWords{"npu", "router", "link"};
  return kWords[static_cast<std::size_t>(kind)];
}

double distance_to_edge_mm(const YieldSpec& spec, std::uint32_t cell) {
  const auto from_middle = [](std::uint32_t at, std::uint32_t count, double pitch) {
    return (at + 0.5 - count / 2.0) * pitch;
  };
  return spec.diameter_mm / 2 - std::hypot(from_middle(cell % spec.columns, spec.columns, spec.cell_width_mm),
                                           from_middle(cell / spec.columns, spec.rows, spec.cell_height_mm));
}

std::vector<Region> regions_of(const YieldSpec& spec) {
  const std::uint32_t wide = spec.cluster_columns == 0 ? spec.columns : spec.cluster_columns,
                      high = spec.cluster_rows == 0 ? spec.rows : spec.cluster_rows,
                      across = (spec.columns + wide - 1) / wide, down = (spec.rows + high - 1) / high;
  std::vector<Region> regions(std::size_t{across} * down);
  for (std::uint32_t cell = 0; cell < spec.cells(); ++cell) {
    const std::uint32_t x = cell % spec.columns, y = cell / spec.columns;
    const double factor = distance_to_edge_mm(spec, cell) < spec.edge_mm ? spec.edge_factor : 1;
    Region& region = regions[std::size_t{y / high} * across + x / wide];
    const auto add = [&](PartKind kind, const PartSpec& part, std::uint32_t end) {
      if (part.defects() <= 0 || factor <= 0) return;
      region.parts.push_back({kind, cell, end, part.defects() * factor});
      region.defects += region.parts.back().defects;
    };
    add(PartKind::npu, spec.npu, cell);
    add(PartKind::router, spec.router, cell);
    if (x + 1 < spec.columns) add(PartKind::link, spec.link, cell + 1);
    if (y + 1 < spec.rows) add(PartKind::link, spec.link, cell + spec.columns);
  }
  return regions;
}

double yield_of(const YieldSpec& spec, double defects) {
  return spec.law == Law::poisson ? std::exp(-defects)
                                  : std::exp(-spec.alpha * std::log1p(defects / spec.alpha));
}

double variance_of(const YieldSpec& spec, double defects) {
  return defects + (spec.law == Law::poisson ? 0 : defects * defects / spec.alpha);
}

}  // namespace wafertlm::wafer_yield
