// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {

/// What all ranks of a hierarchical collective on a full rectangle share: the cut of the vector, and the
/// order in which messages leave along rows and along columns.
///
/// A phase of a part is a flow in one direction. In slot s every flow moves chunk s − (its phase), so a chunk
/// passes a phase per slot; within a slot the rounds of the flows' rings alternate, so that a round's latency
/// is hidden by the other flows' messages. An NPU has one message under way per direction: more of them for
/// one link would fill the router's input buffer and hold up those for the other links.
class HierarchicalPlan {
 public:
  struct Flow {
    std::uint32_t part, phase;
    bool second;             ///< along the part's second dimension
    bool gathers;            ///< all-gather, else reduce-scatter
    std::uint32_t messages;  ///< per ring round: blocks of ranks in a row are not contiguous in the vector
  };
  /// A message of a direction.
  struct Position {
    std::uint32_t flow, chunk, round, message;
  };

  /// `at` = rank at row · width + column; both sides longer than 1. With one part all takes the rows first.
  HierarchicalPlan(CollectiveType type, std::uint32_t width, std::uint32_t height,
                   std::vector<std::uint32_t> at, std::uint64_t bytes, std::uint32_t chunks,
                   std::uint32_t parts = 2, std::optional<std::uint64_t> split_percent = {});

  /// Part 0 takes the rows first, part 1 the columns first. Rows carry 2(w−1)/w · (x + (1−x)/h) of an
  /// all-reduced vector when part 0 has the share x, columns 2(h−1)/h · (1−x + x/w); both are equal for x =
  /// (wh − 2w + 1) / (2(w−1)(h−1)), 11/24 on 5 × 4. `split_percent` overrides it.
  std::uint64_t share_of_part_0(std::uint64_t bytes) const;
  /// Ranks along the first or the second dimension of a part.
  std::uint32_t side(std::uint32_t part, bool second) const {
    return (part == 0) != second ? width_ : height_;
  }
  std::uint32_t length(bool rows) const { return rows ? width_ : height_; }
  const std::vector<Flow>& flows(bool rows) const { return rows ? row_flows_ : column_flows_; }

  /// Messages that a rank sends, and receives, along rows or columns.
  std::uint32_t steps(bool rows) const { return slots(rows).back().first; }
  Position position(bool rows, std::uint32_t index) const;
  std::uint32_t index(bool rows, const Position& position) const;
  /// Whether the flow of a phase runs along rows, and its number there.
  std::pair<bool, std::uint32_t> flow_of(std::uint32_t part, std::uint32_t phase) const;

  /// What a message carries for the block at `block` along its direction, in the ring of those at `across`.
  BufferPiece range(const Flow& flow, const Position& position, std::uint32_t block,
                    std::uint32_t across) const;

  std::uint32_t column(std::uint32_t rank) const { return grid_position_[rank] % width_; }
  std::uint32_t row(std::uint32_t rank) const { return grid_position_[rank] / width_; }
  std::uint32_t rank_at(std::uint32_t column, std::uint32_t row) const { return at_[row * width_ + column]; }

 private:
  static constexpr std::size_t kFlows = 4;  // of a direction: two parts, each there and back
  struct Slot {
    std::uint32_t first = 0;      // index of its first message
    std::uint32_t per_round = 0;  // messages of all flows in a round
    /// Where those of a flow begin in a round; behind the last flow per_round. Those of a flow that has no
    /// chunk in this slot are none.
    std::array<std::uint32_t, kFlows + 1> begin{};
  };

  const std::vector<Slot>& slots(bool rows) const { return rows ? row_slots_ : column_slots_; }
  Slot slot_from(std::uint32_t first, bool rows, std::uint32_t number) const;
  BufferPiece chunk_of_part(const BufferPiece& whole, std::uint32_t part, std::uint32_t chunk) const;

  CollectiveType type_;
  std::uint32_t width_, height_;
  std::vector<std::uint32_t> at_, grid_position_;
  std::uint64_t bytes_;
  std::uint32_t chunks_, parts_;
  std::optional<std::uint64_t> split_percent_;
  std::vector<Flow> row_flows_, column_flows_;
  std::vector<Slot> row_slots_, column_slots_;    // and the end
  std::array<std::uint32_t, 2> most_per_slot_{};  // messages, along columns, along rows
  std::vector<BufferPiece> chunk_ranges_;         // all-reduce: [part][chunk]
};

}  // namespace wafertlm
