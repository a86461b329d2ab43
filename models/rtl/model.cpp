// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/model.h"

#include <algorithm>

namespace wafertlm {

std::uint64_t RtlPin::get(std::uint32_t first, std::uint32_t width) const {
  std::uint64_t value = 0;
  for (std::uint32_t done = 0; done < width;) {
    const std::uint32_t at = first + done, offset = at % 32, count = std::min(32 - offset, width - done);
    const std::uint64_t part = (std::uint64_t{words[at / 32]} >> offset) & ((std::uint64_t{1} << count) - 1);
    value |= part << done;
    done += count;
  }
  return value;
}

void RtlPin::set(std::uint32_t first, std::uint32_t width, std::uint64_t value) {
  for (std::uint32_t done = 0; done < width;) {
    const std::uint32_t at = first + done, offset = at % 32, count = std::min(32 - offset, width - done);
    const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << offset);
    const auto part = static_cast<std::uint32_t>((value >> done) << offset);
    std::uint32_t& word = words[at / 32];
    word = (word & ~mask) | (part & mask);
    done += count;
  }
}

}  // namespace wafertlm
