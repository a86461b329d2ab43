// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/row_kind.h"

namespace wafertlm::validate {

RowKind gemm_rows() {
  return {"gemm", [](const ValidationRow&) { return false; },
          [](const ValidationRow&) { return std::string("gemm"); }, [](const ValidationRow&) {},
          [](const ValidationRow&) -> Answer { throw CannotSay("not built"); }};
}

}  // namespace wafertlm::validate
