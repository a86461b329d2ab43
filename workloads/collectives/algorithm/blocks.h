// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace wafertlm {

/// Cuts a vector into `count` blocks that differ by at most one element: the first ones are longer.
class Blocks {
 public:
  /// Elements of 4 or 2 bytes if the vector consists of them, else single bytes.
  Blocks(std::uint64_t bytes, std::uint64_t count)
      : element_(element_bytes(bytes)),
        each_(bytes / element_ / count),
        longer_(bytes / element_ - each_ * count) {}

  static std::uint64_t element_bytes(std::uint64_t bytes) {
    return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  }

  std::uint64_t offset(std::uint64_t block) const {
    return (each_ * block + (block < longer_ ? block : longer_)) * element_;
  }
  /// So many of the first ones have an element more than the others.
  std::uint64_t longer() const { return longer_; }
  std::uint64_t bytes(std::uint64_t block) const { return (each_ + (block < longer_ ? 1 : 0)) * element_; }
  /// Of the blocks first, first + stride … first + (count - 1) * stride.
  std::uint64_t bytes(std::uint64_t first, std::uint64_t stride, std::uint64_t count) const {
    return (each_ * count + below(longer_, first, stride, count)) * element_;
  }
  /// How many of these numbers are below `end`.
  static std::uint64_t below(std::uint64_t end, std::uint64_t first, std::uint64_t stride,
                             std::uint64_t count) {
    return first >= end ? 0 : std::min(count, (end - first - 1) / stride + 1);
  }

 private:
  std::uint64_t element_;
  std::uint64_t each_, longer_;  // elements of a block; so many blocks have one more
};

}  // namespace wafertlm
