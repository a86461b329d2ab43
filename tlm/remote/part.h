// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace wafertlm {

/// The part of a simulation that one of several processes has: whole wafers.
struct Part {
  std::uint32_t process = 0;
  std::vector<std::uint32_t> process_of;  ///< by wafer

  bool has(std::uint32_t wafer) const { return process_of[wafer] == process; }
  bool has_any() const {
    return std::find(process_of.begin(), process_of.end(), process) != process_of.end();
  }
};

}  // namespace wafertlm
