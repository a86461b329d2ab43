// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm::partition {

/// The weights of a fully connected layer, row by row: outputs × inputs.
struct Layer {
  std::string name;
  std::size_t outputs = 0, inputs = 0;
  std::vector<double> weights;

  double weight(std::size_t output, std::size_t input) const { return weights[output * inputs + input]; }
};

/// Each layer's outputs are the next one's inputs.
using Chain = std::vector<Layer>;

/// The worker of every neuron of a row.
using Owners = std::vector<std::uint32_t>;

/// Worker p owns the p-th of `workers` parts of the neurons in their order, of equal size but for one.
Owners in_blocks(std::size_t neurons, std::uint32_t workers);

/// @throws std::invalid_argument naming the layer: there are none, numbers of weights that are not outputs ×
/// inputs, a layer that does not take as many inputs as the one before has outputs, values that are not
/// finite, no worker, fewer neurons than workers.
void require_valid(const Chain& chain, std::uint32_t workers);

}  // namespace wafertlm::partition
