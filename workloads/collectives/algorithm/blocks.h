// SPDX-License-Identifier: Apache-2.0
#pragma once
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
  std::uint64_t bytes(std::uint64_t block) const { return (each_ + (block < longer_ ? 1 : 0)) * element_; }

 private:
  std::uint64_t element_;
  std::uint64_t each_, longer_;  // elements of a block; so many blocks have one more
};

}  // namespace wafertlm
