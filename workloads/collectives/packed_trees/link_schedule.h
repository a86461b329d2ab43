// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/units.h"
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
  std::uint32_t first_chunk_slots() const { return end_; }
  /// When the last of so many chunks of all trees has come, if each goes as early as the order of each link
  /// allows. `slot_ps`: a chunk on a link; `latency_ps`: from the end of that until it may go on.
  TimePs end_ps(std::uint64_t chunks, TimePs slot_ps, TimePs latency_ps) const;
  /// When the first chunk of a tree goes from a rank to its parent, and from the parent to it.
  std::uint32_t up(std::size_t tree, std::uint32_t rank) const { return up_[tree * ranks_ + rank]; }
  std::uint32_t down(std::size_t tree, std::uint32_t rank) const { return down_[tree * ranks_ + rank]; }

 private:
  /// A tree's way over one link in one direction.
  struct Crossing {
    std::uint32_t first_period, slot;  ///< of the first chunk; slot within the period
    std::uint32_t link;
    std::uint32_t waits_from, waits_to;  ///< in `waits_`
  };
  void list_crossings(const TreePacking& packing, bool up, bool down);

  std::uint32_t period_, ranks_;
  std::vector<Crossing> crossings_;   // by slot
  std::vector<std::uint32_t> waits_;  // crossings
  std::uint32_t links_ = 0;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> up_, down_;  // by tree and rank
};

}  // namespace wafertlm
