// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

/// What all ranks of a ring collective share.
struct RingPlan {
  CollectiveType type{};             ///< all_reduce, all_gather or reduce_scatter
  std::vector<std::uint32_t> order;  ///< ranks in ring order
  std::vector<std::uint32_t> place;  ///< of a rank in the order
  std::uint64_t bytes = 0;           ///< full vector
  std::uint32_t directions = 1;      ///< 2: bidirectional, odd parts run backwards
  std::uint32_t chunks = 1;          ///< per direction

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(order.size()); }
  std::uint32_t parts() const { return directions * chunks; }
  /// Steps of a part: p − 1 to reduce-scatter, p − 1 to all-gather.
  std::uint32_t steps() const {
    return ranks() < 2 ? 0 : (type == CollectiveType::all_reduce ? 2 : 1) * (ranks() - 1);
  }
};

/// Ring all-reduce, all-gather and reduce-scatter. The vector is cut into a block per rank, every block into
/// parts (directions × chunks) that run side by side. In reduce-scatter step s a rank sends the block of the
/// rank s + 1 places behind it and adds what comes; after p − 1 steps it holds its own block reduced.
/// All-gather passes the blocks on in the same way.
class RingProgram : public StepSource {
 public:
  RingProgram(std::shared_ptr<const RingPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return plan_->ranks() > 1 ? 2 * plan_->parts() : 0; }
  std::uint32_t steps(std::uint32_t) const override { return plan_->steps(); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  std::shared_ptr<const RingPlan> plan_;
  std::uint32_t rank_;
};

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

}  // namespace

template <std::uint32_t directions>
Algorithm::Programs ring_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
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

/// A ring step waits for the one before at the rank before it, so after K steps the latencies of K
/// consecutive ring edges have added up, and K blocks have been sent one after the other. With chunks the
/// link stays busy while a chunk is under way, if there are enough of them.
template <std::uint32_t directions>
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::vector<std::uint32_t> order = fabric.topology->ring_order(request.group);
  const auto p = static_cast<std::uint64_t>(order.size());
  const std::uint64_t steps = (request.type == CollectiveType::all_reduce ? 2 : 1) * (p - 1);
  const std::uint64_t block = Blocks(request.bytes, p).bytes(0);
  const std::uint64_t chunk = Blocks(Blocks(block, directions).bytes(0), request.chunks).bytes(0);

  FabricLoads loads(fabric);
  SlowestPath slowest(*fabric.topology);
  std::vector<TimePs> latency(p);
  TimePs longest = 0, once_round = 0;
  // Whole blocks of the shortest length: no more than the steps below count.
  const std::uint64_t passed = Blocks(request.bytes, p).bytes(p - 1) * steps;
  const bool reduces = request.type != CollectiveType::all_gather;
  const bool gathers = request.type != CollectiveType::reduce_scatter;
  // All-reduce reduces in one half of its steps and copies in the other: no step is as long as the longer.
  const TimePs memory =
      fabric.memory.send_ps(chunk) +
      (fabric.memory.receive_ps(chunk, reduces) + fabric.memory.receive_ps(chunk, reduces && !gathers)) / 2;
  for (std::uint64_t i = 0; i < p; ++i) {
    const NpuId from = request.group[order[i]], to = request.group[order[(i + 1) % p]];
    latency[i] = fabric.latency_ps(from, to) + memory;
    longest = std::max(longest, latency[i]);
    once_round += latency[i];
    slowest.add(from, to);
    loads.add(from, to, passed - (directions - 1) * (passed / 2));
    if (directions == 2) loads.add(to, from, passed / 2);
  }
  // The worst of all windows of steps mod p edges, and the whole rounds.
  TimePs window = 0;
  for (std::uint64_t k = 0; k < steps % p; ++k) window += latency[k];
  TimePs path = window;
  for (std::uint64_t start = 0; start + 1 < p; ++start) {
    window += latency[(start + steps % p) % p] - latency[start];
    path = std::max(path, window);
  }
  path += steps / p * once_round;
  // Both directions of a pair run over the same link.
  const std::uint64_t rate =
      std::min(slowest.bytes_per_s() / (p == 2 ? directions : 1), fabric.port_bytes_per_s() / directions);
  const TimePs chunk_ps = message_ps(fabric, chunk, rate);
  // A threadblock's next chunk waits for the costs of the one before.
  const TimePs pace = std::max(chunk_ps + fabric.step_cost_ps + fabric.memory.send_ps(chunk),
                               fabric.receive_cost_ps + fabric.memory.receive_ps(chunk, reduces));
  return std::max({path + steps * chunk_ps + (request.chunks - 1) * pace,
                   longest + steps * request.chunks * chunk_ps, loads.busiest_ps()});
}

template Algorithm::Programs ring_programs<1>(const CollectiveRequest&, const FabricTraits&);
template TimePs ring_ps<1>(const CollectiveRequest&, const FabricTraits&);
template Algorithm::Programs ring_programs<2>(const CollectiveRequest&, const FabricTraits&);
template TimePs ring_ps<2>(const CollectiveRequest&, const FabricTraits&);

}  // namespace wafertlm
