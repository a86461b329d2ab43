// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "platform/commands/partition/chain.h"

namespace wafertlm::partition {

/// Weights that stand for trained ones.
struct Generated {
  std::vector<std::size_t> widths;  ///< inputs, and the outputs of each layer
  std::uint64_t seed = 1;
  /// Neurons have hidden groups of equal size, in random order but for the inputs; a weight between two
  /// groups is (1 − structure) times as large.
  std::uint32_t groups = 1;
  double structure = 0;
};

/// Sums of twelve uniform numbers less 6: nearly normal, of variance 1, and the same everywhere.
/// @throws std::invalid_argument: fewer than two widths, one below `groups` or above 2^16, a structure
/// outside 0 to 1.
Chain generated(const Generated& wanted);

}  // namespace wafertlm::partition
