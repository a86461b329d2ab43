// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/program.h"
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// Every rank sends what another needs straight to it. All-reduce is a reduce-scatter and then an all-gather.
/// Peers are served in the order of their distance in the group, at most kWindow at a time in each direction;
/// what is reduced is added in one threadblock, in that order. All-to-all receives behind the vector that it
/// sends; a rank's own block does not cross the fabric.
class DirectProgram : public StepSource {
 public:
  static constexpr std::uint32_t kWindow = 32;

  DirectProgram(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes, std::uint32_t root,
                std::uint32_t rank);

  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(exchanges_.size()); }
  std::uint32_t steps(std::uint32_t threadblock) const override { return exchanges_[threadblock].steps; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  enum class Data : std::uint8_t { own_block, peers_block, vector };
  struct Exchange {
    Step::Kind kind;
    Data data;
    std::uint32_t first, stride, steps;  ///< distances of the peers
    std::uint32_t round, after;          ///< after: threadblock that must be over
  };
  void add(Step::Kind kind, Data data, std::uint32_t round, std::uint32_t after = Step::kNone);

  CollectiveType type_;
  std::uint32_t ranks_;
  std::uint64_t bytes_;
  std::uint32_t root_, rank_;
  std::vector<Exchange> exchanges_;
};

Algorithm::Programs direct_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
