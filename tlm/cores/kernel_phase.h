// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tlm/cores/core_program.h"

namespace wafertlm::cores {

/// Steps of compute-shift: every core computes with the tiles that it has and passes them on, in a ring along
/// its row and one along its column; a step ends when it has computed and the next tiles are there.
struct ShiftSteps {
  std::uint32_t steps = 0;
  Cycle compute = 0;  ///< of a step
  std::uint32_t row_wavelets = 0, column_wavelets = 0;
};

/// What all cores of a rectangle do next, in a kernel's program.
struct KernelPhase {
  enum class Kind : std::uint8_t {
    compute,        ///< each by itself
    along_rows,     ///< each row runs `line`
    along_columns,  ///< each column does
    shift,          ///< `shift`
  };
  std::string name;
  Kind kind = Kind::compute;
  Cycle compute = 0;
  std::shared_ptr<const CoreProgram> line;
  ShiftSteps shift;
  /// No such phase takes less: operations over lanes, wavelets over the links and ports that they cross.
  Cycle least = 0;
};

/// A kernel's phases, and the bytes that a core holds meanwhile.
struct Kernel {
  std::vector<KernelPhase> phases;
  std::uint64_t core_bytes = 0;
  double multiply_adds = 0;  ///< of all cores
};

}  // namespace wafertlm::cores
