// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "platform/commands/partition/cost.h"

namespace wafertlm::partition {

/// Who owns what: the inputs of the first layer, then the outputs of each layer.
using Partition = std::vector<Owners>;

// Each requires a valid chain (require_valid). The owners of the inputs are in_blocks(), and every worker has
// as many outputs of a layer as any other, or one more.

/// in_blocks() for all.
Partition given_order(const Chain& chain, std::uint32_t workers);
/// By `seed` only.
Partition random_order(const Chain& chain, std::uint32_t workers, std::uint64_t seed);
/// Layer by layer the owners of the outputs with the least cost for the owners of the inputs that are known:
/// each layer's optimum, not the chain's.
Partition layer_by_layer(const Chain& chain, std::uint32_t workers, const Prices& prices);
/// Graph partitioning (METIS, k-way): neurons are vertices; a weight is an edge whose price is what it costs
/// more if it crosses; all rows of neurons balanced. Parts become workers by the inputs that they share;
/// rows that are not balanced or, of the inputs, not in_blocks() are corrected with the fewest moves.
Partition graph_partitioning(const Chain& chain, std::uint32_t workers, const Prices& prices);

/// Each layer pruned.
std::vector<Pruned> prune(const Chain& chain, const Partition& partition, std::uint32_t workers,
                          const Prices& prices);

}  // namespace wafertlm::partition
