// SPDX-License-Identifier: Apache-2.0
// Placements of workers, `file:PATH`.
#include "workloads/parallelism/placement.h"

#include <set>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  constexpr std::uint32_t kWorkers = 4, kNpus = 6;
  const std::string path = fuzz::write("placement.txt", data, size);
  const auto placement = fuzz::accepted([&] { return read_placement(path, kWorkers, kNpus); });
  if (placement)
    fuzz::require(std::set<NpuId>(placement->begin(), placement->end()).size() == kWorkers,
                  "not every worker has an NPU of its own");
  return 0;
}
