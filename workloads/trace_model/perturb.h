// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::trace_model {

/// A number of 64 bits that two keys give.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);
/// In [0, 1).
double uniform(std::uint64_t key);

/// Two changes, one after the other, each within this part, are together within `bound`.
double half_of(double bound);

/// Factors between 1 - most and 1 + most, none of which is nearer to 1 than a quarter of that, and with which
/// the sum of the weights stays about the same: signs are chosen from the largest weight on against what the
/// others add up to. What is left is at most what a quarter of the largest one makes.
std::vector<double> balanced_factors(const std::vector<double>& weights, double most, std::uint64_t seed);

/// value × factor, rounded to a multiple of `step`, but within `most` of the value, and another value if that
/// is possible within it.
std::uint64_t changed(std::uint64_t value, double factor, double most, std::uint64_t step = 1);

/// Dimensions by the cube root of the factor.
std::vector<MatrixProduct> changed(const std::vector<MatrixProduct>& products, double factor, double most);

}  // namespace wafertlm::trace_model
