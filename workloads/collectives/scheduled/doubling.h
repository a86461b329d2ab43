// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Of 1, 2, 4 … at most `most` chunks the fewest whose time_ps(chunks) is within a hundredth of the shortest.
/// Not tried are those behind three doublings in a row that gain nothing, or cost a quarter more.
template <typename Time>
std::uint32_t doubled_while_it_gains(std::uint64_t most, const Time& time_ps) {
  constexpr int kMostInVain = 3;
  std::uint32_t fewest = 1;
  TimePs of_fewest = time_ps(1), shortest = of_fewest;
  int in_vain = 0;
  for (std::uint32_t chunks = 2; chunks <= most && in_vain < kMostInVain; chunks *= 2) {
    const TimePs time = time_ps(chunks);
    if (time > shortest + shortest / 4) break;
    in_vain = time < shortest ? 0 : in_vain + 1;
    shortest = std::min(shortest, time);
    if (shortest > of_fewest / 100 * 99) continue;
    fewest = chunks;
    of_fewest = time;
  }
  return fewest;
}

}  // namespace wafertlm
