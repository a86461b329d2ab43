// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/packed_trees/tree_packer.h"

namespace wafertlm {

/// When each chunk crosses each link, in slots of one chunk. Chunk c of all trees goes a period after chunk
/// c - 1, and no two of them want a link in the same slot of their periods: links with as many trees as a
/// period has slots are never idle but at both ends of the collective, and no chunk waits for one that is
/// late (modulo scheduling, Rau 1981; for collectives: Beaumont, Legrand, Marchal and Robert 2005).
class LinkSchedule {
 public:
  /// `lag`: slots from a chunk's start on a link until it may start on the next one; at least 1.
  LinkSchedule(const TreePacking& packing, std::uint32_t lag, bool up, bool down);

  std::uint32_t period() const { return period_; }
  /// Slots until the first chunk of all trees has crossed its last link.
  std::uint64_t first_chunk_slots() const { return end_; }
  /// When the first chunk of a tree goes from a rank to its parent, and from the parent to it.
  std::uint32_t up(std::size_t tree, std::uint32_t rank) const { return up_[tree * ranks_ + rank]; }
  std::uint32_t down(std::size_t tree, std::uint32_t rank) const { return down_[tree * ranks_ + rank]; }

 private:
  std::uint32_t period_, ranks_;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> up_, down_;  // by tree and rank
};

}  // namespace wafertlm
