// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/shape.h"

#include <algorithm>
#include <cstdlib>
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

/// From the lowest NPU each time on to the nearest one that is left, the lowest of several.
std::vector<std::uint32_t> by_nearest(const Group& group, const FabricTraits& fabric) {
  std::vector<std::uint32_t> order = by_npu(group);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto nearest =
        std::min_element(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                         [&, from = group[order[i]]](std::uint32_t a, std::uint32_t b) {
                           return std::pair(fabric.head_latency_ps(from, group[a]), group[a]) <
                                  std::pair(fabric.head_latency_ps(from, group[b]), group[b]);
                         });
    std::swap(order[i + 1], *nearest);
  }
  return order;
}

/// Above, by_nearest would look at too many ways.
constexpr std::size_t kMostByNearest = 256;

}  // namespace

std::optional<GroupGrid> grid_of(const Group& group, const FabricTraits& fabric) {
  if (fabric.is_mesh()) {
    const Rectangle box(group, fabric);
    return box.is_grid() ? std::optional(grid_of_rectangle(group, box, fabric)) : std::nullopt;
  }
  if (fabric.has_no_shape()) return {};
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
  if (fabric.is_graph() && group.size() <= kMostByNearest) return by_nearest(group, fabric);
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

GroupDistances::GroupDistances(const Group& group, const FabricTraits& fabric)
    : fabric_(fabric), members_(group.size()), member_(fabric.npus(), false) {
  if (fabric.has_no_shape()) return;
  if (!fabric.is_mesh()) {
    on_l1_.resize(fabric.fred.l1_switches);
    on_l2_.resize(fabric.fred.l2_switches);
    for (const NpuId npu : group) {
      ++on_l1_[fabric.fred.l1_of(npu)];
      ++on_l2_[fabric.fred.l2_of(npu)];
    }
    return;
  }
  for (const NpuId npu : group) {
    member_[index_of(npu)] = true;
    const std::uint32_t sum = fabric.column(npu) + fabric.row(npu);
    const std::uint32_t skew = fabric.column(npu) + fabric.height - fabric.row(npu);
    sum_least_ = std::min(sum_least_, sum);
    sum_most_ = std::max(sum_most_, sum);
    skew_least_ = std::min(skew_least_, skew);
    skew_most_ = std::max(skew_most_, skew);
  }
}

/// In a tree of switches: members below the switch of this level above `npu`.
std::uint32_t GroupDistances::members_near(NpuId npu, std::uint32_t level) const {
  return level == 1 ? on_l1_[fabric_.fred.l1_of(npu)] : on_l2_[fabric_.fred.l2_of(npu)];
}

/// |dx| + |dy| is the larger of |dx + dy| and |dx - dy|.
std::uint32_t GroupDistances::farthest_hops(NpuId from) const {
  if (fabric_.has_no_shape()) return 1;
  if (!fabric_.is_mesh())
    return members_near(from, 2) < members_ ? 4 : members_near(from, 1) < members_ ? 2 : 0;
  const std::uint32_t sum = fabric_.column(from) + fabric_.row(from);
  const std::uint32_t skew = fabric_.column(from) + fabric_.height - fabric_.row(from);
  return std::max({sum_most_ - sum, sum - sum_least_, skew_most_ - skew, skew - skew_least_});
}

std::uint32_t GroupDistances::diameter() const {
  if (fabric_.has_no_shape()) return 1;
  if (fabric_.is_mesh()) return std::max(sum_most_ - sum_least_, skew_most_ - skew_least_);
  const auto used = [](const std::vector<std::uint32_t>& members) {
    return std::count_if(members.begin(), members.end(), [](std::uint32_t count) { return count != 0; });
  };
  return used(on_l2_) > 1 ? 4 : used(on_l1_) > 1 ? 2 : 0;
}

/// On a mesh outwards: members that are far from each other are few.
std::uint32_t GroupDistances::nearest_hops(NpuId from) const {
  if (fabric_.has_no_shape()) return 1;
  if (!fabric_.is_mesh()) return members_near(from, 1) > 1 ? 0 : members_near(from, 2) > 1 ? 2 : 4;
  const auto x0 = static_cast<std::int64_t>(fabric_.column(from)),
             y0 = static_cast<std::int64_t>(fabric_.row(from));
  const auto is_member = [&](std::int64_t x, std::int64_t y) {
    return x >= 0 && y >= 0 && x < fabric_.width && y < fabric_.height &&
           member_[static_cast<std::size_t>(y) * fabric_.width + static_cast<std::size_t>(x)];
  };
  for (std::int64_t hops = 1; hops < std::int64_t{fabric_.width} + fabric_.height; ++hops)
    for (std::int64_t dx = -hops; dx <= hops; ++dx) {
      const std::int64_t dy = hops - std::abs(dx);
      if (is_member(x0 + dx, y0 + dy) || is_member(x0 + dx, y0 - dy)) return static_cast<std::uint32_t>(hops);
    }
  return 0;  // alone
}

std::uint32_t centre_rank(const Group& group, const FabricTraits& fabric) {
  const GroupDistances distances(group, fabric);
  std::uint32_t best = 0, fewest = ~std::uint32_t{0};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    if (const std::uint32_t hops = distances.farthest_hops(group[rank]); hops < fewest) {
      fewest = hops;
      best = rank;
    }
  return best;
}

}  // namespace wafertlm
