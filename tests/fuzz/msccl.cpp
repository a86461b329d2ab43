// SPDX-License-Identifier: Apache-2.0
// MSCCL programs, as `--algorithm FILE.xml` reads them: what they say is also proven.
#include "tests/fuzz/fuzz.h"
#include "workloads/collectives/custom/algorithm.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  const std::string path = fuzz::write("program.xml", data, size);
  const auto program = fuzz::accepted([&] { return read_msccl_file(path); });
  if (program) fuzz::accepted([&] { return read_custom_algorithm(path, program->type); });
  return 0;
}
