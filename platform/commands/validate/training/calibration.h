// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/validate/training/setup.h"

namespace wafertlm::validate::steps {

/// The part of the peak that products of matrices get.
struct Calibration {
  double sustained = 0;
  std::string row;         ///< id of the open row
  std::string other = "";  ///< not of this machine, framework and precision: whose
};

/// With which the row comes out as measured. @throws CannotSay: with no part it does.
double sustained_by(const ValidationRow& row, const JobSetup& setup);

/// By the row of configs/validation/training.yaml that calibrates this machine, framework and precision; if
/// there is none, by the nearest: of the machine, then of the framework, then of the precision.
/// @throws CannotSay, std::invalid_argument: the file.
Calibration calibration_of(const JobSetup& setup);

}  // namespace wafertlm::validate::steps
