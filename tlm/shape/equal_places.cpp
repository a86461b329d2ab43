// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/equal_places.h"

#include <utility>

namespace wafertlm {

EqualPlaces::EqualPlaces(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) {
    std::vector<std::uint32_t>& numbers = numbers_.emplace_back(axis.size, 0);
    for (std::uint32_t n = 0; n < axis.coordinates.size(); ++n) numbers[axis.coordinates[n]] = n;
  }
}

NpuId EqualPlaces::seen_from(NpuId origin, NpuId npu) const {
  const auto from = static_cast<std::uint32_t>(origin);
  auto moved = static_cast<std::uint32_t>(npu);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const std::uint32_t coordinate = static_cast<std::uint32_t>(npu) / axis.stride % axis.size;
    const std::uint32_t number = numbers_[a][coordinate],
                        behind = numbers_[a][from / axis.stride % axis.size];
    const auto count = static_cast<std::uint32_t>(axis.coordinates.size());
    const std::uint32_t there =
        axis.coordinates[axis.move == Move::add ? (number + count - behind) % count : number ^ behind];
    moved = moved - coordinate * axis.stride + there * axis.stride;
  }
  return static_cast<NpuId>(moved);
}

bool EqualPlaces::is_like(const EqualPlaces& other) const {
  if (axes_.size() != other.axes_.size()) return false;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis &mine = axes_[a], &theirs = other.axes_[a];
    if (mine.dimension != theirs.dimension || mine.move != theirs.move ||
        mine.coordinates.size() != theirs.coordinates.size())
      return false;
  }
  return true;
}

}  // namespace wafertlm
