// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/shape/link_graph.h"

namespace wafertlm::bounds {

/// Lengths of links, and with them a bound of all-to-all. A byte from one member to another takes some way,
/// so it uses a length of link of at least their distance: an all-to-all of blocks of b bytes takes b ·
/// distance / weight at least, whatever the lengths.
struct LinkLengths {
  std::vector<std::uint64_t> lengths;  ///< by link
  Uint128 distance = 0;                ///< of all ordered pairs of members, summed
  Uint128 weight = 0;                  ///< of all links: bytes per second times length, summed
  std::vector<bool> inside;            ///< of a cut, by vertex: where its links begin; else empty

  /// Whether it bounds more.
  bool tighter(const LinkLengths& other) const;
};

/// Sets the lengths' distance and weight.
LinkLengths measured(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                     std::vector<std::uint64_t> lengths);

/// The lengths that bound most: what the maximum concurrent flow of all pairs of members reaches (duality of
/// linear programs; Shahrokhi and Matula, J. ACM 37, 1990). The program's columns are the trees of shortest
/// ways from a member to all others, made as prices of links ask for them (column generation; Ford and
/// Fulkerson 1958). A cut that bounds as much is preferred: links across it have length 1, all others 0.
/// Solved in floating point, then measured in integers: what is returned is a bound in any case, and the best
/// where the lengths are multiples of a common fraction, as far as tried.
/// Of more than 256 members only the best cut among those that a first spread of the flow shows.
LinkLengths tightest_lengths(const LinkGraph& graph, const std::vector<std::uint32_t>& members);

}  // namespace wafertlm::bounds
