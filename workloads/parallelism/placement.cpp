// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/placement.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "workloads/parallelism/tiling.h"

namespace wafertlm {
namespace {

Placement down_the_columns(std::uint32_t workers, const PlacementGrid& grid) {
  Placement placement;
  for (std::uint32_t w = 0; w < workers; ++w)
    placement.push_back(static_cast<NpuId>(w % grid.height * grid.width + w / grid.height));
  return placement;
}

Placement row_major(std::uint32_t workers) {
  Placement placement;
  for (std::uint32_t w = 0; w < workers; ++w) placement.push_back(static_cast<NpuId>(w));
  return placement;
}

/// Fisher and Yates; the standard library's shuffle differs between implementations.
Placement shuffled(std::uint32_t workers, const PlacementGrid& grid, std::uint64_t seed) {
  Placement npus = row_major(grid.npus());
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < workers; ++i) std::swap(npus[i], npus[i + random() % (npus.size() - i)]);
  npus.resize(workers);
  return npus;
}

/// MP group after MP group on the tiles; workers of a group have consecutive numbers.
Placement contiguous(const Parallelism& parallelism, const PlacementGrid& grid) {
  Placement placement;
  for (const Group& tile : tiles(parallelism.mp, parallelism.dp * parallelism.pp, grid))
    placement.insert(placement.end(), tile.begin(), tile.end());
  return placement;
}

}  // namespace

Placement place_workers(const std::string& policy, const Parallelism& parallelism, const PlacementGrid& grid,
                        std::uint64_t seed) {
  const std::uint32_t workers = parallelism.workers();
  if (policy == "paper") return down_the_columns(workers, grid);
  if (policy == "contiguous") return contiguous(parallelism, grid);
  if (policy == "row_major") return row_major(workers);
  if (policy == "random") return shuffled(workers, grid, seed);
  if (policy == "file:")
    throw std::invalid_argument("placement 'file:': the name of the file is missing; write file:PATH");
  if (policy.rfind("file:", 0) == 0) return read_placement(policy.substr(5), workers, grid.npus());
  throw std::invalid_argument("no placement '" + policy +
                              "'; there are paper, contiguous, row_major, random and file:PATH");
}

Group npus_of(const WorkerGroup& workers, const Placement& placement) {
  Group group;
  for (const std::uint32_t worker : workers) group.push_back(placement[worker]);
  return group;
}

}  // namespace wafertlm
