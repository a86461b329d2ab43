// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/units.h"

namespace wafertlm {

/// The number of chunks, 1, 2, 4 … at most `most`, up to which each doubling gains a hundredth of
/// time_ps(chunks).
template <typename Time>
std::uint32_t doubled_while_it_gains(std::uint64_t most, const Time& time_ps) {
  std::uint32_t chunks = 1;
  for (TimePs shortest = time_ps(chunks); 2 * std::uint64_t{chunks} <= most; chunks *= 2) {
    const TimePs time = time_ps(2 * chunks);
    if (time > shortest / 100 * 99) break;
    shortest = time;
  }
  return chunks;
}

}  // namespace wafertlm
