// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate {

/// What is measured: a collective, a product of matrices, a training step. A row goes to the first kind that
/// takes it.
struct RowKind {
  const char* name;
  bool (*takes)(const ValidationRow& row);
  /// The group whose statistics it counts in.
  std::string (*group)(const ValidationRow& row);
  /// @throws bad_row(): the unit is none of the operation's, the size is none.
  void (*check)(const ValidationRow& row);
  /// In a process of its own, so that it may simulate once; more by run_in_child(). @throws CannotSay.
  Answer (*answer)(const ValidationRow& row);
};

/// The table: a kind is a folder, and a row here.
const std::vector<RowKind>& row_kinds();
/// Null: none takes it.
const RowKind* kind_of(const ValidationRow& row);

RowKind collective_rows();
RowKind expert_rows();
RowKind gemm_rows();
RowKind memory_rows();
RowKind training_rows();
RowKind wafer_decoder_rows();
RowKind wafer_product_rows();
RowKind wafer_training_rows();

}  // namespace wafertlm::validate
