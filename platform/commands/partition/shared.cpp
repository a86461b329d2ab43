// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/shared.h"

#include <numeric>
#include <utility>

#include "platform/commands/partition/assignment.h"

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
  for (double cost = prune_shared(layer, inputs, outputs, workers, prices).cost;;) {
    const Available available = worth_sending(layer, inputs, outputs, workers, prices);
    Owners next = least_cost_owners(costs_with(layer, available, workers, prices), workers);
    const double less = prune_shared(layer, inputs, next, workers, prices).cost;
    if (!(less < cost)) return outputs;
    cost = less;
    outputs = std::move(next);
  }
}

}  // namespace

Pruned prune_shared(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                    const Prices& prices) {
  const Available available = worth_sending(layer, inputs, outputs, workers, prices);
  Pruned pruned = with_weights(layer, inputs, outputs, workers, [&](std::size_t i, std::size_t j) {
    return available[j * workers + outputs[i]] && prices.keeps(layer.weight(i, j), false);
  });
  const auto sent = std::accumulate(pruned.sent.begin(), pruned.sent.end(), std::uint64_t{0});
  pruned.cost =
      pruned.error + prices.lambda * static_cast<double>(pruned.kept) + prices.mu * static_cast<double>(sent);
  return pruned;
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

std::vector<Pruned> prune_shared(const Chain& chain, const Partition& partition, std::uint32_t workers,
                                 const Prices& prices) {
  std::vector<Pruned> layers;
  for (std::size_t i = 0; i < chain.size(); ++i)
    layers.push_back(prune_shared(chain[i], partition[i], partition[i + 1], workers, prices));
  return layers;
}

}  // namespace wafertlm::partition
