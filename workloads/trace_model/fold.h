// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// The sequence as steps: what follows itself directly, three times or (from four tokens on) twice, becomes a
/// loop, the shortest periods first, then loops of loops. Their leaves have the numbers 0, 1, 2 … in order as
/// slots. Time: length × the longest period that is looked for, which is 4096, less beyond 50,000 tokens.
std::vector<Step> fold(const std::vector<std::uint32_t>& tokens);

/// Finds the loops over layers: of the numbers of repetitions that cover at least 60 % of what the most
/// covering one does the one with the shortest pattern, which is within the others (microbatches). A
/// repetition beside the loop, of the same kinds of nodes but with other dependencies (the first layer, the
/// last), counts. Marks all loops with this number, multiples of it (microbatches that follow each other),
/// and from 8 layers on numbers next to these. Loops with messages in them are over microbatches. Returns the
/// layers and the nodes of the longest pattern; {0, 0}: there is no loop.
struct Layers {
  std::uint32_t count = 0, nodes = 0;
};
Layers mark_layers(std::vector<Behaviour>& behaviours, const std::vector<Kind>& kinds);

}  // namespace wafertlm::trace_model
