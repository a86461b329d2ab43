// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/trace.h"

namespace wafertlm::fuzz {

void et_gz(const std::string& input) { read_trace("et.gz", input); }

}  // namespace wafertlm::fuzz
