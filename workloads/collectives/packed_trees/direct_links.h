// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/topology.h"

namespace wafertlm {

/// An undirected graph over ranks. Links have no order; the ranks of each are ascending.
struct RankGraph {
  std::uint32_t ranks = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;

  bool operator<(const RankGraph& other) const {
    return ranks != other.ranks ? ranks < other.ranks : links < other.links;
  }
};

/// The members of a group that one link joins, in both directions, which carries no message of another pair
/// of neighbours; all links of one rate. None: the group is not connected by such links.
std::optional<RankGraph> direct_links(const Group& group, const Topology& topology);

}  // namespace wafertlm
