// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// `count` products (m × k) · (k × n) of the same size, one after the other.
struct MatrixProduct {
  std::uint64_t m = 0, n = 0, k = 0, count = 1;

  bool operator==(const MatrixProduct& other) const {
    return m == other.m && n == other.n && k == other.k && count == other.count;
  }
  bool operator!=(const MatrixProduct& other) const { return !(*this == other); }
};

}  // namespace wafertlm
