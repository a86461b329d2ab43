// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "tlm/program.h"
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/blocks.h"

namespace wafertlm {

/// Who does what in halving-doubling: `power` pairs or single ranks take part, the largest power of two. The
/// first 2 · extra ranks are pairs of neighbours, whose odd one is folded into the even one before and out of
/// it after.
struct HalvingPlan {
  HalvingPlan(CollectiveType type, std::uint32_t ranks, std::uint64_t bytes);

  CollectiveType type;
  std::uint32_t ranks;
  std::uint64_t bytes;
  std::uint32_t power = 1, extra = 0, rounds = 0;

  bool folded_out(std::uint32_t rank) const { return rank < 2 * extra && rank % 2 == 1; }
  bool has_folded(std::uint32_t rank) const { return rank < 2 * extra && rank % 2 == 0; }
  std::uint32_t part_of(std::uint32_t rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  /// The rank that takes part.
  std::uint32_t rank_of(std::uint32_t part) const { return part < extra ? 2 * part : part + extra; }
  /// Where the data of the parts from `part` on begins; power: the end.
  std::uint64_t offset(std::uint32_t part) const;
};

/// Recursive halving (reduce-scatter), then doubling (all-gather): in round k a rank exchanges the half of
/// what it works on with the rank power / 2^(k+1) away, in ⌈2 log₂ p⌉ rounds. One threadblock sends, one
/// receives.
class HalvingProgram : public StepSource {
 public:
  HalvingProgram(std::shared_ptr<const HalvingPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return plan_->ranks > 1 ? 2 : 0; }
  std::uint32_t steps(std::uint32_t threadblock) const override;
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// Rounds of exchange of one rank that takes part.
  std::uint32_t exchanges() const;
  Step fold(bool in, bool sends) const;
  Step exchange(std::uint32_t round, bool sends) const;

  std::shared_ptr<const HalvingPlan> plan_;
  std::uint32_t rank_;
};

Algorithm::Programs halving_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
