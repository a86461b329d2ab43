// SPDX-License-Identifier: Apache-2.0
// Communicator groups of traces, JSON: `--comm-groups` and the key workload.comm_groups.
#include "workloads/chakra/comm_groups.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  const std::string path = fuzz::write("groups.json", data, size);
  const auto groups = fuzz::accepted([&] { return chakra::CommGroups::from_file(path, 4); });
  if (!groups) return 0;
  for (std::size_t number = 0; number < groups->count(); ++number) {
    fuzz::require(groups->has(groups->name(number)), "a group has another name than its own");
    fuzz::require(groups->number(groups->name(number)) == number, "a group has another number than its own");
  }
  return 0;
}
