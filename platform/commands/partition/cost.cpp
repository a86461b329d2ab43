// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/cost.h"

namespace wafertlm::partition {

std::vector<double> output_costs(const Layer& layer, const Owners& inputs, std::uint32_t workers,
                                 const Prices& prices) {
  std::vector<double> costs(layer.outputs * workers);
  std::vector<double> own(workers), foreign(workers);  // of the inputs of each worker
  for (std::size_t i = 0; i < layer.outputs; ++i) {
    own.assign(workers, 0);
    foreign.assign(workers, 0);
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      own[inputs[j]] += prices.of(layer.weight(i, j), false);
      foreign[inputs[j]] += prices.of(layer.weight(i, j), true);
    }
    for (std::uint32_t p = 0; p < workers; ++p)
      for (std::uint32_t q = 0; q < workers; ++q) costs[i * workers + p] += q == p ? own[q] : foreign[q];
  }
  return costs;
}

Pruned with_weights(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                    const std::function<bool(std::size_t, std::size_t)>& keeps) {
  Pruned pruned;
  pruned.kept_by.assign(workers, 0);
  pruned.sent.assign(std::size_t{workers} * workers, 0);
  std::vector<bool> needs(layer.inputs * workers);  // does this worker need that input of another
  for (std::size_t i = 0; i < layer.outputs; ++i)
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      if (!keeps(i, j)) {
        pruned.error += layer.weight(i, j) * layer.weight(i, j);
        continue;
      }
      ++pruned.kept;
      ++pruned.kept_by[outputs[i]];
      if (inputs[j] == outputs[i]) continue;
      ++pruned.crossing;
      if (needs[j * workers + outputs[i]]) continue;
      needs[j * workers + outputs[i]] = true;
      ++pruned.sent[std::size_t{inputs[j]} * workers + outputs[i]];
    }
  return pruned;
}

Pruned prune(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
             const Prices& prices) {
  Pruned pruned = with_weights(layer, inputs, outputs, workers, [&](std::size_t i, std::size_t j) {
    return prices.keeps(layer.weight(i, j), inputs[j] != outputs[i]);
  });
  pruned.cost = pruned.error + prices.lambda * static_cast<double>(pruned.kept) +
                prices.mu * static_cast<double>(pruned.crossing);
  return pruned;
}

}  // namespace wafertlm::partition
