// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/study/cell_runner.h"
#include "platform/commands/study/grid/grid.h"

namespace wafertlm {

/// What was found.
struct Calibrated {
  const config::CalibrationSpec* spec = nullptr;
  std::string value;  ///< with its unit: "10.07 PFLOPS"
  double column = 0;  ///< what the column is with it
  std::uint32_t steps = 0;
  std::string error;  ///< why there is none; then value is empty
};

/// Finds the value of every calibration by bisection (of the logarithm, if both ends are positive), all of
/// them side by side: the key's bracket and the column must both come as near as the calibration says.
std::vector<Calibrated> calibrate(const config::StudySpec& study, const std::vector<Cell>& cells,
                                  CellRunner& runner);

/// Puts the values that were found into the cells that they are for. @return by cell: why it cannot run.
std::vector<std::string> apply(const config::StudySpec& study, const std::vector<Calibrated>& found,
                               std::vector<Cell>& cells);

}  // namespace wafertlm
