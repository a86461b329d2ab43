// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate::steps {

enum class Precision : std::uint8_t { bf16, fp8, mxfp8, nvfp4 };

/// Published constants of a chip, and what a row's topology facts say in their place.
struct Chip {
  const char* name;
  const char* words;  ///< regular expression: what it is called
  bool is_tpu;
  double bf16, fp8;         ///< FLOP/s, dense
  double memory, capacity;  ///< B/s, B
  double scale_up;       ///< B/s of payload each way, per chip (NVLink: hardware.md; ICI: half of both ways)
  std::uint64_t domain;  ///< chips that it joins
  double scale_out;      ///< B/s each way, per chip
  /// Of the BF16 peak, what an attention's kernel sustains forward and backward, causal; 0: as products.
  double attention_forward, attention_backward;

  std::uint64_t devices = 1;      ///< a program's of a chip: each gathers parameters for itself
  std::uint64_t matrix_unit = 1;  ///< rows of a systolic array, which an attention's head fills or not

  double peak(Precision precision) const;
};
/// @throws CannotSay: no chip of the table.
Chip chip_of(const ValidationRow& row);

}  // namespace wafertlm::validate::steps
