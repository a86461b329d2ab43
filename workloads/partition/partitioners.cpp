// SPDX-License-Identifier: Apache-2.0
#include "workloads/partition/partitioners.h"

#include <random>
#include <utility>

#include "workloads/partition/assignment.h"

namespace wafertlm::partition {
namespace {

/// Which values are sent to which workers, [input · workers + worker]; its owner has it anyway.
using Available = std::vector<bool>;

/// Those that are worth μ to the outputs of a worker.
Available worth_sending(const Layer& layer, const Owners& inputs, const Owners& outputs,
                        std::uint32_t workers, const Prices& prices) {
  std::vector<double> gain(layer.inputs * workers, -prices.mu);
  for (std::size_t i = 0; i < layer.outputs; ++i)
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      const double weight = layer.weight(i, j);
      gain[j * workers + outputs[i]] += weight * weight - prices.of(weight, false);
    }
  Available available(gain.size());
  for (std::size_t i = 0; i < gain.size(); ++i) available[i] = gain[i] > 0;
  for (std::size_t j = 0; j < layer.inputs; ++j) available[j * workers + inputs[j]] = true;
  return available;
}

/// What outputs cost when a worker can use only what is available to it.
std::vector<double> costs_with(const Layer& layer, const Available& available, std::uint32_t workers,
                               const Prices& prices) {
  std::vector<double> costs(layer.outputs * workers);
  for (std::size_t i = 0; i < layer.outputs; ++i)
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      const double weight = layer.weight(i, j), square = weight * weight, own = prices.of(weight, false);
      for (std::uint32_t p = 0; p < workers; ++p)
        costs[i * workers + p] += available[j * workers + p] ? own : square;
    }
  return costs;
}

/// Turns of owners and values, from `outputs` on.
Owners in_turns(const Layer& layer, const Owners& inputs, Owners outputs, std::uint32_t workers,
                const Prices& prices) {
  for (double cost = shared_cost(layer, inputs, outputs, workers, prices);;) {
    const Available available = worth_sending(layer, inputs, outputs, workers, prices);
    Owners next = least_cost_owners(costs_with(layer, available, workers, prices), workers);
    const double less = shared_cost(layer, inputs, next, workers, prices);
    if (!(less < cost)) return outputs;
    cost = less;
    outputs = std::move(next);
  }
}

}  // namespace

double shared_cost(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                   const Prices& prices) {
  const Available available = worth_sending(layer, inputs, outputs, workers, prices);
  double cost = 0;
  for (std::size_t i = 0; i < layer.outputs; ++i)
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      const double weight = layer.weight(i, j);
      cost += available[j * workers + outputs[i]] ? prices.of(weight, false) : weight * weight;
    }
  for (std::size_t j = 0; j < layer.inputs; ++j)
    for (std::uint32_t p = 0; p < workers; ++p)
      if (available[j * workers + p] && inputs[j] != p) cost += prices.mu;
  return cost;
}

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

Partition shared_values(const Chain& chain, std::uint32_t workers, const Prices& prices) {
  Partition partition{in_blocks(chain.front().inputs, workers)};
  for (const Layer& layer : chain) {
    const Owners& inputs = partition.back();
    Owners first = least_cost_owners(output_costs(layer, inputs, workers, prices), workers);
    partition.push_back(in_turns(layer, inputs, std::move(first), workers, prices));
  }
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
