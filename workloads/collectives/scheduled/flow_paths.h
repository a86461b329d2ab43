// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/algorithm/rank_links.h"

namespace wafertlm {

/// The ways of all pairs of ranks, each block in `parts` equal parts that go their own way.
struct ExchangePaths {
  std::uint32_t parts = 1;
  /// Links in order; by (from · ranks + to) · parts + part. Of a rank to itself: empty.
  std::vector<std::vector<std::uint32_t>> paths;
  std::vector<std::uint32_t> loads;  ///< parts over each link
};

/// Ways that load no link or port much more than they must: those of the fabric where they go over links of
/// their own, shortest ones elsewhere; then parts that cross busy links are moved to where costs, which grow
/// with the eighth power of loads, are less, as long as the busiest link gets relief.
ExchangePaths flow_paths(const RankLinks& links, const Group& group, const Topology& topology);

}  // namespace wafertlm
