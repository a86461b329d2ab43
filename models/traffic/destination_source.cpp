// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/destination_source.h"

namespace wafertlm {

std::uint64_t uniform_below(std::mt19937_64& random, std::uint64_t limit) {
  return static_cast<std::uint64_t>(Uint128{random()} * limit >> 64);
}

}  // namespace wafertlm
