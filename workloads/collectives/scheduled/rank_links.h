// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/fabric_traits.h"

namespace wafertlm {

/// What members of a group can send each other without meeting: a directed graph over ranks, links of any
/// rates. A link is a route of the fabric; no two have a part in common.
struct RankLinks {
  struct Link {
    std::uint32_t from = 0, to = 0;  ///< ranks
    std::uint64_t bytes_per_s = 0;
    TimePs latency_ps =
        0;  ///< from the end of a message on the link until it may go on, without its step's cost
  };
  std::uint32_t ranks = 0;
  std::vector<Link> links;
  std::vector<std::vector<std::uint32_t>> out, in;  ///< links, by rank
  std::vector<std::uint64_t> ports_out, ports_in;   ///< what a rank's ports carry, bytes per second

  bool operator==(const RankLinks& other) const;
};

/// Routes between the nearest first, as long as they take nothing that another one has. None: they do not
/// lead from each rank to all others.
std::optional<RankLinks> rank_links(const Group& group, const FabricTraits& fabric);

/// What a message takes on a link until the next one may follow.
TimePs slot_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces);
/// From its start until it may go on.
TimePs hop_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces);

}  // namespace wafertlm
