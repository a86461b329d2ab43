// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace wafertlm {

/// The number of a place in `all`: one of `free`, used again last in first out, or a new one.
template <typename Places, typename Number>
Number take_number(Places& all, std::vector<Number>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<Number>(all.size() - 1);
  }
  const Number number = free.back();
  free.pop_back();
  return number;
}

}  // namespace wafertlm
