// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/link_graph.h"
#include "workloads/collectives/algorithm.h"

namespace wafertlm::bounds {

/// What bounds a type of collective on a group, whatever its size: a division of a fabric's vertices, and the
/// links that its bytes must cross.
struct TightSets {
  enum class Kind : std::uint8_t {
    partition,  ///< all parts against each other, each with a member; links of both directions
    cut,        ///< links from part 0 to part 1
  };
  Kind kind = Kind::cut;
  std::uint32_t parts = 2;
  std::vector<std::uint32_t> part_of;  ///< by vertex
  std::vector<std::size_t> links;
  Uint128 bytes_per_s = 0;  ///< of these links together
};

/// The certificate of a lower bound: who doubts it counts the bytes and adds up the links.
struct TightBound {
  std::shared_ptr<const LinkGraph> graph;
  std::shared_ptr<const TightSets> sets;
  Uint128 bytes = 0;   ///< over the links of the sets, at least
  TimePs time_ps = 0;  ///< bytes / bytes_per_s, rounded down; without latency
};

/// Types that have such a bound: all-reduce, all-gather, reduce-scatter, broadcast, reduce.
bool has_tight_bound(CollectiveType type);

/// The bound of the best cut or partition that can be found in polynomial time:
/// - all-reduce: 2 (parts - 1) vectors cross the borders of parts with a member each, in both directions
///   together: for each element all parts but one send before the first one knows the sum, and all but that
///   one receive afterwards. Where switches lie between members the best of the partitions of join_relays().
///   And S over each cut between members.
/// - all-gather, reduce-scatter: the blocks of one side out of it, or into it (densest_cut).
/// - broadcast, reduce: S over each cut between root and a member.
/// It holds for every algorithm, with relays, and for switches that reduce. None: the topology does not know
/// its links, the type has none, there is nothing to send, or a group of one.
/// Sets are kept as long as the topology, by thread.
std::optional<TightBound> tight_bound(const CollectiveRequest& request,
                                      const std::shared_ptr<const Topology>& topology);

}  // namespace wafertlm::bounds
