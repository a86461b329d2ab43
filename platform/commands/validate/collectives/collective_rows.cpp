// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/row_kind.h"

namespace wafertlm::validate {

RowKind collective_rows() {
  return {"collective", [](const ValidationRow&) { return false; },
          [](const ValidationRow&) { return std::string("collective"); }, [](const ValidationRow&) {},
          [](const ValidationRow&) -> Answer { throw CannotSay("not built"); }};
}

}  // namespace wafertlm::validate
