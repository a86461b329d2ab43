// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// A stretch of the vector.
struct Range {
  std::uint64_t offset = 0, bytes = 0;
};

/// What all ranks of a hierarchical collective on a full rectangle share.
class HierarchicalPlan {
 public:
  /// One of the phases that a chunk goes through.
  struct Phase {
    bool second;   ///< along the part's second dimension
    bool gathers;  ///< all-gather, else reduce-scatter
  };
  /// Chunks that are under way in one phase of one part, so that the latency of a ring step idles no link.
  static constexpr std::uint32_t kLanes = 2;

  /// `at` = rank at row · width + column; both sides longer than 1.
  HierarchicalPlan(CollectiveType type, std::uint32_t width, std::uint32_t height,
                   std::vector<std::uint32_t> at, std::uint64_t bytes, std::uint32_t chunks);

  /// Part 0 takes the rows first, part 1 the columns first. Rows carry 2(w−1)/w · (x + (1−x)/h) of an all-reduced
  /// vector when part 0 has the share x, columns 2(h−1)/h · (1−x + x/w); both are equal for
  /// x = (wh − 2w + 1) / (2(w−1)(h−1)), 11/24 on 5 × 4.
  std::uint64_t share_of_part_0(std::uint64_t bytes) const;
  /// Ranks along the first or the second dimension of a part.
  std::uint32_t side(std::uint32_t part, bool second) const {
    return (part == 0) != second ? width_ : height_;
  }
  const std::vector<Phase>& phases() const { return phases_; }
  std::uint32_t lanes() const { return chunks_ < kLanes ? chunks_ : kLanes; }
  std::uint32_t chunks_of(std::uint32_t lane) const { return (chunks_ - lane + lanes() - 1) / lanes(); }
  /// Messages of one ring step: blocks of a rank's own place in the vector are not contiguous along a dimension.
  std::uint32_t messages(std::uint32_t part, std::uint32_t phase) const {
    return type_ == CollectiveType::all_reduce || phases_[phase].second ? 1 : side(part, true);
  }
  /// What message `message` of a phase carries for the block at `place` along the phase's dimension, in the ring of
  /// those that are at `across` in the other dimension.
  Range range(std::uint32_t part, std::uint32_t chunk, std::uint32_t phase, std::uint32_t place,
              std::uint32_t across, std::uint32_t message) const;

  std::uint32_t column(std::uint32_t rank) const { return place_[rank] % width_; }
  std::uint32_t row(std::uint32_t rank) const { return place_[rank] / width_; }
  std::uint32_t rank_at(std::uint32_t column, std::uint32_t row) const { return at_[row * width_ + column]; }

 private:
  Range chunk_of_part(Range whole, std::uint32_t part, std::uint32_t chunk) const;

  CollectiveType type_;
  std::uint32_t width_, height_;
  std::vector<std::uint32_t> at_, place_;
  std::uint64_t bytes_;
  std::uint32_t chunks_;
  std::vector<Phase> phases_;
};

/// Hierarchical all-reduce, all-gather and reduce-scatter on a rectangle: two parts run side by side with opposite
/// order of dimensions, each in rings along rows and columns (the ring's last edge runs back over the backward
/// links). Every chunk of a part is reduce-scattered along the first dimension, then the second, and gathered back.
/// Strands: per part, phase and lane one that sends and one that receives.
class HierarchicalProgram : public StepSource {
 public:
  HierarchicalProgram(std::shared_ptr<const HierarchicalPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t strands() const override;
  std::uint32_t steps(std::uint32_t strand) const override;
  Step step(std::uint32_t strand, std::uint32_t index) const override;

 private:
  /// What a strand does.
  struct Place {
    std::uint32_t part, phase, lane;
    bool receives;
  };
  Place place(std::uint32_t strand) const;
  std::uint32_t strand_of(const Place& place) const;
  std::uint32_t steps_of_chunk(std::uint32_t part, std::uint32_t phase) const;

  std::shared_ptr<const HierarchicalPlan> plan_;
  std::uint32_t rank_;
};

}  // namespace wafertlm
