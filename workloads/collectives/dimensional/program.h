// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/dimensional/stages.h"

namespace wafertlm {

/// What all ranks of a collective by dimensions share.
class DimensionalPlan {
 public:
  DimensionalPlan(const CollectiveRequest& request, GroupBox box, const FabricTraits& fabric);

 private:
  friend class DimensionalProgram;
  struct Stage {
    ChunkStage is;
    std::uint32_t first_step = 0, steps = 0, rounds = 0, window = 1;
    std::uint32_t messages = 2;  ///< in a round, sent and received
    std::uint64_t port_order = 0;
    std::uint32_t gate_count = 0;  ///< stages of the axis that must have ended; 0: none
  };
  struct Chunk {
    std::vector<Stage> stages;
    std::uint32_t steps = 0;
  };
  struct Gate {
    std::uint32_t threadblock, count;
  };

  void set_gates(const std::vector<ChunkRoute>& routes, const FabricTraits& fabric);

  CollectiveType type_;
  GroupBox box_;
  std::uint64_t bytes_;
  std::uint32_t ranks_, chunk_count_;
  TimePs stage_cost_ps_;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<Gate>> gates_;  ///< by axis: the ends of its stages in their order
  bool uniform_;                          ///< all blocks, chunks and halves are of the same length
};

/// A collective that goes through the dimensions of a fabric, chunk by chunk: a threadblock per chunk, whose
/// messages are posted round by round; with a limit of active chunks one more threadblock per axis, which
/// counts the stages that have ended there. Chunk c is part c of every rank's block.
class DimensionalProgram final : public StepSource {
 public:
  DimensionalProgram(std::shared_ptr<const DimensionalPlan> plan, std::uint32_t rank);

  std::uint32_t threadblocks() const override;
  std::uint32_t steps(std::uint32_t threadblock) const override;
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;
  bool wait_all(std::uint32_t threadblock, std::uint32_t index) const override;
  bool keeps_threadblocks() const override { return true; }
  std::vector<BufferPiece> pieces(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// What a message carries: the blocks whose coordinate on the stage's axis is first … first + count − 1, or
  /// a half of each.
  struct Part {
    std::uint32_t peer = 0;  // coordinate on the axis
    std::uint32_t first = 0, count = 1;
    std::uint32_t halves = 1, half = 0;
    std::uint64_t tag = 0;
    bool sends = false, reduces = false, wait_all = false, first_round = false;
  };
  const DimensionalPlan::Stage& stage_at(std::uint32_t chunk, std::uint32_t index) const;
  Part part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part ring_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part halving_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part direct_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  std::uint64_t bytes_of(const DimensionalPlan::Stage& stage, std::uint32_t chunk, const Part& part) const;
  BufferPiece piece_of(std::uint32_t block, std::uint32_t chunk, const Part& part) const;
  std::uint64_t received_at(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                            std::uint32_t position) const;

  std::shared_ptr<const DimensionalPlan> plan_;
  std::uint32_t position_;
};

/// @throws std::invalid_argument: the group is no box of coordinates, or an algorithm does not fit a
/// dimension.
std::vector<std::unique_ptr<StepSource>> dimensional_programs(const CollectiveRequest& request,
                                                              const FabricTraits& fabric);
TimePs dimensional_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
