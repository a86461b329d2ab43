// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/trace.h"

namespace wafertlm::fuzz {

void json(const std::string& input) { read_trace("json", input); }

}  // namespace wafertlm::fuzz
