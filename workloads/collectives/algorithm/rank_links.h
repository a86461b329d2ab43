// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/shape/fabric_traits.h"

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
  std::vector<Link> links;  ///< ascending by from, to; one at most from a rank to another
  std::vector<std::vector<std::uint32_t>> out, in;  ///< links, by rank
  std::vector<std::uint64_t> ports_out, ports_in;   ///< what a rank's ports carry, bytes per second
};

/// Routes that share no link of the fabric, so that what goes over them meets nothing: pairs both ways first,
/// neighbours before others; of routes as long what holds the group together is first. Links that have failed
/// are left out; of more than 256 members only neighbours are joined. Kept with the fabric's plans. Null:
/// they do not lead from each rank to all others.
std::shared_ptr<const RankLinks> rank_links(const Group& group, const FabricTraits& fabric);

/// What a message takes on a link until the next one may follow.
TimePs slot_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces);
/// From its start until it may go on.
TimePs hop_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces);

}  // namespace wafertlm
