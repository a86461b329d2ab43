// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// A stretch of a rank's buffer, in bytes.
struct ByteRange {
  std::uint64_t offset = 0, bytes = 0;
};

}  // namespace wafertlm
