// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

constexpr std::uint32_t kMaxRequestBytes = 64 * 1024;

struct MemoryRequesterParams {
  std::uint32_t request_bytes = kMaxRequestBytes;  ///< largest request; 1 to kMaxRequestBytes
  std::uint32_t outstanding = 16;                  ///< requests in flight at most, loads and stores each
  bool announce = false;  ///< requests carry a MemoryAccess that tells what they are a part of
};

}  // namespace wafertlm
