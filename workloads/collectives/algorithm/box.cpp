// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/box.h"

namespace wafertlm {

std::optional<GroupBox> box_of(const Group& group, const Dimensions& dimensions) {
  if (dimensions.count() == 0 || group.empty()) return {};
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // [dimension][coordinate]: its number in the box
  std::vector<std::vector<std::uint32_t>> number(dimensions.count());
  GroupBox box;
  std::uint64_t members = 1;
  std::vector<std::size_t> axis_of(dimensions.count());
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    number[d].assign(dimensions[d].size, kNone);
    for (const NpuId npu : group) number[d][dimensions.coordinate(npu, d)] = 0;
    std::uint32_t used = 0;
    for (std::uint32_t& at : number[d])
      if (at != kNone) at = used++;
    axis_of[d] = box.axes.size();
    if (used > 1)
      box.axes.push_back({d, used, static_cast<std::uint32_t>(members), used == dimensions[d].size});
    members *= used;
    if (members > group.size()) return {};
  }
  if (members != group.size()) return {};
  box.rank_at.assign(group.size(), kNone);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    std::uint32_t position = 0;
    for (const BoxAxis& axis : box.axes)
      position += number[axis.dimension][dimensions.coordinate(group[rank], axis.dimension)] * axis.stride;
    if (box.rank_at[position] != kNone) return {};
    box.rank_at[position] = rank;
    box.position.push_back(position);
  }
  return box;
}

}  // namespace wafertlm
