// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/shape/link_graph.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm::bounds {

/// What bounds a type of collective on a group, whatever its size: a division of a fabric's vertices, and the
/// links that its bytes must cross.
struct TightSets {
  enum class Kind : std::uint8_t {
    partition,  ///< all parts against each other, each with a member
    cut,        ///< links from part 0 to part 1
    lengths,    ///< links with lengths, which add up to the distances of all pairs of members
  };
  static constexpr std::uint32_t kRelay = ~std::uint32_t{0};

  Kind kind = Kind::cut;
  std::uint32_t parts = 2;
  std::vector<std::uint32_t> part_of;  ///< by vertex; kRelay: in no part, it only passes on; of lengths empty
  std::vector<std::size_t> links;      ///< of a partition: all that end in a part and begin elsewhere
  bool has_relays = false;             ///< links lead from parts to relays
  /// Of these links together; with relays those from part to part count twice; with lengths times these.
  Uint128 bytes_per_s = 0;
  std::vector<std::uint64_t> lengths;  ///< by position in `links`; of other kinds empty
  Uint128 pairs_distance = 0;  ///< of all-to-all: lengths between all ordered pairs, or pairs across the cut
};

/// The certificate of a lower bound: who doubts it counts the bytes and adds up the links.
struct TightBound {
  std::shared_ptr<const LinkGraph> graph;
  std::shared_ptr<const TightSets> sets;
  Uint128 bytes = 0;   ///< over the links of the sets, at least
  TimePs time_ps = 0;  ///< bytes / bytes_per_s, rounded down; without latency
};

/// Types that have such a bound: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce.
bool has_tight_bound(CollectiveType type);

/// The bound of the best cut or partition that can be found in polynomial time:
/// - all-reduce: between disjoint parts with a member each 2 (parts - 1) vectors are sent: of each
///   element all parts but one send something before the first one knows the sum, and all but that one
///   receive something afterwards (one-way gossip: Harary and Schwenk 1974). Each leaves a part and enters
///   one; strength() finds the parts. And S goes over each cut between members.
/// - all-gather, reduce-scatter: the blocks of one side out of it, or into it (densest_cut).
/// - broadcast, reduce: S over each cut between root and a member.
/// - all-to-all: the maximum concurrent flow of all pairs (tightest_lengths).
/// They hold for every algorithm in which switches and NPUs outside the group only pass on (KnowsLinks),
/// whether or not both directions of a link are as fast. None: the topology does not know its links, the type
/// has none, there is nothing to send, or a group of one. Sets are kept with the fabric's plans.
std::optional<TightBound> tight_bound(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm::bounds
