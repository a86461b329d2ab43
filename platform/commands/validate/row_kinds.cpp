// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/row_kind.h"

namespace wafertlm::validate {

const std::vector<RowKind>& row_kinds() {
  static const std::vector<RowKind> kinds = {collective_rows(),    expert_rows(),        gemm_rows(),
                                             memory_rows(),        training_rows(),      wafer_decoder_rows(),
                                             wafer_product_rows(), wafer_training_rows()};
  return kinds;
}

const RowKind* kind_of(const ValidationRow& row) {
  for (const RowKind& kind : row_kinds())
    if (kind.takes(row)) return &kind;
  return nullptr;
}

}  // namespace wafertlm::validate
