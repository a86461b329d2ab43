// SPDX-License-Identifier: Apache-2.0
// Placements of workers, `file:PATH`.
#include "workloads/parallelism/placement.h"

#include <set>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {

void placement(const std::string& input) {
  constexpr std::uint32_t kWorkers = 4, kNpus = 6;
  const std::string path = write("placement.txt", input);
  const auto placed = accepted([&] { return read_placement(path, kWorkers, kNpus); });
  if (placed)
    require(std::set<NpuId>(placed->begin(), placed->end()).size() == kWorkers,
            "not every worker has an NPU of its own");
}

}  // namespace wafertlm::fuzz
