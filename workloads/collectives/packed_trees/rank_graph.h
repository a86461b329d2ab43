// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

/// A directed graph over the ranks of a group.
struct RankGraph {
  struct Link {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bytes_per_s = 0;

    bool operator<(const Link& other) const;
    bool operator==(const Link& other) const;
  };
  std::uint32_t ranks = 0;
  std::vector<Link> links;  ///< ascending by from, to; one at most from a rank to another

  /// The number of a link that there is.
  std::size_t number(std::uint32_t from, std::uint32_t to) const;
  bool has(std::uint32_t from, std::uint32_t to) const;
  std::uint64_t fastest_bytes_per_s() const;
  bool operator==(const RankGraph& other) const { return ranks == other.ranks && links == other.links; }
};

/// The links from and to each rank, by number.
struct LinksByRank {
  explicit LinksByRank(const RankGraph& graph);
  std::vector<std::vector<std::uint32_t>> out, in;
};

/// The pairs of a group that are linked both ways (rank_links). None: they do not join all ranks.
std::optional<RankGraph> direct_links(const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
