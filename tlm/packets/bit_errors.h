// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

struct BitErrors {
  double rate = 0;  ///< probability that a bit is wrong after a link, independently of the others
  std::uint64_t seed = 1;
};

}  // namespace wafertlm
