// SPDX-License-Identifier: Apache-2.0
#include "models/npu/compute_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wafertlm {
namespace {

/// Of an amount below 2^64, so that the product fits.
Uint128 time_of(Uint128 amount, std::uint64_t per_s) {
  return amount == 0 ? Uint128{0} : (amount * kPsPerSecond + per_s - 1) / per_s;
}

/// A multiply-add is 2 operations.
Uint128 operations_of(const std::vector<MatrixProduct>& products) {
  Uint128 sum = 0;
  for (const MatrixProduct& product : products) {
    Uint128 operations = 2;
    for (const std::uint64_t factor : {product.m, product.n, product.k, product.count}) {
      operations *= factor;
      if (operations >> 63 != 0)
        throw std::invalid_argument("matrix products take more operations than 63 bits can count");
    }
    sum += operations;
  }
  return sum;
}

}  // namespace

std::uint64_t operand_bytes(const std::vector<MatrixProduct>& products, std::uint32_t bits_x4) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 40;  // products of two and their sums fit
  Uint128 sum = 0;
  for (const auto& [m, n, k, count] : products) {
    const Uint128 factors = Uint128{k} * m + Uint128{k} * n;
    if (std::max({m, n, k}) > kMax || (factors != 0 && count > (Uint128{1} << 63) / factors))
      sum = Uint128{1} << 63;
    else
      sum += (factors * count * bits_x4 + 31) / 32;
    if (sum >> 63 != 0)
      throw std::invalid_argument("matrix products have more bytes of operands than 63 bits can count");
  }
  return static_cast<std::uint64_t>(sum);
}

std::optional<Uint128> GivenDuration::time_ps(const ComputeWork& work) const {
  if (work.duration_ps == 0) return std::nullopt;
  return work.duration_ps;
}

TimePs ReplayedDuration::replayed_ps(TimePs duration_ps, TimePs shortest_ps) {
  constexpr TimePs kMicrosecond = 1'000'000;
  return std::max((duration_ps + kMicrosecond - 1) / kMicrosecond * kMicrosecond, shortest_ps);
}

std::optional<Uint128> Roofline::time_ps(const ComputeWork& work) const {
  const Uint128 operations = work.operations != 0 ? work.operations : operations_of(work.products);
  if (operations == 0 && work.bytes == 0) return std::nullopt;
  if (operations != 0 && operations_per_s_ == 0)
    throw std::invalid_argument("no compute rate is known for the precision that is used: set npu.compute");
  const Uint128 time =
      std::max(time_of(operations, operations_per_s_), time_of(work.bytes, memory_bytes_per_s_));
  return time_step_ps_ == 0 ? time : time - time % time_step_ps_;
}

std::optional<Uint128> Systolic::time_ps(const ComputeWork& work) const {
  if (work.products.empty()) return std::nullopt;
  Uint128 cycles = 0;
  for (const MatrixProduct& product : work.products) {
    cycles += Uint128{systolic_cycles(array_, product.m, product.n, product.k)} * product.count;
    if (cycles >> 63 != 0)
      throw std::invalid_argument("matrix products take more cycles than 63 bits can count");
  }
  return std::max(time_of(cycles, clock_hz_), time_of(work.bytes, memory_bytes_per_s_));
}

Tiled::Tiled(const ComputeParams& params) : units_(*params.tiled) {
  rates_.operations_per_s = static_cast<double>(params.operations_per_s);
  rates_.memory_bytes_per_s =
      static_cast<double>(params.memory_bytes_per_s) * params.tiled->memory_percent / 100;
  rates_.factor_bytes = params.factor_bits_x4 / 32.0;
  rates_.result_bytes = params.result_bits / 8.0;
}

std::optional<Uint128> Tiled::time_ps(const ComputeWork& work) const {
  if (work.products.empty()) return std::nullopt;
  double seconds = 0;
  for (const MatrixProduct& product : work.products)
    if (product.count != 0) seconds += tiled_time(units_, rates_, product).time_s;
  seconds = std::max(seconds, static_cast<double>(work.bytes) / rates_.memory_bytes_per_s);
  constexpr double kMost = 0x1p63;  // what is longer is refused later
  return static_cast<Uint128>(std::min(std::ceil(seconds * 1e12), kMost));
}

std::uint64_t systolic_cycles(const SystolicArray& array, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  if (array.rows == 0 || array.columns == 0)
    throw std::invalid_argument("a systolic array needs at least one row and one column");
  if (m == 0 || n == 0 || k == 0) throw std::invalid_argument("a matrix product with a dimension of 0");
  const bool fills = array.dataflow != Dataflow::output_stationary;
  const std::uint64_t across = array.dataflow == Dataflow::input_stationary ? m : n;
  const std::uint64_t down = fills ? k : m;
  const std::uint64_t steps = array.dataflow == Dataflow::output_stationary   ? k
                              : array.dataflow == Dataflow::weight_stationary ? m
                                                                              : n;
  const auto folds = [](std::uint64_t size, std::uint64_t of) { return (size + of - 1) / of; };
  const Uint128 per_fold = Uint128{array.rows} * (fills ? 2 : 1) + array.columns + steps - 2;
  const Uint128 count = Uint128{folds(down, array.rows)} * folds(across, array.columns);
  if (count >> 63 != 0 || per_fold * count >> 63 != 0)  // a fold is below 2^65: the product fits
    throw std::invalid_argument("a matrix product takes more cycles than 63 bits can count");
  return static_cast<std::uint64_t>(per_fold * count);
}

}  // namespace wafertlm
