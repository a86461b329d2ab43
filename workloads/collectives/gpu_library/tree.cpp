// SPDX-License-Identifier: Apache-2.0
// Trees of a library of GPUs: through each server a chain, at whose end a GPU joins a binary tree over the
// servers' network interfaces; of two trees each has every other interface. Sums go up, then come down.
#include <memory>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/gpu_library/pieces.h"

namespace wafertlm {
namespace {

std::uint64_t slot_of(GpuProtocol protocol) {
  return protocol == GpuProtocol::ll ? kLlSlot : protocol == GpuProtocol::ll128 ? kLl128Slot : kSimpleSlot;
}

struct TreePlan {
  std::uint64_t bytes;
  Servers servers;
  GpuLibrary library;
  GpuProtocol protocol;
  std::uint32_t rails = 1;
  std::vector<Tree> trees;  ///< by rail: over ranks
  std::uint64_t chunk = 0, chunks = 0;

  TreePlan(const CollectiveRequest& request, const FabricTraits& fabric, GpuProtocol by)
      : bytes(request.bytes),
        servers(*servers_of(request.group, fabric)),
        library(fabric.library),
        protocol(by),
        rails(servers.servers == 1 ? 1 : servers.gpus) {
    const std::vector<Tree> over = server_trees(servers);
    for (std::uint32_t rail = 0; rail < rails; ++rail) trees.push_back(tree_of(rail, over[rail % 2]));
    const std::uint64_t channels = std::max(library.channels / rails, 1U), part = pieces_in(bytes, rails);
    std::uint64_t slot = slot_of(by);
    // Small vectors go in smaller chunks, so that they fill the pipeline.
    const std::uint64_t depth = 8;
    while (slot > 32 * 1024 && part / channels / slot < depth) slot /= 2;
    chunk = whole_elements(slot * channels);
    chunks = pieces_in(part, chunk);
  }
  BufferPiece piece(std::uint32_t rail, std::uint64_t number) const {
    return piece_of(block_of({0, bytes}, rail, rails), chunk, number);
  }

 private:
  /// @param over of the servers
  Tree tree_of(std::uint32_t rail, const Tree& over) const {
    std::vector<std::uint32_t> heads;
    for (std::uint32_t server = 0; server < servers.servers; ++server)
      heads.push_back(servers.rank(server, rail));
    std::vector<std::uint32_t> parent(servers.ranks());
    for (std::uint32_t server = 0; server < servers.servers; ++server)
      for (std::uint32_t i = 1; i < servers.gpus; ++i)
        parent[servers.rank(server, (rail + i) % servers.gpus)] =
            servers.rank(server, (rail + i - 1) % servers.gpus);
    for (std::uint32_t server = 0; server < servers.servers; ++server)
      parent[heads[server]] = heads[over.parent(server)];
    return Tree(parent);
  }
};

/// Threadblocks 2 r and 2 r + 1 bring sums of rail r up, and down.
class GpuTreeSteps final : public StepSource {
 public:
  GpuTreeSteps(std::shared_ptr<const TreePlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)),
        rank_(rank),
        costs_(plan_->protocol, plan_->library, plan_->servers, plan_->library.tree_server[plan_->protocol],
               plan_->library.tree_network[plan_->protocol]) {}

  std::uint32_t threadblocks() const override { return 2 * plan_->rails; }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return static_cast<std::uint32_t>(plan_->chunks * of_chunk(threadblock / 2));
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    const std::uint32_t rail = threadblock / 2, each = of_chunk(rail);
    const Tree& tree = plan_->trees[rail];
    const bool down = threadblock % 2 != 0;
    const std::uint64_t chunk = index / each;
    std::uint32_t at = index % each;
    const std::vector<std::uint32_t>& children = tree.children(rank_);
    Step step;
    // Up: from the children, then to the parent. Down: from the parent, then to the children.
    const bool with_parent = !tree.is_root(rank_) && at == (down ? 0 : children.size());
    if (down && !tree.is_root(rank_) && !with_parent) --at;
    step.peer = with_parent ? tree.parent(rank_) : children[at];
    const bool sends = with_parent != down;
    step.kind = sends ? Step::Kind::send : down ? Step::Kind::copy : Step::Kind::reduce;
    const BufferPiece piece = plan_->piece(rail, chunk);
    carry(step, piece);
    step.tag = (std::uint64_t{threadblock} << 48) + chunk;
    const bool first = chunk == 0 && !down && children.empty();
    if (sends) costs_.pay(step, rank_, first ? plan_->library.tree_base[plan_->protocol] : 0);
    if (down && tree.is_root(rank_) && at == 0) {  // when the sum is there
      step.after_threadblock = threadblock - 1;
      step.after_count = static_cast<std::uint32_t>((chunk + 1) * each);
    }
    return step;
  }

 private:
  std::uint32_t of_chunk(std::uint32_t rail) const {
    const Tree& tree = plan_->trees[rail];
    return static_cast<std::uint32_t>(tree.children(rank_).size()) + (tree.is_root(rank_) ? 0 : 1);
  }

  std::shared_ptr<const TreePlan> plan_;
  std::uint32_t rank_;
  StepCosts costs_;
};

}  // namespace

template <GpuProtocol protocol>
Algorithm::Programs gpu_tree_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto plan = std::make_shared<const TreePlan>(request, fabric, protocol);
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < plan->servers.ranks(); ++rank)
    programs.push_back(std::make_unique<GpuTreeSteps>(plan, rank));
  return programs;
}

/// The first chunk all the way up and down, the others behind it over the slowest link.
template <GpuProtocol protocol>
TimePs gpu_tree_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const TreePlan plan(request, fabric, protocol);
  const Servers& servers = plan.servers;
  const GpuLibrary& library = plan.library;
  const std::uint64_t network = servers.network_bytes_per_s * servers.gpus;
  const std::uint64_t rate = servers.servers == 1 ? servers.server_bytes_per_s / 2
                                                  : std::min(servers.server_bytes_per_s / 2, network);
  const TimePs step =
      library.tree_server[protocol] * (servers.gpus - 1) + library.tree_network[protocol] * servers.levels();
  const std::uint64_t hops = servers.gpus - 1 + servers.levels();
  return library.tree_base[protocol] + 2 * step + transfer_time_ps(request.bytes, rate) +
         2 * hops * transfer_time_ps(plan.piece(0, 0).bytes, rate);
}

template Algorithm::Programs gpu_tree_programs<GpuProtocol::ll>(const CollectiveRequest&,
                                                                const FabricTraits&);
template Algorithm::Programs gpu_tree_programs<GpuProtocol::ll128>(const CollectiveRequest&,
                                                                   const FabricTraits&);
template Algorithm::Programs gpu_tree_programs<GpuProtocol::simple>(const CollectiveRequest&,
                                                                    const FabricTraits&);
template TimePs gpu_tree_ps<GpuProtocol::ll>(const CollectiveRequest&, const FabricTraits&);
template TimePs gpu_tree_ps<GpuProtocol::ll128>(const CollectiveRequest&, const FabricTraits&);
template TimePs gpu_tree_ps<GpuProtocol::simple>(const CollectiveRequest&, const FabricTraits&);

}  // namespace wafertlm
