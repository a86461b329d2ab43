// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/fabric_traits.h"
#include "workloads/collectives/request.h"

namespace wafertlm {

/// Bytes of a message over its rate, with headers; 0 for no message.
inline TimePs message_ps(const FabricTraits& fabric, std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return bytes == 0 ? 0 : transfer_time_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
}

/// The slowest of all paths that messages of an algorithm take.
class SlowestPath {
 public:
  explicit SlowestPath(const Topology& topology) : topology_(topology) {}
  void add(NpuId from, NpuId to) { rate_ = std::min(rate_, topology_.path_bytes_per_s(from, to)); }
  std::uint64_t bytes_per_s() const { return rate_; }

 private:
  const Topology& topology_;
  std::uint64_t rate_ = ~std::uint64_t{0};
};

}  // namespace wafertlm
