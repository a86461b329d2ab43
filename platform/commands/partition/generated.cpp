// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/generated.h"

#include <random>
#include <stdexcept>
#include <utility>

namespace wafertlm::partition {
namespace {

constexpr std::size_t kWidest = std::size_t{1} << 16;

double nearly_normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

}  // namespace

Chain generated(const Generated& wanted) {
  if (wanted.widths.size() < 2)
    throw std::invalid_argument("generated weights need two widths at least: inputs, and outputs of a layer");
  if (!(wanted.structure >= 0 && wanted.structure <= 1))
    throw std::invalid_argument("the structure of generated weights must be 0 to 1");
  for (const std::size_t width : wanted.widths)
    if (wanted.groups == 0 || width < wanted.groups || width > kWidest)
      throw std::invalid_argument("generated weights: a width of " + std::to_string(width) +
                                  " is below the number of groups (1 at least) or above 65536");
  std::mt19937_64 random(wanted.seed);
  Owners inputs = in_blocks(wanted.widths.front(), wanted.groups);
  Chain chain;
  for (std::size_t k = 1; k < wanted.widths.size(); ++k) {
    Owners outputs = in_blocks(wanted.widths[k], wanted.groups);
    for (std::size_t i = outputs.size(); i > 1; --i) std::swap(outputs[i - 1], outputs[random() % i]);
    Layer layer{"layer" + std::to_string(k), wanted.widths[k], wanted.widths[k - 1], {}};
    for (const std::uint32_t output : outputs)
      for (const std::uint32_t input : inputs)
        layer.weights.push_back((output == input ? 1 : 1 - wanted.structure) * nearly_normal(random));
    chain.push_back(std::move(layer));
    inputs = std::move(outputs);
  }
  return chain;
}

}  // namespace wafertlm::partition
