// SPDX-License-Identifier: Apache-2.0
#include "models/npu/systolic_array.h"

#include <stdexcept>

#include "tlm/units.h"

namespace wafertlm {

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
  if (per_fold >> 63 != 0 || count >> 63 != 0 || per_fold * count >> 63 != 0)
    throw std::invalid_argument("a matrix product takes more cycles than 63 bits can count");
  return static_cast<std::uint64_t>(per_fold * count);
}

}  // namespace wafertlm
