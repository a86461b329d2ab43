// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/validate/validation_row.h"
#include "platform/spec/npu_spec.h"

namespace wafertlm::validate {

/// A machine that rows are about.
struct Accelerator {
  const char* pattern;            ///< of what a row calls it
  const char* preset;             ///< configs/accelerators/
  unsigned pcie;                  ///< generation of its 16 lanes to the host; 0: none
  unsigned devices_per_chip = 1;  ///< the preset is one of them
};

/// Null: none that is known.
const Accelerator* accelerator_of(const ValidationRow& row);
/// @throws CannotSay: none that is known
const Accelerator& known_accelerator(const ValidationRow& row);

/// The preset. @throws std::invalid_argument: no presets are installed
config::NpuSpec npu_of(const Accelerator& accelerator);

}  // namespace wafertlm::validate
