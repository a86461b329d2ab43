// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/partitioners.h"

#include <random>
#include <utility>

#include "platform/commands/partition/assignment.h"

namespace wafertlm::partition {

Partition given_order(const Chain& chain, std::uint32_t workers) {
  Partition partition{in_blocks(chain.front().inputs, workers)};
  for (const Layer& layer : chain) partition.push_back(in_blocks(layer.outputs, workers));
  return partition;
}

Partition random_order(const Chain& chain, std::uint32_t workers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Partition partition = given_order(chain, workers);
  for (std::size_t row = 1; row < partition.size(); ++row)
    for (std::size_t i = partition[row].size(); i > 1; --i)
      std::swap(partition[row][i - 1], partition[row][random() % i]);
  return partition;
}

Partition layer_by_layer(const Chain& chain, std::uint32_t workers, const Prices& prices) {
  Partition partition{in_blocks(chain.front().inputs, workers)};
  for (const Layer& layer : chain)
    partition.push_back(least_cost_owners(output_costs(layer, partition.back(), workers, prices), workers));
  return partition;
}

std::vector<Pruned> prune(const Chain& chain, const Partition& partition, std::uint32_t workers,
                          const Prices& prices) {
  std::vector<Pruned> layers;
  for (std::size_t i = 0; i < chain.size(); ++i)
    layers.push_back(prune(chain[i], partition[i], partition[i + 1], workers, prices));
  return layers;
}

}  // namespace wafertlm::partition
