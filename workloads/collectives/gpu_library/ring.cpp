// SPDX-License-Identifier: Apache-2.0
// Rings of a library of GPUs: a channel moves a chunk from rank to rank, slice by slice, before it begins the
// next one. Between servers there is a ring for each network interface, which enters and leaves servers
// there.
#include <memory>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/gpu_library/pieces.h"

namespace wafertlm {
namespace {

/// The same for all ranks.
struct RingPlan {
  CollectiveType type;
  std::uint64_t bytes;
  Servers servers;
  GpuLibrary library;
  GpuProtocol protocol;
  std::uint32_t rails = 1;
  std::vector<std::vector<std::uint32_t>> order;     ///< by rail: ranks
  std::vector<std::vector<std::uint32_t>> position;  ///< … of ranks
  std::uint64_t chunk = 0;                           ///< of all channels of a rail together, at most
  std::uint64_t loops = 0, slices = 1;

  RingPlan(const CollectiveRequest& request, const FabricTraits& fabric, GpuProtocol by)
      : type(request.type),
        bytes(request.bytes),
        servers(*servers_of(request.group, fabric)),
        library(fabric.library),
        protocol(by),
        rails(servers.servers == 1 ? 1 : servers.gpus) {
    for (std::uint32_t rail = 0; rail < rails; ++rail) order.push_back(ring_of(rail));
    for (const auto& ranks_in_order : order) {
      auto& places = position.emplace_back(ranks());
      for (std::uint32_t at = 0; at < ranks(); ++at) places[ranks_in_order[at]] = at;
    }
    const std::uint64_t slot = by == GpuProtocol::ll      ? kLlSlot
                               : by == GpuProtocol::ll128 ? kLl128Slot
                                                          : kSimpleChunk;
    const std::uint64_t channels = std::max(library.channels / rails, 1U);
    chunk = whole_elements(slot * channels);
    const std::uint64_t block = pieces_in(pieces_in(bytes, rails), ranks());
    loops = pieces_in(block, chunk);
    if (by == GpuProtocol::simple && std::min(block, chunk) / channels > kLeastSlice) slices = 2;
  }

  std::uint32_t ranks() const { return servers.ranks(); }
  bool sums() const { return type == CollectiveType::all_reduce; }
  std::uint64_t hops() const { return (sums() ? 2ULL : 1ULL) * (ranks() - 1); }
  /// Slice of what the rank at position `block` of the rail has in a loop.
  BufferPiece slice(std::uint32_t rail, std::uint64_t loop, std::uint32_t block, std::uint64_t slice) const {
    const BufferPiece all{0, bytes};
    BufferPiece piece;
    if (sums()) {
      const BufferPiece part = block_of(all, rail, rails);
      piece = block_of(piece_of(part, chunk * ranks(), loop), block, ranks());
    } else {
      piece = piece_of(block_of(block_of(all, order[rail][block], ranks()), rail, rails), chunk, loop);
    }
    return block_of(piece, slice, slices);
  }

 private:
  /// Server by server: in by the rail's GPU, through all others, out by the one before it, where the next
  /// server begins and goes the other way.
  std::vector<std::uint32_t> ring_of(std::uint32_t rail) const {
    std::vector<std::uint32_t> ring;
    for (std::uint32_t server = 0; server < servers.servers; ++server)
      for (std::uint32_t i = 0; i < servers.gpus; ++i) {
        const std::uint32_t place = server % 2 == 0 ? rail + i : rail + servers.gpus - 1 - i;
        ring.push_back(servers.rank(server, place % servers.gpus));
      }
    return ring;
  }
};

class RingSteps final : public StepSource {
 public:
  RingSteps(std::shared_ptr<const RingPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)),
        rank_(rank),
        costs_(plan_->protocol, plan_->library, plan_->servers, plan_->library.ring_server[plan_->protocol],
               plan_->library.ring_network[plan_->protocol]) {}

  std::uint32_t threadblocks() const override { return plan_->rails; }
  std::uint32_t steps(std::uint32_t) const override {
    return static_cast<std::uint32_t>(plan_->loops * of_loop());
  }
  Step step(std::uint32_t rail, std::uint32_t index) const override {
    const std::uint64_t loop = index / of_loop(), at = index % of_loop(), slices = plan_->slices;
    if (at < slices) return send(rail, loop, 0, at, index == 0);
    if (at >= of_loop() - slices) return receive(rail, loop, plan_->hops() - 1, at - (of_loop() - slices));
    const std::uint64_t pair = (at - slices) / 2, hop = pair / slices, slice = pair % slices;
    if ((at - slices) % 2 == 0) return receive(rail, loop, hop, slice);
    return send(rail, loop, hop + 1, slice, false);
  }

 private:
  std::uint64_t of_loop() const { return 2 * plan_->hops() * plan_->slices; }
  std::uint32_t position(std::uint32_t rail) const { return plan_->position[rail][rank_]; }
  std::uint32_t neighbour(std::uint32_t rail, std::uint32_t ahead) const {
    return plan_->order[rail][(position(rail) + ahead) % plan_->ranks()];
  }
  /// Whose block passes the rank's output in a hop; its input has that of the position before.
  std::uint32_t block(std::uint32_t rail, std::uint64_t hop) const {
    const std::uint64_t n = plan_->ranks(), at = position(rail);
    const bool own_last = plan_->type == CollectiveType::reduce_scatter;
    return static_cast<std::uint32_t>((at + 2 * n - hop - (own_last ? 1 : 0)) % n);
  }
  bool reduces(std::uint64_t hop) const {
    return plan_->type == CollectiveType::reduce_scatter || (plan_->sums() && hop < plan_->ranks() - 1);
  }
  std::uint64_t tag(std::uint32_t rail, std::uint64_t loop, std::uint64_t hop, std::uint64_t slice) const {
    return (std::uint64_t{rail} << 48) + (loop * plan_->hops() + hop) * plan_->slices + slice;
  }
  Step send(std::uint32_t rail, std::uint64_t loop, std::uint64_t hop, std::uint64_t slice,
            bool first) const {
    Step step;
    step.kind = Step::Kind::send;
    step.peer = neighbour(rail, 1);
    carry(step, plan_->slice(rail, loop, block(rail, hop), slice));
    step.tag = tag(rail, loop, hop, slice);
    costs_.pay(step, rank_, first ? plan_->library.ring_base[plan_->protocol] : 0);
    return step;
  }
  Step receive(std::uint32_t rail, std::uint64_t loop, std::uint64_t hop, std::uint64_t slice) const {
    Step step;
    step.kind = reduces(hop) ? Step::Kind::reduce : Step::Kind::copy;
    step.peer = neighbour(rail, plan_->ranks() - 1);
    const std::uint32_t n = plan_->ranks();
    carry(step, plan_->slice(rail, loop, (block(rail, hop) + n - 1) % n, slice));
    step.tag = tag(rail, loop, hop, slice);
    return step;
  }
  std::shared_ptr<const RingPlan> plan_;
  std::uint32_t rank_;
  StepCosts costs_;
};

}  // namespace

template <GpuProtocol protocol>
Algorithm::Programs gpu_ring_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto plan = std::make_shared<const RingPlan>(request, fabric, protocol);
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < plan->ranks(); ++rank)
    programs.push_back(std::make_unique<RingSteps>(plan, rank));
  return programs;
}

/// All slices one after the other, each with its latency; between servers the slower link.
template <GpuProtocol protocol>
TimePs gpu_ring_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const RingPlan plan(request, fabric, protocol);
  const Servers& servers = plan.servers;
  const StepCosts costs(protocol, plan.library, servers, plan.library.ring_server[protocol],
                        plan.library.ring_network[protocol]);
  const std::uint64_t moved = request.bytes / plan.ranks() * plan.hops();
  const std::uint64_t network = servers.network_bytes_per_s * servers.gpus;
  const std::uint64_t rate =
      servers.servers == 1 ? servers.server_bytes_per_s : std::min(servers.server_bytes_per_s, network);
  const std::uint32_t from = servers.rank(0, 0), to = servers.rank(0, servers.gpus - 1);
  const TimePs step = costs.of(from, to, 0), flags = costs.of(from, to, moved) - step;
  const TimePs crossings = servers.servers == 1 ? 0 : plan.library.ring_network[protocol] * servers.servers;
  return plan.library.ring_base[protocol] + transfer_time_ps(moved, rate) + flags +
         plan.loops * plan.slices * (step * plan.hops() + crossings);
}

template Algorithm::Programs gpu_ring_programs<GpuProtocol::ll>(const CollectiveRequest&,
                                                                const FabricTraits&);
template Algorithm::Programs gpu_ring_programs<GpuProtocol::ll128>(const CollectiveRequest&,
                                                                   const FabricTraits&);
template Algorithm::Programs gpu_ring_programs<GpuProtocol::simple>(const CollectiveRequest&,
                                                                    const FabricTraits&);
template TimePs gpu_ring_ps<GpuProtocol::ll>(const CollectiveRequest&, const FabricTraits&);
template TimePs gpu_ring_ps<GpuProtocol::ll128>(const CollectiveRequest&, const FabricTraits&);
template TimePs gpu_ring_ps<GpuProtocol::simple>(const CollectiveRequest&, const FabricTraits&);

}  // namespace wafertlm
