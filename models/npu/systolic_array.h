// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// What stays in the processing elements.
enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

/// R × C processing elements that each do one multiply-add per cycle.
struct SystolicArray {
  std::uint64_t rows = 0, columns = 0;
  Dataflow dataflow = Dataflow::output_stationary;
};

/// Cycles of (m × k) · (k × n), one fold of the array after the other without overlap (Samajdar et al.,
/// SCALE-Sim, ISPASS 2020). The product maps to Sr × Sc × T: output stationary m, n, k; weight stationary k,
/// n, m; input stationary k, m, n. There are ⌈Sr/R⌉·⌈Sc/C⌉ folds, each of R + C + T − 2 cycles, or 2R + C + T
/// − 2 where the array is filled first.
/// @throws std::invalid_argument for an array or a product without elements, or a count beyond 63 bits.
std::uint64_t systolic_cycles(const SystolicArray& array, std::uint64_t m, std::uint64_t n, std::uint64_t k);

}  // namespace wafertlm
