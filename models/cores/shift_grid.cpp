// SPDX-License-Identifier: Apache-2.0
#include "models/cores/shift_grid.h"

#include <algorithm>

namespace wafertlm::cores {
namespace {

/// Tiles of both axes come in over one ramp: a wavelet of either in a cycle.
Cycle after_last_wavelet(const ShiftSteps& steps, const CoreParams& params, std::uint32_t hops) {
  return 1 + 2 * params.ramp + hops + steps.row_wavelets + steps.column_wavelets;
}

}  // namespace

std::vector<RingNeighbour> interleaved_ring(std::uint32_t places) {
  std::vector<RingNeighbour> ring(places);
  if (places < 2) return ring;
  std::vector<std::uint32_t> order;
  for (std::uint32_t k = 0; k < places; k += 2) order.push_back(k);
  for (std::uint32_t k = places / 2 * 2; k > 0; k -= 2) order.push_back(k - 1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t from = order[k], to = order[(k + 1) % order.size()];
    ring[to] = {from, from > to ? from - to : to - from};
  }
  return ring;
}

void run_shift_steps(const ShiftSteps& steps, const CoreParams& params, std::uint32_t columns,
                     std::uint32_t rows, std::vector<Cycle>& times) {
  const std::vector<RingNeighbour> by_column = interleaved_ring(columns), by_row = interleaved_ring(rows);
  const bool along_rows = steps.row_wavelets > 0 && columns > 1;
  const bool along_columns = steps.column_wavelets > 0 && rows > 1;
  std::vector<Cycle> next(times.size());
  for (std::uint32_t step = 0; step < steps.steps; ++step) {
    bool is_even = true;
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < columns; ++x) {
        const std::size_t at = std::size_t{y} * columns + x;
        Cycle end = times[at] + steps.compute;
        if (along_rows)
          end = std::max(end, times[std::size_t{y} * columns + by_column[x].from] +
                                  after_last_wavelet(steps, params, by_column[x].hops));
        if (along_columns)
          end = std::max(end, times[std::size_t{by_row[y].from} * columns + x] +
                                  after_last_wavelet(steps, params, by_row[y].hops));
        next[at] = end;
        is_even &= end - times[at] == next[0] - times[0];
      }
    if (is_even) {
      const Cycle all = (next[0] - times[0]) * (steps.steps - step);
      for (Cycle& time : times) time += all;
      return;
    }
    times.swap(next);
  }
}

}  // namespace wafertlm::cores
