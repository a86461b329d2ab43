// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// Cuts a vector into `count` blocks that differ by at most one element: the first ones are longer.
class Blocks {
 public:
  /// Elements of 4 or 2 bytes if the vector consists of them, else single bytes.
  Blocks(std::uint64_t bytes, std::uint64_t count)
      : element_(element_bytes(bytes)), elements_(bytes / element_), count_(count) {}

  static std::uint64_t element_bytes(std::uint64_t bytes) {
    return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  }

  std::uint64_t offset(std::uint64_t block) const {
    const std::uint64_t longer = elements_ % count_;
    return (elements_ / count_ * block + (block < longer ? block : longer)) * element_;
  }
  std::uint64_t bytes(std::uint64_t block) const { return offset(block + 1) - offset(block); }

 private:
  std::uint64_t element_, elements_, count_;
};

}  // namespace wafertlm
