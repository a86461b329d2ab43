// SPDX-License-Identifier: Apache-2.0
#include "tlm/rtl/event.h"

#include <cstring>

namespace wafertlm {

std::vector<std::byte> made_up_data(DataType type, std::uint32_t flow, std::uint64_t sequence,
                                    std::uint32_t input, std::uint32_t bytes) {
  std::vector<std::byte> data(bytes);
  std::uint64_t state = (std::uint64_t{flow} << 40) ^ (sequence << 8) ^ input ^ 0x9e3779b97f4a7c15ULL;
  for (std::size_t at = 0; at < data.size(); at += 4) {
    // SplitMix64.
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    auto word = static_cast<std::uint32_t>(mixed ^ (mixed >> 31));
    // Exponents near 1, so that sums of a few are rounded and do not overflow.
    if (type == DataType::bf16) word = (word & 0x83ff83ffU) | 0x3c003c00U;
    std::memcpy(&data[at], &word, std::min<std::size_t>(4, data.size() - at));
  }
  return data;
}

}  // namespace wafertlm
