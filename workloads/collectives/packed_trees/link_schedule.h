// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"
#include "workloads/collectives/packed_trees/rank_graph.h"
#include "workloads/collectives/packed_trees/tree_packing.h"

namespace wafertlm {

/// What a chunk takes on each link of a graph.
struct ChunkTimes {
  std::vector<TimePs> slot_ps;        ///< until the next one may begin
  std::vector<TimePs> latency_ps;     ///< from the end of that until it may go on
  std::vector<TimePs> out_ps, in_ps;  ///< in the ports of each rank, which its links share
};

/// When each chunk crosses each link, in ticks. Chunk c of all trees goes a period after chunk c - 1, and no
/// two of them want a link in the same slot of their periods: links with as many trees as a period has slots
/// are never idle but at both ends of the collective, and no chunk waits for one that is late (modulo
/// scheduling, Rau 1981; for collectives: Beaumont, Legrand, Marchal and Robert 2005).
class LinkSchedule {
 public:
  /// A link has as many slots in a period as the packing says; with equally many on all of them a tick is a
  /// slot. `lag`: ticks from a chunk's start on a link that is as fast as that until it may start on the next
  /// one; at least 1. Chunks go up the trees to their roots, or down from them, or first up and then down.
  LinkSchedule(const RankGraph& graph, const TreePacking& packing, std::uint32_t lag, bool up, bool down);

  /// Ticks of a period for so many slots of each link.
  static std::uint32_t period_of(const TreePacking& packing);
  std::uint32_t period() const { return period_; }
  /// Ticks until the first chunk of all trees has crossed its last link.
  std::uint32_t first_chunk_ticks() const { return end_; }
  /// When the last of so many chunks of all trees has come, if each goes as early as the order of each link
  /// allows.
  TimePs end_ps(std::uint64_t chunks, const ChunkTimes& times) const;
  /// What the busiest link or port takes for a chunk of all trees: end_ps is at least so much for each chunk.
  TimePs busiest_ps(const ChunkTimes& times) const;
  /// When the first chunk of a tree goes from a rank to its parent, and from the parent to it.
  std::uint32_t up(std::size_t tree, std::uint32_t rank) const { return up_[tree * ranks_ + rank]; }
  std::uint32_t down(std::size_t tree, std::uint32_t rank) const { return down_[tree * ranks_ + rank]; }

 private:
  /// A tree's way over one link.
  struct Crossing {
    std::uint32_t first_period, tick;  ///< of the first chunk; tick within the period
    std::uint32_t link;
    std::uint32_t waits_from, waits_to;  ///< in `waits_`
  };
  void list_crossings(const RankGraph& graph, const TreePacking& packing, bool up, bool down);

  std::uint32_t period_, ranks_;
  std::vector<Crossing> crossings_;  // by tick
  struct Wait {
    std::uint32_t crossing, periods;  ///< of which chunk c has come so many periods before
  };
  std::vector<Wait> waits_;
  std::vector<RankGraph::Link> links_;
  std::vector<std::uint64_t> per_link_;  // crossings
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> up_, down_;  // by tree and rank; empty: no chunk goes there
};

}  // namespace wafertlm
