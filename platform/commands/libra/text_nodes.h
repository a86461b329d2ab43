// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "platform/commands/libra/pass_groups.h"
#include "platform/commands/libra/text_workload.h"

namespace wafertlm::astra_text {

/// The iteration of every rank, in the training loop no_overlap: forward in the order of the layers, then
/// backward in reverse, per layer the input gradient and the weight gradient; each computation and collective
/// waits for the one before. Collectives name the dimensions that take part (involved_dim), class mp in
/// forward and input gradient, dp in weight gradient. A collective whose pass has no group is left out.
/// @param group_sizes by pass and dimension; -1: no part
/// @param sizes NPUs by dimension
/// @throws chakra::TraceError: a group is a part of a dimension, which involved_dim cannot say.
std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload,
                                           const std::array<std::vector<int>, kPasses>& group_sizes,
                                           const std::vector<std::uint32_t>& sizes);
/// The same of one rank, whose collectives name their group (pg_name): these may be parts of a dimension.
std::vector<chakra::Node> no_overlap_nodes(const TextWorkload& workload, const PassGroups& groups,
                                           std::uint32_t rank);

}  // namespace wafertlm::astra_text
