// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// Successive accesses of a pseudo-channel in one row of the banks number `bank` of `groups` (a power of two)
/// bank groups, which take turns: access k is in group base_group ^ ((first + k) mod groups).
struct RowVisit {
  bool write = false;
  std::uint8_t groups = 1, base_group = 0, first = 0;
  std::uint8_t bank = 0;  ///< within its group
  std::uint32_t row = 0;
  std::uint32_t accesses = 1;

  std::uint32_t touched() const { return accesses < groups ? accesses : groups; }
  bool operator==(const RowVisit& other) const {
    return row == other.row && accesses == other.accesses && bank == other.bank &&
           base_group == other.base_group && first == other.first && groups == other.groups &&
           write == other.write;
  }
  std::uint32_t group(std::uint32_t k) const { return base_group ^ ((first + k) & (groups - 1U)); }
};

}  // namespace wafertlm
