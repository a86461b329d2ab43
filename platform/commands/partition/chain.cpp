// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/chain.h"

#include <cmath>
#include <stdexcept>

namespace wafertlm::partition {
namespace {

std::string counted_neurons(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void require_finite(const Layer& layer) {
  for (std::size_t i = 0; i < layer.weights.size(); ++i)
    if (!std::isfinite(layer.weights[i]))
      throw std::invalid_argument("layer '" + layer.name + "': the weight of output " +
                                  std::to_string(i / layer.inputs) + " and input " +
                                  std::to_string(i % layer.inputs) + " is not a finite number");
}

}  // namespace

Owners in_blocks(std::size_t neurons, std::uint32_t workers) {
  Owners owners(neurons);
  for (std::size_t i = 0; i < neurons; ++i)
    owners[i] = static_cast<std::uint32_t>(((2 * i + 1) * workers) / (2 * neurons));
  return owners;
}

void require_valid(const Chain& chain, std::uint32_t workers) {
  if (chain.empty()) throw std::invalid_argument("there are no layers");
  if (workers == 0) throw std::invalid_argument("there must be a worker");
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Layer& layer = chain[i];
    const std::string name = "layer '" + layer.name + "'";
    if (layer.outputs == 0 || layer.inputs == 0 || layer.weights.size() != layer.outputs * layer.inputs)
      throw std::invalid_argument(name + ": needs outputs × inputs weights, and one at least");
    if (i > 0 && layer.inputs != chain[i - 1].outputs)
      throw std::invalid_argument(name + " has " + counted_neurons(layer.inputs, "input") + ", and layer '" +
                                  chain[i - 1].name + "' before it " +
                                  counted_neurons(chain[i - 1].outputs, "output"));
    for (const auto& [count, what] : {std::pair(layer.inputs, "input"), std::pair(layer.outputs, "output")})
      if (count < workers)
        throw std::invalid_argument(name + " has " + counted_neurons(count, what) + ", fewer than the " +
                                    std::to_string(workers) + " workers; take fewer workers");
    require_finite(layer);
  }
}

}  // namespace wafertlm::partition
