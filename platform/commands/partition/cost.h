// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "platform/commands/partition/chain.h"

namespace wafertlm::partition {

/// Of a weight that is kept: min ‖W − W'‖² + λ · nnz(W') + μ · nnz(W' across workers). A formulation of ours,
/// in the manner of RePurpose (arXiv 2008.08289), whose text has the norm, sparsity and cross-communication.
struct Prices {
  double lambda = 0, mu = 0;

  /// The least that a weight costs: it is dropped if its square is not above the price of keeping it.
  double of(double weight, bool crosses) const {
    const double square = weight * weight, price = kept(crosses);
    return square < price ? square : price;
  }
  bool keeps(double weight, bool crosses) const { return weight * weight > kept(crosses); }

 private:
  double kept(bool crosses) const { return crosses ? lambda + mu : lambda; }
};

/// What each output costs on each worker, output by output: c(i, p) = Σ_j min(w_ij², λ + μ·[owner(j) ≠ p]).
/// Weights decide one by one, so the cost of a layer is the sum over its outputs.
std::vector<double> output_costs(const Layer& layer, const Owners& inputs, std::uint32_t workers,
                                 const Prices& prices);

/// What becomes of a layer whose neurons have owners.
struct Pruned {
  double cost = 0;                       ///< error + λ · kept + μ · crossing
  double error = 0;                      ///< ‖W − W'‖²
  std::uint64_t kept = 0, crossing = 0;  ///< weights
  std::vector<std::uint64_t> kept_by;    ///< weights of each worker's outputs
  /// By [from · workers + to]: inputs of one worker that a kept weight of the other needs. A value is sent
  /// once, however many weights need it.
  std::vector<std::uint64_t> sent;
};

/// What remains if `keeps(output, input)` says which weights stay; its cost is left to the caller.
Pruned with_weights(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
                    const std::function<bool(std::size_t, std::size_t)>& keeps);

/// Every weight by Prices.
Pruned prune(const Layer& layer, const Owners& inputs, const Owners& outputs, std::uint32_t workers,
             const Prices& prices);

}  // namespace wafertlm::partition
