// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/scheduled/sends.h"

namespace wafertlm {

// Greedy matching in time: whenever a link is free it takes a piece that its sender has and that its receiver
// is not going to get (TACOS: Won et al., MICRO 2024, on graphs with links of any rates).

/// Every piece from its owner to all ranks; by piece the owner. Of the pieces that a link may take the one
/// that fewest ranks have; a slow link leaves it, if the others can bring all that its receiver lacks before.
std::vector<PlannedSend> match_spread(const RankLinks& links, const LinkTimes& times,
                                      const std::vector<std::uint32_t>& owners);

/// So many pieces from every rank to every other, numbered as in exchange_list. A piece always comes nearer;
/// the one with the longest way to go is first.
std::vector<PlannedSend> match_exchange(const RankLinks& links, const LinkTimes& times, std::uint32_t pieces);

/// All links in the other direction, with the same numbers.
RankLinks turned(RankLinks links);
/// A spread over turned links run backwards: sums come together where pieces have come from.
std::vector<PlannedSend> backwards(std::vector<PlannedSend> sends, const LinkTimes& times);

}  // namespace wafertlm
