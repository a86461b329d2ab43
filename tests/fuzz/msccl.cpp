// SPDX-License-Identifier: Apache-2.0
// MSCCL programs, as `--algorithm FILE.xml` reads them: what they say is also proven.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm::fuzz {

void msccl(const std::string& input) {
  const std::string path = write("program.xml", input);
  const auto program = accepted([&] { return read_msccl_file(path); });
  if (program) accepted([&] { return read_custom_algorithms(path, program->type); });
}

}  // namespace wafertlm::fuzz
