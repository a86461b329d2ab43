// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/untimed.h"

namespace wafertlm {

/// A stretch of a rank's buffer after a collective, by the definition of its type.
struct ResultRange {
  ByteRange range;
  std::uint64_t source_offset = 0;  ///< in the buffers before the collective
  bool sum = false;                 ///< over all ranks, else a copy
  std::uint32_t from = 0;           ///< the rank that is copied
};

/// What of a rank's buffer is given before the collective. All-to-all: its vector, and the own block in place.
std::vector<ByteRange> given_ranges(const CollectiveProgram& program, std::uint32_t rank);
/// What it must hold after.
std::vector<ResultRange> result_ranges(const CollectiveProgram& program, std::uint32_t rank);

}  // namespace wafertlm
