// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {

/// What local steps cost.
struct LocalCosts {
  std::uint64_t bytes_per_s = 0;  ///< a copy reads and writes, a reduction reads twice and writes; 0: free
  MemoryTraits memory;
};

/// Where the chunks of a custom algorithm lie in the buffers of a collective of a given size. In front is
/// what the type's definition says; behind it scratch, and if the algorithm does not work in place a copy of
/// the input and as many bytes that hold nothing, which the output is made of first.
class CustomPlan {
 public:
  /// `loops`: parts of every chunk, which go through the algorithm one after the other.
  /// @throws std::invalid_argument naming the operation: a message without its other half; chunks of
  /// different length meet.
  CustomPlan(std::shared_ptr<const CustomAlgorithm> algorithm, std::uint64_t bytes, std::uint32_t loops,
             const LocalCosts& costs = {});

  const CustomAlgorithm& algorithm() const { return *algorithm_; }
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }

  std::uint32_t threadblocks(std::uint32_t rank) const;
  std::uint32_t steps(std::uint32_t rank, std::uint32_t threadblock) const;
  Step step(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index) const;
  /// "ring.xml:12: gpu 3, tb 0, step 7"; empty: a step that the file does not have.
  std::string origin(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index) const;

 private:
  /// An operation, or with loops what it does with one of its chunks.
  struct Part {
    const CustomOperation* operation;
    std::uint32_t chunk;                      // of the operation's; of all if there are no loops
    std::uint32_t after_count = 0;            // in parts of the other thread
    std::uint64_t number = 0, of_number = 0;  // of a message on its channel, and how many there are
  };
  using Parts = std::vector<Part>;

  void cut(std::uint32_t rank);
  void check_messages() const;
  const Part* part(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index,
                   std::uint32_t* loop) const;
  BufferPiece whole(std::uint32_t rank, const CustomChunks& chunks) const;
  BufferPiece piece(std::uint32_t rank, CustomChunks chunks, const Part& part, std::uint32_t loop) const;
  BufferPiece chunk(std::uint32_t rank, CustomChunks::Buffer buffer, std::uint32_t number) const;
  BufferPiece vector_chunk(std::uint32_t number) const;
  BufferPiece received_chunk(std::uint32_t rank, std::uint32_t number) const;
  Step prologue(std::uint32_t rank, std::uint32_t index) const;
  TimePs local_ps(const CustomOperation& operation, std::uint64_t bytes) const;
  std::uint32_t first_threadblock() const { return moves_input_ ? 1 : 0; }

  std::shared_ptr<const CustomAlgorithm> algorithm_;
  std::uint64_t bytes_, buffer_bytes_ = 0, slot_bytes_ = 0;
  std::uint64_t scratch_at_ = 0, input_at_ = 0, nothing_at_ = 0;
  std::uint32_t loops_;
  LocalCosts costs_;
  bool moves_input_;
  Blocks blocks_;
  std::vector<std::vector<Parts>> threads_;  // by rank
};

/// A threadblock per thread.
class CustomProgram final : public StepSource {
 public:
  CustomProgram(std::shared_ptr<const CustomPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return plan_->threadblocks(rank_); }
  std::uint32_t steps(std::uint32_t threadblock) const override { return plan_->steps(rank_, threadblock); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    return plan_->step(rank_, threadblock, index);
  }
  std::string origin(std::uint32_t threadblock, std::uint32_t index) const override {
    return plan_->origin(rank_, threadblock, index);
  }

 private:
  std::shared_ptr<const CustomPlan> plan_;
  std::uint32_t rank_;
};

/// The plan of a request with a custom algorithm.
/// @throws std::invalid_argument as CustomPlan
std::shared_ptr<const CustomPlan> custom_plan(const CollectiveRequest& request, const FabricTraits& fabric);

/// Time of a custom algorithm with nothing shared, or of the busiest link or port if that is longer: every
/// step as soon as those before it let it.
TimePs custom_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
