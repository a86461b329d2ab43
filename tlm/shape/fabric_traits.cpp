// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/fabric_traits.h"

#include <algorithm>

namespace wafertlm {

const char* to_string(DimensionAlgorithm algorithm) {
  static constexpr const char* kNames[] = {"auto",
                                           "ring",
                                           "bidirectional_ring",
                                           "direct",
                                           "halving_doubling",
                                           "recursive_halving_doubling",
                                           "double_binary_tree"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

TimePs MemoryTraits::send_ps(std::uint64_t bytes) const {
  if (is_free() || bytes == 0) return 0;
  return latency_ps + transfer_time_ps(std::min(bytes, chunk_bytes), read_bytes_per_s);
}

TimePs MemoryTraits::receive_ps(std::uint64_t bytes, bool reduces) const {
  if (is_free() || bytes == 0) return 0;
  const std::uint64_t last = (bytes - 1) % chunk_bytes + 1;
  const TimePs reads = reduces ? transfer_time_ps(2 * last, read_bytes_per_s) + latency_ps : 0;
  return reads + transfer_time_ps(last, write_bytes_per_s) + latency_ps;
}

TimePs MemoryTraits::busy_ps(std::uint64_t read_bytes, std::uint64_t written_bytes) const {
  if (is_free()) return 0;
  return std::max(transfer_time_ps(read_bytes, read_bytes_per_s),
                  transfer_time_ps(written_bytes, write_bytes_per_s));
}

}  // namespace wafertlm
