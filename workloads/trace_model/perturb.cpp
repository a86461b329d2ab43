// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/perturb.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tlm/kernel/splitmix64.h"

namespace wafertlm::trace_model {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return splitmix64::mixed(splitmix64::mixed(a) ^ b); }

double uniform(std::uint64_t key) { return splitmix64::unit(splitmix64::mixed(key)); }

double half_of(double bound) { return std::sqrt(1 + bound) - 1; }

std::vector<double> balanced_factors(const std::vector<double>& weights, double most, std::uint64_t seed) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<double> part(weights.size());
  double sum = 0;
  for (const std::size_t i : order) {
    const double size = most * (0.5 + 0.5 * uniform(mixed(seed, 2 * i)));
    const bool is_up = sum == 0 ? uniform(mixed(seed, 2 * i + 1)) < 0.5 : sum < 0;
    part[i] = is_up ? size : -size;
    sum += part[i] * weights[i];
  }
  for (const std::size_t i : order) {  // what is left is taken from those that made it
    if (weights[i] == 0 || (part[i] > 0) != (sum > 0)) continue;
    const double target = std::abs(part[i]) - std::abs(sum) / weights[i];
    const double now = std::copysign(std::max(target, most / 4), part[i]);
    sum += (now - part[i]) * weights[i];
    part[i] = now;
  }
  for (double& each : part) each += 1;
  return part;
}

std::uint64_t changed(std::uint64_t value, double factor, double most, std::uint64_t step) {
  if (value == 0 || most <= 0) return value;
  const double exact = static_cast<double>(value), grid = static_cast<double>(step);
  const double low = std::max(1.0, std::ceil(exact * (1 - most) / grid)) * grid;
  const double high = std::floor(exact * (1 + most) / grid) * grid;
  if (low > high) return value;
  double result = std::clamp(std::round(exact * factor / grid) * grid, low, high);
  if (result == exact) {
    if (factor >= 1 ? result + grid <= high : result - grid < low)
      result += result + grid <= high ? grid : 0;
    else
      result -= result - grid >= low ? grid : 0;
  }
  return static_cast<std::uint64_t>(result);
}

std::vector<MatrixProduct> changed(const std::vector<MatrixProduct>& products, double factor, double most) {
  std::vector<MatrixProduct> result = products;
  const double of_each = std::cbrt(factor), most_of_each = std::cbrt(1 + most) - 1;
  for (MatrixProduct& product : result)
    for (std::uint64_t* dimension : {&product.m, &product.n, &product.k})
      *dimension = changed(*dimension, of_each, most_of_each);
  return result;
}

}  // namespace wafertlm::trace_model
