// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/scheduled/transfers.h"

namespace wafertlm {

/// What is planned: a piece of data goes over a link.
struct PlannedSend {
  TimePs start = 0;
  std::uint32_t link = 0, piece = 0;
};

/// By start; of equal ones the order given.
void sort_by_start(std::vector<PlannedSend>& sends);

/// How long each link is taken, and how long a piece is under way.
struct LinkTimes {
  std::vector<TimePs> slots, hops;  ///< by link

  bool operator==(const LinkTimes& other) const { return slots == other.slots && hops == other.hops; }
};
/// Of pieces of so many bytes.
LinkTimes link_times(const RankLinks& links, const FabricTraits& fabric, std::uint64_t bytes, bool reduces);

/// What a list is made of: `pieces` per block. Pieces without bytes are not sent.
struct PiecedVector {
  std::uint64_t bytes = 0;
  std::uint32_t blocks = 1;  ///< as many as ranks; of rooted collectives one
  std::uint32_t pieces = 1;  ///< of each block

  std::uint64_t longest() const;
  std::uint64_t piece_bytes(std::uint32_t piece) const;
  std::uint64_t offset(std::uint32_t piece) const;
};

/// An all-to-all; piece ((from · ranks) + to) · pieces + k. A rank keeps what it passes on behind what it
/// receives.
TransferList exchange_list(const RankLinks& links, const PiecedVector& vector,
                           const std::vector<PlannedSend>& sends);

/// Appends copies (all-gather, broadcast) or sums (reduce-scatter, reduce), which go on from what `list` has
/// brought; piece block · pieces + k.
void append_spread(TransferList& list, const PiecedVector& vector, const std::vector<PlannedSend>& sends,
                   bool reduces);

}  // namespace wafertlm
