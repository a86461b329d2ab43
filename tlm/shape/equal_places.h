// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A group of automorphisms of a fabric of dimensions under which the ranks of a collective take each
/// other's places: to each member belongs one that moves the group's first NPU to it, and what the member
/// does in the collective is what the first one does, with all peers moved. So while all enter at the same
/// time in the same state, one may stand for all.
class EqualPlaces {
 public:
  /// How a coordinate's number in the group is moved.
  enum class Move : std::uint8_t {
    add,           ///< modulo the size of the axis: rings, direct exchanges
    exclusive_or,  ///< halving and doubling
  };
  /// A dimension in which the group has more than one coordinate.
  struct Axis {
    std::size_t dimension = 0;
    std::uint32_t stride = 1, size = 1;  ///< of the dimension, in NPU numbers and coordinates
    Move move = Move::add;
    std::vector<std::uint32_t> coordinates = {};  ///< of the group, ascending
  };

  explicit EqualPlaces(std::vector<Axis> axes);

  /// The NPU that is to the group's first one what `npu` is to `origin`. All are members.
  NpuId seen_from(NpuId origin, NpuId npu) const;
  const std::vector<Axis>& axes() const { return axes_; }
  /// The same moves in the same dimensions, though perhaps of other coordinates.
  bool is_like(const EqualPlaces& other) const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::vector<std::uint32_t>> numbers_;  // [axis][coordinate]
};

/// What one place stands for is not the same at all of them after all: all have to be simulated.
class PlacesDiffer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace wafertlm
