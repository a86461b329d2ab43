// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/partition/cost.h"
#include "platform/commands/partition/inputs.h"
#include "platform/run/simulated_job.h"
#include "workloads/chakra/node.h"

namespace wafertlm::partition {

/// Arithmetic operations of all workers: 2 per weight and sample forward; in training twice as many backward,
/// but of the first layer, whose inputs need no gradient, as many.
double operations_of(const PartitionSpec& spec, const std::vector<Pruned>& layers);

/// Bytes that cross between workers: each value once to each worker that needs it; in training the gradients
/// of these values back, but of the first layer's inputs.
std::uint64_t bytes_of(const PartitionSpec& spec, const std::vector<Pruned>& layers);

/// What each worker does. Layer by layer: values to the workers that need them, then the products of its
/// outputs; in training then the layers in reverse, each with its products and the sums of the gradients of
/// foreign values back to their owners.
std::vector<std::vector<chakra::Node>> nodes_of(const PartitionSpec& spec, const std::vector<Pruned>& layers);

/// On the platform of `spec`.
SimulatedJob simulate(const PartitionSpec& spec, const std::vector<Pruned>& layers);

}  // namespace wafertlm::partition
