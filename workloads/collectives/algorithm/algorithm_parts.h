// SPDX-License-Identifier: Apache-2.0
// What algorithms have in common.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

inline std::uint32_t ranks_of(const CollectiveRequest& request) {
  return static_cast<std::uint32_t>(request.group.size());
}

/// A program per rank, all with the same plan.
template <typename Program, typename Plan>
Algorithm::Programs rank_programs(const CollectiveRequest& request, Plan plan) {
  const auto shared = std::make_shared<const Plan>(std::move(plan));
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(std::make_unique<Program>(shared, rank));
  return programs;
}

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
