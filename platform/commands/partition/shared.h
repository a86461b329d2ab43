// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "platform/commands/partition/partitioners.h"

namespace wafertlm::partition {

// A value is sent once for all weights of a worker that need it: min error + λ · kept weights + μ · (value,
// worker) that are sent. The cost of an output then depends on the others', so what follows is a heuristic.

/// For these owners the best: a value is sent where the worker's weights w² > λ are together worth more than
/// μ; other weights that cross are dropped.
Pruned prune_shared(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                    const Prices& prices);
std::vector<Pruned> prune_shared(const Chain& chain, const Partition& partition, std::uint32_t workers,
                                 const Prices& prices);

/// Layer by layer: the outputs' owners and the values to send are chosen in turns until neither gets better,
/// from the assignment of layer_by_layer().
Partition shared_values(const Chain& chain, std::uint32_t workers, const Prices& prices);

}  // namespace wafertlm::partition
