// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// The sequence as steps: what follows itself directly, three times or (from four tokens on) twice, becomes a
/// loop, the shortest periods first, then loops of loops. Their leaves have the numbers 0, 1, 2 … in order as slots. Time: length × the longest period
/// that is looked for, which is 4096, less beyond 50,000 tokens.
std::vector<Step> fold(const std::vector<std::uint32_t>& tokens);

/// Finds the loops over layers: those whose number of repetitions, of all loops without loops in them, covers
/// most nodes. A repetition beside the loop that has the same kinds of nodes but other dependencies (the
/// first layer, the last) counts. Marks them and returns {layers, nodes of the longest layer}; {0, 0}: there
/// is no loop.
struct Layers {
  std::uint32_t count = 0, nodes = 0;
};
Layers mark_layers(std::vector<Behaviour>& behaviours);

}  // namespace wafertlm::trace_model
