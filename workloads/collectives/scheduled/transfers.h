// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/algorithm/rank_links.h"

namespace wafertlm {

/// A message between neighbours, at its place in the order of its link.
struct Transfer {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t link = 0;
  std::uint32_t piece = 0;  ///< of the data, for whoever made the list
  bool reduces = false;     ///< what is there at the receiver is added to
  /// Transfers that bring what the sender sends on, and what the receiver adds to; kNone: they are there.
  std::uint32_t sends_after = kNone, received_after = kNone;
  std::uint64_t from_offset = 0, to_offset = 0, bytes = 0;  ///< in the ranks' buffers
};

/// All messages of a collective. Each stands behind those that it waits for, and those of a link are sent in
/// this order, so nothing waits in a circle.
struct TransferList {
  RankLinks links;
  std::vector<Transfer> transfers;
  std::uint64_t scratch_bytes = 0;  ///< of a rank's buffer, behind the vectors of the type
};

/// Time until all have arrived, if each goes as early as the order of its link and what it waits for allow.
TimePs transfers_ps(const TransferList& list, const FabricTraits& fabric);

/// What passes the memory of the busiest rank.
TimePs busiest_memory_ps(const TransferList& list, const FabricTraits& fabric);

/// Two threadblocks per link: the sender's and the receiver's.
Algorithm::Programs transfer_programs(std::shared_ptr<const TransferList> list);

}  // namespace wafertlm
