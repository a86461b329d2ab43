// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/layer.h"

#include <fmt/core.h>

#include <stdexcept>

#include "tlm/kernel/units.h"

namespace wafertlm::model {
namespace {

template <typename Count>
std::uint64_t sum(const Model& model, const char* what, const Count& count) {
  Uint128 total = 0;
  for_each_layer(model, [&](const Layer& layer, bool of_a_block) { total += count(layer, of_a_block); });
  if (total >> 63 != 0)
    throw std::invalid_argument("the model " + model.name + " has more " + what + " than 63 bits can count");
  return static_cast<std::uint64_t>(total);
}

/// Each product with weights, and each of two activations, so many times.
std::uint64_t operations(const Layer& layer, std::uint64_t of_weights, std::uint64_t of_activations) {
  std::uint64_t total = 0;
  for (const Gemm& gemm : layer.gemms)
    total += (gemm.operand == Gemm::Operand::weights ? of_weights : of_activations) * gemm.operations();
  return total;
}

/// Of the forward pass, once more before the backward pass.
std::uint64_t recomputed_operations(const Layer& layer, Recompute recompute) {
  if (recompute == Recompute::none) return 0;
  return operations(layer, recompute == Recompute::full ? 1 : 0, 1);
}

}  // namespace

std::uint64_t parameters(const Model& model) {
  return sum(model, "parameters", [](const Layer& layer, bool) { return layer.parameters(); });
}

std::uint64_t forward_operations(const Model& model) {
  return sum(model, "operations", [](const Layer& layer, bool) { return forward_operations(layer); });
}

std::uint64_t forward_operations(const Layer& layer) { return operations(layer, 1, 1); }

std::uint64_t input_gradient_operations(const Layer& layer) {
  return operations(layer, layer.needs_input_gradient ? 1 : 0, 2);
}

std::uint64_t weight_gradient_operations(const Layer& layer) { return operations(layer, 1, 0); }

std::uint64_t step_operations(const Model& model, Recompute recompute) {
  return sum(model, "operations", [recompute](const Layer& layer, bool of_a_block) {
    return forward_operations(layer) + input_gradient_operations(layer) + weight_gradient_operations(layer) +
           (of_a_block ? recomputed_operations(layer, recompute) : 0);
  });
}

std::string nearest_divisors(std::uint64_t number, std::uint64_t wanted) {
  std::uint64_t below = 0, above = 0;
  const auto take = [&](std::uint64_t divisor) {
    if (divisor <= wanted && divisor > below) below = divisor;
    if (divisor >= wanted && (above == 0 || divisor < above)) above = divisor;
  };
  for (std::uint64_t low = 1; low <= number / low; ++low) {
    if (number % low != 0) continue;
    take(low);
    take(number / low);
  }
  if (above == 0 || below == above) return std::to_string(below);
  return below == 0 ? std::to_string(above) : fmt::format("{} or {}", below, above);
}

}  // namespace wafertlm::model
