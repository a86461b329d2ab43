// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/program/program.h"
#include "tlm/shape/dimensions.h"

namespace wafertlm {

/// A dimension in which a group has more than one coordinate.
struct BoxAxis {
  std::size_t dimension = 0;
  std::uint32_t size = 1;    ///< coordinates that the group has there
  std::uint32_t stride = 1;  ///< in positions
  bool full = true;          ///< all of the dimension's coordinates
};

/// A group whose members are all combinations of some coordinates in each dimension. A member's position
/// counts through these combinations, the first axis fastest.
struct GroupBox {
  std::vector<BoxAxis> axes;
  std::vector<std::uint32_t> rank_at;   ///< by position
  std::vector<std::uint32_t> position;  ///< by rank

  std::uint32_t coordinate(std::uint32_t position_of, std::size_t axis) const {
    return position_of / axes[axis].stride % axes[axis].size;
  }
};

/// None if the group is no such set, or the fabric has no dimensions.
std::optional<GroupBox> box_of(const Group& group, const Dimensions& dimensions);

}  // namespace wafertlm
