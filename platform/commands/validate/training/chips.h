// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate::steps {

enum class Precision : std::uint8_t { bf16, fp8, mxfp8, nvfp4 };

/// A chip by its presets (MeasuredSystem), and what a row's topology facts say in their place.
struct Chip {
  std::string name;
  bool is_tpu = false;
  double bf16 = 0, fp8 = 0;         ///< FLOP/s, dense
  double memory = 0, capacity = 0;  ///< B/s, B
  double scale_up = 0;              ///< B/s of payload each way, per chip
  std::uint64_t domain = 0;         ///< chips that it joins
  double scale_out = 0;             ///< B/s each way, per chip
  double attention_forward = 0, attention_backward = 0;
  std::uint64_t devices = 1;      ///< a program's of a chip: each gathers parameters for itself
  std::uint64_t matrix_unit = 1;  ///< rows of a systolic array

  double peak(Precision precision) const;
};
/// @throws CannotSay: no system of the table, or none with a server.
Chip chip_of(const ValidationRow& row);

}  // namespace wafertlm::validate::steps
