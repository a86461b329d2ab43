// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/trace.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wafertlm::fuzz::read_trace("json", data, size);
  return 0;
}
