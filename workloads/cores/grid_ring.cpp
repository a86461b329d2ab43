// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/grid_ring.h"

namespace wafertlm::cores {

void add_ring(CoreProgram& program, const std::vector<CoreIndex>& ring, std::uint32_t wavelets) {
  const auto places = static_cast<std::uint32_t>(ring.size());
  std::vector<RouteIndex> to_next;
  for (std::uint32_t place = 0; place < places; ++place)
    to_next.push_back(program.route(ring[place], ring[(place + 1) % places]));
  const auto size_of = [&](std::uint32_t block) {
    return wavelets / places + (block < wavelets % places ? 1 : 0);
  };
  const auto block_at = [&](std::uint32_t place, std::uint32_t step) {
    return (place + 2 * places - step % places) % places;
  };
  for (std::uint32_t place = 0; place < places; ++place) {
    const RouteIndex out = to_next[place], in = to_next[(place + places - 1) % places];
    for (std::uint32_t step = 0; step < 2 * (places - 1); ++step) {
      // In the second half what a core got last goes on.
      const bool sums = step + 1 < places;
      const std::uint32_t sent = block_at(place, step), taken = block_at(place, step + 1);
      if (size_of(sent) > 0) program.send(ring[place], out, size_of(sent), sent);
      if (size_of(taken) == 0) continue;
      if (sums)
        program.add(ring[place], in, size_of(taken), taken);
      else
        program.store(ring[place], in, size_of(taken), taken);
    }
  }
}

}  // namespace wafertlm::cores
