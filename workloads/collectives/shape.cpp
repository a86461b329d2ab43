// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/shape.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace wafertlm {
namespace {

/// Position along a cycle of neighbours through a w × h rectangle with h even: along the first row to the
/// last column, back in a snake over the columns from 1 on, home along column 0.
std::uint64_t cycle_place(std::uint32_t column, std::uint32_t row, std::uint32_t w, std::uint32_t h) {
  if (column == 0) return row == 0 ? 0 : std::uint64_t{w} * h - row;
  const std::uint64_t along = row % 2 == 0 ? column - 1 : w - 1 - column;
  return 1 + std::uint64_t{row} * (w - 1) + along;
}

GroupGrid grid_of_rectangle(const Group& group, const Rectangle& box, const FabricTraits& fabric) {
  GroupGrid grid{box.width(), box.height(), 2, std::vector<std::uint32_t>(group.size())};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    grid.at[(fabric.row(group[rank]) - box.top) * grid.width + fabric.column(group[rank]) - box.left] = rank;
  return grid;
}

std::vector<std::uint32_t> by_npu(const Group& group) {
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return group[a] < group[b]; });
  return order;
}

}  // namespace

std::optional<GroupGrid> grid_of(const Group& group, const FabricTraits& fabric) {
  if (fabric.is_mesh()) {
    const Rectangle box(group, fabric);
    return box.is_grid() ? std::optional(grid_of_rectangle(group, box, fabric)) : std::nullopt;
  }
  std::map<std::uint32_t, std::uint32_t> members;  // of each L1 switch
  for (const NpuId npu : group) ++members[fabric.fred.l1_of(npu)];
  const std::uint32_t width = members.empty() ? 0 : members.begin()->second;
  if (width < 2 || members.size() < 2) return {};
  for (const auto& [l1, count] : members)
    if (count != width) return {};
  return GroupGrid{width, static_cast<std::uint32_t>(members.size()), 1, by_npu(group)};
}

Rectangle::Rectangle(const Group& group, const FabricTraits& fabric)
    : left(fabric.width), right(0), top(fabric.height), bottom(0) {
  for (const NpuId npu : group) {
    left = std::min(left, fabric.column(npu));
    right = std::max(right, fabric.column(npu));
    top = std::min(top, fabric.row(npu));
    bottom = std::max(bottom, fabric.row(npu));
  }
  full = group.size() == std::size_t{width()} * height();
}

std::vector<std::uint32_t> ring_order(const Group& group, const FabricTraits& fabric) {
  if (!fabric.is_mesh()) return by_npu(group);
  const Rectangle box(group, fabric);
  const std::uint32_t w = box.width(), h = box.height();
  const bool whole = box.is_grid();
  const auto place = [&](std::uint32_t rank) -> std::uint64_t {
    const std::uint32_t column = fabric.column(group[rank]) - box.left,
                        row = fabric.row(group[rank]) - box.top;
    if (whole && h % 2 == 0) return cycle_place(column, row, w, h);
    if (whole && w % 2 == 0) return cycle_place(row, column, h, w);
    return std::uint64_t{row} * w + (row % 2 == 0 ? column : w - 1 - column);
  };
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return order;
}

bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const FabricTraits& fabric) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (fabric.hops(group[order[i]], group[order[(i + 1) % order.size()]]) != 1) return false;
  return order.size() > 2;
}

std::uint32_t farthest_hops(NpuId from, const Group& group, const FabricTraits& fabric) {
  std::uint32_t most = 0;
  for (const NpuId to : group) most = std::max(most, fabric.hops(from, to));
  return most;
}

std::uint32_t centre_rank(const Group& group, const FabricTraits& fabric) {
  std::uint32_t best = 0, fewest = ~std::uint32_t{0};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    if (const std::uint32_t hops = farthest_hops(group[rank], group, fabric); hops < fewest) {
      fewest = hops;
      best = rank;
    }
  return best;
}

}  // namespace wafertlm
