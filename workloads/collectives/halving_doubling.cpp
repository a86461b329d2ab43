// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/halving_doubling.h"

#include "workloads/collectives/rank_programs.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kSends = 0, kReceives = 1;
constexpr std::uint64_t kFoldInTag = std::uint64_t{1} << 32, kFoldOutTag = std::uint64_t{2} << 32;

}  // namespace

HalvingPlan::HalvingPlan(CollectiveType collective, std::uint32_t count, std::uint64_t size)
    : type(collective), ranks(count), bytes(size) {
  while (2 * power <= ranks) {
    power *= 2;
    ++rounds;
  }
  extra = ranks - power;
}

std::uint64_t HalvingPlan::offset(std::uint32_t part) const {
  const bool by_rank = type == CollectiveType::reduce_scatter || type == CollectiveType::all_gather;
  return by_rank ? Blocks(bytes, ranks).offset(part == power ? ranks : rank_of(part))
                 : Blocks(bytes, power).offset(part);
}

std::uint32_t HalvingProgram::exchanges() const {
  const bool one_way =
      plan_->type == CollectiveType::reduce_scatter || plan_->type == CollectiveType::all_gather;
  return (one_way ? 1 : 2) * plan_->rounds;
}

/// A folded-out rank sends once and receives once; its partner does too, before and after the exchanges.
std::uint32_t HalvingProgram::steps(std::uint32_t) const {
  if (plan_->folded_out(rank_)) return 1;
  return exchanges() + (plan_->has_folded(rank_) ? 1 : 0);
}

/// In: the odd rank's vector or block to the even one. Out: its result.
Step HalvingProgram::fold(bool in, bool sends) const {
  const HalvingPlan& plan = *plan_;
  const std::uint32_t odd = rank_ | 1;
  Step step;
  step.peer = rank_ ^ 1;
  step.tag = in ? kFoldInTag : kFoldOutTag;
  step.bytes = plan.bytes;
  const bool block_only = plan.type == (in ? CollectiveType::all_gather : CollectiveType::reduce_scatter);
  if (block_only) {
    const Blocks blocks(plan.bytes, plan.ranks);
    step.offset = blocks.offset(odd);
    step.bytes = blocks.bytes(odd);
  }
  if (!sends)
    step.kind = in && plan.type != CollectiveType::all_gather ? Step::Kind::reduce : Step::Kind::copy;
  return step;
}

Step HalvingProgram::exchange(std::uint32_t round, bool sends) const {
  const HalvingPlan& plan = *plan_;
  const bool halves = plan.type != CollectiveType::all_gather && round < plan.rounds;
  const std::uint32_t up = plan.type == CollectiveType::all_gather ? round : round - plan.rounds;
  const std::uint32_t distance = halves ? plan.power >> (round + 1) : 1U << up;
  const std::uint32_t part = plan.part_of(rank_), other = part ^ distance;
  // Halving: what the receiver keeps. Doubling: what the sender has.
  const std::uint32_t whose = halves == sends ? other : part;
  const std::uint32_t first = whose & ~(distance - 1);
  Step step;
  step.kind = sends ? Step::Kind::send : halves ? Step::Kind::reduce : Step::Kind::copy;
  step.peer = plan.rank_of(other);
  step.offset = plan.offset(first);
  step.bytes = plan.offset(first + distance) - step.offset;
  step.tag = round;
  return step;
}

Step HalvingProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const bool sends = threadblock == kSends;
  if (plan_->folded_out(rank_)) {
    Step step = fold(sends, sends);
    return step;
  }
  const std::uint32_t folded = plan_->has_folded(rank_) ? 1 : 0;
  Step step;
  std::uint32_t received = index;  // steps that a send waits for
  if (sends) {
    step = index < exchanges() ? exchange(index, true) : fold(false, true);
    received += folded;
  } else {
    step = index < folded ? fold(true, false) : exchange(index - folded, false);
  }
  if (sends && received > 0) {
    step.after_threadblock = kReceives;
    step.after_count = received;
  }
  return step;
}

Algorithm::Programs halving_programs(const CollectiveRequest& request, const FabricTraits& /*fabric*/) {
  return rank_programs<HalvingProgram>(request, HalvingPlan(request.type, ranks_of(request), request.bytes));
}

}  // namespace wafertlm
