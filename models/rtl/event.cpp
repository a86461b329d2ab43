// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/event.h"

#include <algorithm>
#include <cstring>

#include "tlm/kernel/splitmix64.h"

namespace wafertlm {
namespace {

using splitmix64::kStep;

std::uint32_t mixed(std::uint64_t state) { return static_cast<std::uint32_t>(splitmix64::mixed(state)); }

/// A value of input `input`: `own` is any word of its own, `common` one that all inputs have.
std::uint32_t int32_of(std::uint32_t common, std::uint32_t own) {
  switch (common % 8) {
    case 0:  // a carry goes over all bits
      return own % 2 == 0 ? ~std::uint32_t{0} : own >> 1 & 3;
    case 1:  // the sign changes
      return own % 2 == 0 ? 0x7FFFFFFF : 0x80000000 + (own >> 1 & 3);
    default:
      return own;
  }
}

std::uint32_t bf16_of(std::uint32_t common, std::uint32_t own, std::uint32_t input) {
  static constexpr std::uint16_t kSpecial[] = {0x0000, 0x8000, 0x0000, 0x8000,
                                               0x0001, 0x8001, 0x7F80, 0xFF80};
  switch (common % 16) {
    case 0:  // subnormal
      return own & 0x807F;
    case 1:  // about to become subnormal, or not to be any more
      return own & 0x81FF;
    case 2:  // about to overflow
      return (own & 0x807F) | (own & 0x100 ? 0x7F00 : 0x7E80);
    case 3:  // all there are, with NaNs
      return own & 0xFFFF;
    case 4:  // the same up to the last bit, with two signs
      return ((common >> 8 & 0x7FFF) ^ (own & 1)) | (input % 2) << 15;
    case 5:  // far apart
      return (own & 0x8FFF) | 0x3000;
    case 6:  // zeros, infinities
      return kSpecial[own % 8];
    default:  // exponents near 1: sums of a few are rounded
      return (own & 0x83FF) | 0x3C00;
  }
}

}  // namespace

std::vector<std::byte> made_up_data(DataType type, std::uint32_t flow, std::uint64_t sequence,
                                    std::uint32_t input, std::uint32_t bytes) {
  std::vector<std::byte> data(bytes);
  const std::uint64_t packet = (std::uint64_t{flow} << 40) ^ (sequence << 8) ^ kStep;
  for (std::size_t at = 0; at < data.size(); at += 4) {
    const std::uint64_t place = (at / 4 + 1) * kStep;
    const std::uint32_t own = mixed((packet ^ input) + place - kStep), common = mixed(~packet + place);
    std::uint32_t word = int32_of(common, own);
    if (type == DataType::bf16)
      word = bf16_of(common, own, input) | bf16_of(common >> 16 | common << 16, own >> 16, input) << 16;
    std::memcpy(&data[at], &word, std::min<std::size_t>(4, data.size() - at));
  }
  return data;
}

}  // namespace wafertlm
