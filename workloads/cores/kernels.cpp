// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/kernels.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "workloads/cores/reduction_tree.h"

namespace wafertlm::cores {
namespace {

std::shared_ptr<const CoreProgram> all_reduce_line(std::uint32_t places, std::uint32_t wavelets) {
  auto line = std::make_shared<CoreProgram>(places, 1);
  add_flood(*line, add_reduction(*line, line->row(0), middle_tree(places), wavelets), wavelets);
  return line;
}

/// Where a step's sums go along a row: its cores in the order of the interleaved ring.
std::uint32_t moving_root(std::uint32_t step, std::uint32_t places) {
  const std::uint32_t at = step % places;
  if (at == 0) return 0;
  return at <= places / 2 ? 2 * at - 1 : 2 * (places - at);
}

/// A row's part of the transposed product: in each step every core computes, then the sums go to the root
/// from both sides.
std::shared_ptr<const CoreProgram> transposed_line(std::uint32_t places, std::uint32_t steps, Cycle compute,
                                                   std::uint32_t wavelets) {
  auto line = std::make_shared<CoreProgram>(places, 1);
  std::vector<RouteIndex> east(places, 0), west(places, 0);
  for (std::uint32_t place = 0; place + 1 < places; ++place) {
    east[place] = line->route(place, place + 1);
    west[place + 1] = line->route(place + 1, place);
  }
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t root = moving_root(step, places);
    for (std::uint32_t place = 0; place < places; ++place) {
      line->compute(place, compute);
      if (place < root && place == 0)
        line->send(place, east[place], wavelets);
      else if (place < root)
        line->forward(place, east[place - 1], east[place], wavelets);
      else if (place > root && place + 1 == places)
        line->send(place, west[place], wavelets);
      else if (place > root)
        line->forward(place, west[place + 1], west[place], wavelets);
      if (place != root) continue;
      if (place > 0) line->add(place, east[place - 1], wavelets);
      if (place + 1 < places) line->add(place, west[place + 1], wavelets);
    }
  }
  return line;
}

void require_square(const Rectangle& on) {
  if (on.columns != on.rows)
    throw std::invalid_argument("compute-shift needs as many rows of cores as columns");
}

}  // namespace

Cycle tile_cycles(const CoreParams& core, const GemmTile& tile) {
  return Cycle{tile.k} * tile.n * vector_cycles(core, tile.m) + core.step_overhead;
}

Cycle least_tile_cycles(const CoreParams& core, const GemmTile& tile) {
  return (std::uint64_t{tile.m} * tile.k * tile.n + core.lanes - 1) / core.lanes;
}

void count_multiply_adds(Kernel& kernel, const Rectangle& on, const GemmTile& tile, std::uint32_t steps) {
  kernel.multiply_adds += static_cast<double>(tile.m) * tile.k * tile.n * steps * on.columns * on.rows;
}

std::uint32_t share(std::uint64_t elements, std::uint32_t cores) {
  const std::uint64_t each = (elements + cores - 1) / cores;
  if (each > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a core's tile is too large");
  return static_cast<std::uint32_t>(each);
}

std::uint32_t wavelets_of(std::uint64_t elements) { return share(elements, 2); }

Cycle vector_cycles(const CoreParams& core, std::uint64_t elements) {
  return core.instruction_start + (elements + core.lanes - 1) / core.lanes;
}

void add_compute(Kernel& kernel, std::string name, Cycle cycles, Cycle least) {
  KernelPhase phase;
  phase.name = std::move(name);
  phase.compute = cycles;
  phase.least = least;
  kernel.phases.push_back(std::move(phase));
}

void add_all_reduce(Kernel& kernel, const Rectangle& on, std::string name, Along along,
                    std::uint64_t elements) {
  const std::uint32_t places = along == Along::rows ? on.columns : on.rows;
  if (places < 2) return;
  KernelPhase phase;
  phase.name = std::move(name);
  phase.kind = along == Along::rows ? KernelPhase::Kind::along_rows : KernelPhase::Kind::along_columns;
  phase.line = all_reduce_line(places, wavelets_of(elements));
  phase.least = wavelets_of(elements) + 2 * on.core.ramp + 1;
  kernel.phases.push_back(std::move(phase));
}

void add_partial_gemv(Kernel& kernel, const Rectangle& on, std::string name, std::uint32_t inner,
                      std::uint32_t outer) {
  const GemmTile tile{1, inner, outer};
  const Cycle clear = vector_cycles(on.core, outer);
  add_compute(kernel, std::move(name),
              on.core.step_overhead + clear + Cycle{inner} * vector_cycles(on.core, outer),
              least_tile_cycles(on.core, tile));
  count_multiply_adds(kernel, on, tile, 1);
}

GemmTile fastest_order(const CoreParams& core, const GemmTile& tile) {
  const GemmTile orders[] = {tile, {tile.n, tile.k, tile.m}, {tile.k, tile.m, tile.n}};
  return *std::min_element(std::begin(orders), std::end(orders), [&](const GemmTile& a, const GemmTile& b) {
    return tile_cycles(core, a) < tile_cycles(core, b);
  });
}

void add_gemm(Kernel& kernel, const Rectangle& on, std::string name, const GemmTile& tile, bool aligns) {
  require_square(on);
  const std::uint32_t steps = on.columns;
  const std::uint32_t left = wavelets_of(std::uint64_t{tile.m} * tile.k);
  const std::uint32_t right = wavelets_of(std::uint64_t{tile.k} * tile.n);
  KernelPhase phase;
  phase.kind = KernelPhase::Kind::shift;
  if (aligns) {
    phase.name = name + ", alignment";
    phase.shift = {steps / 2, on.core.step_overhead, left, 0};
    phase.least = Cycle{steps / 2} * left;
    kernel.phases.push_back(phase);
  }
  phase.name = std::move(name);
  phase.shift = {steps, tile_cycles(on.core, tile), left, right};
  phase.least = Cycle{steps} * std::max<Cycle>(least_tile_cycles(on.core, tile), left + right);
  kernel.phases.push_back(std::move(phase));
  count_multiply_adds(kernel, on, tile, steps);
}

void add_transposed_gemm(Kernel& kernel, const Rectangle& on, std::string name, const GemmTile& tile,
                         std::uint32_t steps) {
  if (steps == 0) steps = on.columns;
  const std::uint32_t right = wavelets_of(std::uint64_t{tile.k} * tile.n);
  const std::uint32_t sums = wavelets_of(std::uint64_t{tile.m} * tile.n);
  // The next right tile comes in beside computation.
  const Cycle compute = std::max<Cycle>(tile_cycles(on.core, tile), 1 + 2 * on.core.ramp + 2 + right);
  KernelPhase phase;
  phase.name = std::move(name);
  phase.kind = KernelPhase::Kind::along_rows;
  phase.line = transposed_line(on.columns, steps, compute, sums);
  phase.least = Cycle{steps} * std::max<Cycle>(least_tile_cycles(on.core, tile), sums);
  kernel.phases.push_back(std::move(phase));
  count_multiply_adds(kernel, on, tile, steps);
}

Kernel gemv_kernel(const Rectangle& on, std::uint64_t rows, std::uint64_t columns) {
  Kernel kernel;
  const std::uint32_t inner = share(rows, on.rows), outer = share(columns, on.columns);
  add_partial_gemv(kernel, on, "product", inner, outer);
  add_all_reduce(kernel, on, "all-reduce", Along::columns, outer);
  kernel.core_bytes = kElementBytes * (std::uint64_t{inner} * outer + inner + outer);
  return kernel;
}

Kernel gemm_kernel(const Rectangle& on, std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  Kernel kernel;
  const GemmTile tile{share(m, on.rows), share(k, on.columns), share(n, on.columns)};
  add_gemm(kernel, on, "product", tile, true);
  kernel.core_bytes = kElementBytes * (2 * std::uint64_t{tile.m} * tile.k +
                                       2 * std::uint64_t{tile.k} * tile.n + std::uint64_t{tile.m} * tile.n);
  return kernel;
}

}  // namespace wafertlm::cores
