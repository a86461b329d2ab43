// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kSends = 0, kReceives = 1;
constexpr std::uint64_t kFoldInTag = std::uint64_t{1} << 32, kFoldOutTag = std::uint64_t{2} << 32;

/// Who does what in halving-doubling: `power` pairs or single ranks take part, the largest power of two. The
/// first 2 · extra ranks are pairs of neighbours, whose odd one is folded into the even one before and out of
/// it after.
struct HalvingPlan {
  HalvingPlan(HalvingOrder order, CollectiveType type, std::uint32_t ranks, std::uint64_t bytes);

  HalvingOrder order;
  CollectiveType type;
  std::uint32_t ranks;
  std::uint64_t bytes;
  std::uint32_t power = 1, extra = 0, rounds = 0;

  bool folded_out(std::uint32_t rank) const { return rank < 2 * extra && rank % 2 == 1; }
  bool has_folded(std::uint32_t rank) const { return rank < 2 * extra && rank % 2 == 0; }
  std::uint32_t part_of(std::uint32_t rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  /// The rank that takes part.
  std::uint32_t rank_of(std::uint32_t part) const { return part < extra ? 2 * part : part + extra; }
  /// The blocks are the ranks', else the parts'.
  bool by_rank() const {
    return type == CollectiveType::reduce_scatter || type == CollectiveType::all_gather;
  }
  /// Where the data of the parts from `part` on begins; power: the end.
  std::uint64_t offset(std::uint32_t part) const;
  /// Of the parts first, first + stride …
  std::uint64_t bytes_of(std::uint32_t first, std::uint32_t stride, std::uint32_t count) const;
};

/// Reduce-scatter by halving, then all-gather by doubling: in round k a rank exchanges the half of what it
/// works on with the rank 2^k away (Rabenseifner, ICCS 2004: vector halving, distance doubling), or, farthest
/// first, power / 2^(k+1) away (Thakur et al., IJHPCA 2005: recursive halving), and back the same way, in
/// ⌈2 log₂ p⌉ rounds. One threadblock sends, one receives.
class HalvingProgram : public StepSource {
 public:
  HalvingProgram(std::shared_ptr<const HalvingPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return plan_->ranks > 1 ? 2 : 0; }
  std::uint32_t steps(std::uint32_t threadblock) const override;
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;
  std::vector<BufferPiece> pieces(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// What goes from one rank to another in a round: the data of some parts.
  struct Exchange {
    std::uint32_t peer = 0, first = 0, stride = 1, count = 0;
    bool halves = false;
  };
  /// Rounds of exchange of one rank that takes part.
  std::uint32_t exchanges() const;
  Step fold(bool in, bool sends) const;
  Exchange exchange(std::uint32_t round, bool sends) const;
  Step exchange_step(std::uint32_t round, bool sends) const;

  std::shared_ptr<const HalvingPlan> plan_;
  std::uint32_t rank_;
};

HalvingPlan::HalvingPlan(HalvingOrder first, CollectiveType collective, std::uint32_t count,
                         std::uint64_t size)
    : order(first), type(collective), ranks(count), bytes(size) {
  while (2 * power <= ranks) {
    power *= 2;
    ++rounds;
  }
  extra = ranks - power;
}

std::uint64_t HalvingPlan::offset(std::uint32_t part) const {
  return by_rank() ? Blocks(bytes, ranks).offset(part == power ? ranks : rank_of(part))
                   : Blocks(bytes, power).offset(part);
}

std::uint64_t HalvingPlan::bytes_of(std::uint32_t first, std::uint32_t stride, std::uint32_t count) const {
  if (!by_rank()) return Blocks(bytes, power).bytes(first, stride, count);
  const Blocks blocks(bytes, ranks);
  const auto pairs = static_cast<std::uint32_t>(Blocks::below(extra, first, stride, count));
  return blocks.bytes(2 * first, 2 * stride, pairs) + blocks.bytes(2 * first + 1, 2 * stride, pairs) +
         blocks.bytes(first + pairs * stride + extra, stride, count - pairs);
}

std::uint32_t HalvingProgram::exchanges() const { return (plan_->by_rank() ? 1 : 2) * plan_->rounds; }

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

HalvingProgram::Exchange HalvingProgram::exchange(std::uint32_t round, bool sends) const {
  const HalvingPlan& plan = *plan_;
  const bool gathers_only = plan.type == CollectiveType::all_gather;
  Exchange exchange;
  exchange.halves = !gathers_only && round < plan.rounds;
  // Doubling is halving backwards.
  const std::uint32_t k =
      exchange.halves ? round : (gathers_only ? plan.rounds : 2 * plan.rounds) - 1 - round;
  const bool nearest = plan.order == HalvingOrder::nearest_first;
  const std::uint32_t distance = nearest ? 1U << k : plan.power >> (k + 1);
  const std::uint32_t part = plan.part_of(rank_), other = part ^ distance;
  // Halving: what the receiver keeps. Doubling: what the sender has.
  const std::uint32_t whose = exchange.halves == sends ? other : part;
  exchange.peer = plan.rank_of(other);
  exchange.stride = nearest ? 2 * distance : 1;
  exchange.count = plan.power >> (k + 1);
  exchange.first = nearest ? whose & (exchange.stride - 1) : whose & ~(distance - 1);
  return exchange;
}

Step HalvingProgram::exchange_step(std::uint32_t round, bool sends) const {
  const Exchange is = exchange(round, sends);
  Step step;
  step.kind = sends ? Step::Kind::send : is.halves ? Step::Kind::reduce : Step::Kind::copy;
  step.peer = is.peer;
  step.offset = plan_->offset(is.first);
  step.bytes = plan_->bytes_of(is.first, is.stride, is.count);
  step.tag = round;
  return step;
}

std::vector<BufferPiece> HalvingProgram::pieces(std::uint32_t threadblock, std::uint32_t index) const {
  const bool sends = threadblock == kSends;
  const std::uint32_t folds_in = !sends && plan_->has_folded(rank_) ? 1 : 0;
  if (plan_->folded_out(rank_) || index < folds_in || index - folds_in >= exchanges())
    return StepSource::pieces(threadblock, index);
  const Exchange is = exchange(index - folds_in, sends);
  std::vector<BufferPiece> pieces;
  for (std::uint32_t i = 0, part = is.first; i < is.count; ++i, part += is.stride)
    pieces.push_back({plan_->offset(part), plan_->offset(part + 1) - plan_->offset(part)});
  return pieces;
}

Step HalvingProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const bool sends = threadblock == kSends;
  if (plan_->folded_out(rank_)) return fold(sends, sends);
  const std::uint32_t folded = plan_->has_folded(rank_) ? 1 : 0;
  Step step;
  std::uint32_t received = index;  // steps that a send waits for
  if (sends) {
    step = index < exchanges() ? exchange_step(index, true) : fold(false, true);
    received += folded;
  } else {
    step = index < folded ? fold(true, false) : exchange_step(index - folded, false);
  }
  if (sends && received > 0) {
    step.after_threadblock = kReceives;
    step.after_count = received;
  }
  return step;
}

}  // namespace

template <HalvingOrder order>
Algorithm::Programs halving_programs(const CollectiveRequest& request, const FabricTraits& /*fabric*/) {
  return rank_programs<HalvingProgram>(request,
                                       HalvingPlan(order, request.type, ranks_of(request), request.bytes));
}

/// Round after round; a rank sends when it has what came in the round before, and not before its last
/// message has left. No round is shorter than its busiest link.
template <HalvingOrder order>
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::uint32_t p = ranks_of(request);
  auto plan = std::make_shared<const HalvingPlan>(order, request.type, p, request.bytes);
  std::vector<HalvingProgram> programs;
  for (std::uint32_t rank = 0; rank < p; ++rank) programs.emplace_back(plan, rank);
  // Fold in, exchanges, fold out: what each rank sends in them.
  const std::uint32_t exchanges = programs[0].steps(0) - (plan->has_folded(0) ? 1 : 0);
  std::vector<TimePs> ready(p, 0);  // has received what it sends next, and sent what it had
  const auto round = [&](auto send_of, bool reduces) {
    FabricLoads loads(fabric);
    std::vector<TimePs> next = ready;
    TimePs memories = 0;
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      const Step send = send_of(rank);
      if (send.bytes == 0) continue;
      const NpuId from = request.group[rank], to = request.group[send.peer];
      loads.add(from, to, fabric.format.message_wire_bytes(send.bytes));
      const TimePs bytes = message_ps(fabric, send.bytes, fabric.topology->path_bytes_per_s(from, to)) +
                           fabric.memory.send_ps(send.bytes);
      memories = std::max(memories,
                          fabric.memory.send_ps(send.bytes) + fabric.memory.receive_ps(send.bytes, reduces));
      next[rank] = std::max(next[rank], ready[rank] + fabric.step_cost_ps + bytes);
      next[send.peer] = std::max(next[send.peer], ready[rank] + fabric.latency_ps(from, to) + bytes +
                                                      fabric.memory.receive_ps(send.bytes, reduces));
    }
    // Who shares a link with others is as late as they are.
    const TimePs first = *std::min_element(ready.begin(), ready.end()),
                 busiest = loads.busiest_ps() + memories;
    ready = std::move(next);
    const TimePs last = *std::max_element(ready.begin(), ready.end());
    if (first + busiest > last)
      for (TimePs& at : ready) at += first + busiest - last;
  };
  const bool scatters = request.type != CollectiveType::all_gather;
  round([&](std::uint32_t rank) { return plan->folded_out(rank) ? programs[rank].step(0, 0) : Step(); },
        scatters);
  for (std::uint32_t index = 0; index < exchanges; ++index)
    round([&](std::uint32_t rank) { return plan->folded_out(rank) ? Step() : programs[rank].step(0, index); },
          scatters && index < plan->rounds);
  round(
      [&](std::uint32_t rank) { return plan->has_folded(rank) ? programs[rank].step(0, exchanges) : Step(); },
      false);
  return *std::max_element(ready.begin(), ready.end());
}

template Algorithm::Programs halving_programs<HalvingOrder::nearest_first>(const CollectiveRequest&,
                                                                           const FabricTraits&);
template Algorithm::Programs halving_programs<HalvingOrder::farthest_first>(const CollectiveRequest&,
                                                                            const FabricTraits&);
template TimePs halving_ps<HalvingOrder::nearest_first>(const CollectiveRequest&, const FabricTraits&);
template TimePs halving_ps<HalvingOrder::farthest_first>(const CollectiveRequest&, const FabricTraits&);

}  // namespace wafertlm
