// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/libra/text_workload.h"

namespace wafertlm::astra_text {

/// Which ranks a pass' collectives go over, where groups may be a part of a dimension. Ranks count through
/// the dimensions, the first one fastest. In a dimension a group of k has neighbours; where the forward pass'
/// groups of m and the weight gradient's of k share it (m·k divides its size), those of the weight gradient
/// have every m-th NPU: so none of them has two NPUs of one forward group.
class PassGroups {
 public:
  /// @param group_sizes by pass and dimension, each divides its dimension's size; -1 or 1: no part
  PassGroups(const std::array<std::vector<int>, kPasses>& group_sizes, std::vector<std::uint32_t> sizes);

  /// In ascending order; the rank alone: the pass has no group.
  std::vector<std::uint32_t> members(std::size_t pass, std::uint32_t rank) const;
  /// The same for all members, by the sizes and the first of them; empty: no group.
  std::string name(std::size_t pass, std::uint32_t rank) const;

 private:
  struct Part {
    std::uint32_t size = 1, stride = 1;  ///< NPUs of a dimension, and how far apart
  };
  std::vector<std::uint32_t> sizes_;
  std::array<std::vector<Part>, kPasses> parts_;
};

}  // namespace wafertlm::astra_text
