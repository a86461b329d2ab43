// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm {

/// The number of a place in `all`: one of `free`, used again last in first out, or a new one, which is T().
template <typename T, typename Number>
Number take_number(std::vector<T>& all, std::vector<Number>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<Number>(all.size() - 1);
  }
  const Number number = free.back();
  free.pop_back();
  return number;
}

}  // namespace wafertlm
