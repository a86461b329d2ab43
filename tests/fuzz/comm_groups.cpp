// SPDX-License-Identifier: Apache-2.0
// Communicator groups of traces, JSON: `--comm-groups` and the key workload.comm_groups.
#include "workloads/chakra/comm_groups.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {

void comm_groups(const std::string& input) {
  const std::string path = write("groups.json", input);
  const auto groups = accepted([&] { return chakra::CommGroups::from_file(path, 4); });
  if (!groups) return;
  for (std::size_t number = 0; number < groups->count(); ++number) {
    require(groups->has(groups->name(number)), "a group has another name than its own");
    require(groups->number(groups->name(number)) == number, "a group has another number than its own");
  }
}

}  // namespace wafertlm::fuzz
