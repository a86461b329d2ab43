// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "platform/commands/validate/validation_row.h"
#include "platform/spec/npu_spec.h"
#include "tlm/program/matrix_product.h"

namespace wafertlm::validate {

/// What a row says of a product of matrices.
struct GemmRow {
  MatrixProduct product;
  config::Precision precision = config::Precision::bf16;
  config::Scales scales = config::Scales::none;
  double rate = 1;                ///< of the preset's: passes of a multiplier (HiFi4 is 1, HiFi2 2)
  std::optional<unsigned> units;  ///< "8x8 cores"
  bool from_sram = false;         ///< operands and result stay on the chip
};

/// "m=n=k=8192", "m=4096 n=4096 k=8192", "1024^3", "4096x4096x8192" (m, n, k), "[1,4096]x[4096,8192]",
/// "8192"; with "batch=16" so many. nullopt: none of them.
std::optional<MatrixProduct> product_in(const std::string& size);
/// @throws CannotSay: it tells no product
GemmRow gemm_row(const ValidationRow& row);

/// A measurement's unit.
struct GemmUnit {
  enum class Kind { rate, time, part } kind;
  double base;  ///< operations per s, or s, or 1, of one of it
  bool per_chip = false;
};
/// "TFLOP/s per device", "PFLOPS", "us", "% of peak"; nullopt: none of a product's.
std::optional<GemmUnit> gemm_unit(const std::string& unit);

}  // namespace wafertlm::validate
