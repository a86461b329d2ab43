// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/algorithm/tree.h"

namespace wafertlm {

/// Trees that span all ranks. In a period one chunk of each goes over each of its links, of which a fast one
/// has room for more.
struct TreePacking {
  std::vector<Tree> trees;
  std::vector<std::uint32_t> slots;   ///< by link of the graph: chunks of a period; no link is in more trees
  std::uint32_t trees_per_block = 0;  ///< of those with one root, which are next to each other; 0: all
                                      ///< trees share the vector
};

}  // namespace wafertlm
