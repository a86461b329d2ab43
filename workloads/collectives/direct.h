// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/program.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// Direct all-to-all: every rank sends block j of its vector to rank j, all at once. The buffer holds the
/// vector to send and behind it the received one. A rank's own block does not cross the fabric.
class DirectAllToAll : public StepSource {
 public:
  DirectAllToAll(std::uint32_t ranks, std::uint64_t bytes, std::uint32_t rank)
      : ranks_(ranks), bytes_(bytes), rank_(rank) {}

  std::uint32_t strands() const override { return 2 * (ranks_ - 1); }
  std::uint32_t steps(std::uint32_t) const override { return 1; }
  Step step(std::uint32_t strand, std::uint32_t) const override {
    const Blocks blocks(bytes_, ranks_);
    const std::uint32_t distance = strand / 2 + 1;
    Step step;
    if (strand % 2 == 0) {
      step.peer = (rank_ + distance) % ranks_;
      step.offset = blocks.offset(step.peer);
      step.bytes = blocks.bytes(step.peer);
    } else {
      step.kind = Step::Kind::copy;
      step.peer = (rank_ + ranks_ - distance) % ranks_;
      // Blocks differ by an element: what comes is as long as this rank's block, at the sender's place.
      step.offset = bytes_ + step.peer * blocks.bytes(rank_);
      step.bytes = blocks.bytes(rank_);
    }
    return step;
  }

 private:
  std::uint32_t ranks_;
  std::uint64_t bytes_;
  std::uint32_t rank_;
};

}  // namespace wafertlm
