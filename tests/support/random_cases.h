// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>

#include "tests/support/sanitized.h"

namespace wafertlm::test {

/// How many random cases a test tries. $WAFERTLM_CASES times as many, for a campaign by hand.
inline int random_cases(int usual, int sanitized) {
  const char* const factor = std::getenv("WAFERTLM_CASES");
  return (kSanitized ? sanitized : usual) * (factor ? std::atoi(factor) : 1);
}

}  // namespace wafertlm::test
