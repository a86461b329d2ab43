// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/collectives/algorithm/untimed.h"

namespace wafertlm {

/// A stretch of a rank's buffer after a collective, by the definition of its type.
struct ResultRange {
  BufferPiece range;
  std::uint64_t source_offset = 0;  ///< in the buffers before the collective
  bool sum = false;                 ///< over all ranks, else a copy
  std::uint32_t from = 0;           ///< the rank that is copied
};

/// What of a rank's buffer is given before the collective. All-to-all: its vector, and the own block in
/// place.
std::vector<BufferPiece> given_ranges(const CollectiveProgram& program, std::uint32_t rank);
/// What it must hold after.
std::vector<ResultRange> result_ranges(const CollectiveProgram& program, std::uint32_t rank);

/// Functional mode: what a rank's buffer holds before a collective. The values (of program.data_type) are a
/// hash of (collective, rank, element), so that a misplaced element shows; scratch is zero. BF16 values have
/// a magnitude from 0.5 to 2 and either sign.
/// @throws std::invalid_argument if the vector does not consist of whole values.
std::vector<std::byte> initial_values(const CollectiveProgram& program, std::uint64_t collective_id,
                                      std::uint32_t rank);

/// All ranks' initial values, for run_untimed.
UntimedStart untimed_start(const CollectiveProgram& program, std::uint64_t collective_id);

/// What every rank must hold after a collective. Where values are moved, and for sums of INT32, that is what
/// the definition of the collective says. A sum of BF16 values depends on its order: it must be, bit for bit,
/// what the program's own order gives (run_untimed), and that must be within (1 + u)^(p−1) − 1 times Σ|x| of
/// the real-number sum, u = 2⁻⁸ (1 + 2⁻¹⁵).
class ExpectedValues {
 public:
  /// Runs the program once if it adds BF16 values, for all ranks. `program` must stay.
  /// @throws std::logic_error as run_untimed
  ExpectedValues(const CollectiveProgram& program, std::uint64_t collective_id);

  /// The first difference in words; empty if all values are right. `elements`, if given, gets the positions
  /// of all of them.
  std::string wrong_value(std::uint32_t rank, const std::vector<std::byte>& buffer,
                          std::vector<std::uint64_t>* elements = nullptr) const;

 private:
  /// Of an element, over all ranks that give one; exact.
  struct Sum {
    std::uint32_t int32 = 0;
    double bf16 = 0, magnitudes = 0;
  };

  std::string difference(std::uint32_t rank, const ResultRange& result, std::uint64_t at,
                         std::uint32_t found) const;
  std::string wrong_sum(std::uint64_t element, std::uint32_t found) const;
  const Sum& sum_of(std::uint64_t element) const;

  const CollectiveProgram& program_;
  std::uint64_t id_;
  Buffers reference_;                                    // of sums of BF16
  mutable std::unordered_map<std::uint64_t, Sum> sums_;  // by element; made once for all ranks
};

/// ExpectedValues for a single rank. It costs a whole untimed run each time if the program adds BF16 values.
std::string wrong_value(const CollectiveProgram& program, std::uint64_t collective_id, std::uint32_t rank,
                        const std::vector<std::byte>& buffer, std::vector<std::uint64_t>* elements = nullptr);

}  // namespace wafertlm
