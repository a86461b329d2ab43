// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/ring.h"

#include "workloads/collectives/rank_programs.h"

namespace wafertlm {

std::uint32_t RingPlan::steps() const {
  if (ranks() < 2) return 0;
  return (type == CollectiveType::all_reduce ? 2 : 1) * (ranks() - 1);
}

/// Threadblock 2k sends part k, threadblock 2k + 1 receives it.
Step RingProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const RingPlan& plan = *plan_;
  const std::uint32_t p = plan.ranks(), part = threadblock / 2, place = plan.place[rank_];
  const bool sends = threadblock % 2 == 0;
  const bool forward = part % plan.directions == 0;
  // Places count along the direction of the part, so that both directions read the same.
  const auto at = [&](std::uint32_t along) { return forward ? along % p : (2 * p - along % p) % p; };
  const std::uint32_t along = forward ? place : (p - place) % p;

  const bool reduces = plan.type == CollectiveType::reduce_scatter ||
                       (plan.type == CollectiveType::all_reduce && index < p - 1);
  const std::uint32_t round = plan.type == CollectiveType::all_reduce && !reduces ? index - (p - 1) : index;
  // What is sent; a rank receives what the one before it sends.
  const std::uint32_t sender = sends ? along : along + p - 1;
  const std::uint32_t behind = reduces ? round + 1 : round;
  const std::uint32_t block = plan.order[at(sender + p - behind)];

  const Blocks blocks(plan.bytes, p);
  const Blocks parts(blocks.bytes(block), plan.parts());
  Step step;
  step.kind = sends ? Step::Kind::send : reduces ? Step::Kind::reduce : Step::Kind::copy;
  step.peer = plan.order[at(sends ? along + 1 : along + p - 1)];
  step.offset = blocks.offset(block) + parts.offset(part);
  step.bytes = parts.bytes(part);
  step.tag = std::uint64_t{part} << 32 | index;
  if (sends && index > 0) {
    step.after_threadblock = threadblock + 1;  // what came in the step before goes on
    step.after_count = index;
  }
  return step;
}

Algorithm::Programs ring_programs(const CollectiveRequest& request, const FabricTraits& fabric,
                                  std::uint32_t directions) {
  RingPlan plan;
  plan.type = request.type;
  plan.order = fabric.topology->ring_order(request.group);
  plan.place.resize(plan.order.size());
  for (std::uint32_t place = 0; place < plan.order.size(); ++place) plan.place[plan.order[place]] = place;
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.directions = directions;
  return rank_programs<RingProgram>(request, std::move(plan));
}

}  // namespace wafertlm
