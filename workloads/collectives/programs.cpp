// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/programs.h"

#include "workloads/collectives/dimensional/program.h"
#include "workloads/collectives/direct.h"
#include "workloads/collectives/halving_doubling.h"
#include "workloads/collectives/hierarchical.h"
#include "workloads/collectives/in_network.h"
#include "workloads/collectives/ring.h"
#include "workloads/collectives/shape.h"
#include "workloads/collectives/tree_program.h"

namespace wafertlm {
namespace {

using Sources = std::vector<std::unique_ptr<StepSource>>;

std::uint32_t ranks_of(const CollectiveRequest& request) {
  return static_cast<std::uint32_t>(request.group.size());
}

template <typename Program, typename Plan>
Sources each_rank(const CollectiveRequest& request, Plan plan) {
  const auto shared = std::make_shared<const Plan>(std::move(plan));
  Sources sources;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    sources.push_back(std::make_unique<Program>(shared, rank));
  return sources;
}

Sources ring(const CollectiveRequest& request, const FabricTraits& fabric) {
  RingPlan plan;
  plan.type = request.type;
  plan.order = fabric.topology->ring_order(request.group);
  plan.place.resize(plan.order.size());
  for (std::uint32_t place = 0; place < plan.order.size(); ++place) plan.place[plan.order[place]] = place;
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.directions = request.algorithm == "ring" ? 1 : 2;
  return each_rank<RingProgram>(request, std::move(plan));
}

Sources hierarchical(const CollectiveRequest& request, const FabricTraits& fabric) {
  GroupGrid grid = *fabric.topology->group_grid(request.group);
  return each_rank<HierarchicalProgram>(
      request, HierarchicalPlan(request.type, grid.width, grid.height, std::move(grid.at), request.bytes,
                                request.chunks, grid.parts, request.split_percent));
}

Sources direct(const CollectiveRequest& request) {
  Sources sources;
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    sources.push_back(
        std::make_unique<DirectProgram>(request.type, ranks_of(request), request.bytes, request.root, rank));
  return sources;
}

Sources in_network(const CollectiveRequest& request, const FabricTraits& fabric) {
  Sources sources;
  const auto order = std::make_shared<const BlockOrder>(request.group, *fabric.topology);
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    sources.push_back(std::make_unique<InNetworkProgram>(request.type, ranks_of(request), request.bytes,
                                                         request.root, rank, order));
  return sources;
}

Sources tree(const CollectiveRequest& request, const FabricTraits& fabric) {
  const bool both = !has_root(request.type);
  const std::uint32_t root = both ? centre_rank(request.group, *fabric.topology) : request.root;
  Tree shape(fabric.topology->spanning_parents(request.group, root));
  const bool to_root = request.type == CollectiveType::reduce || request.type == CollectiveType::gather;
  if (request.type == CollectiveType::gather || request.type == CollectiveType::scatter)
    return each_rank<TreeBlocksProgram>(request, TreeBlocksPlan{std::move(shape), request.bytes, to_root});
  TreePlan plan;
  plan.trees.push_back(std::move(shape));
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.up = both || to_root;
  plan.down = !to_root;
  return each_rank<TreeProgram>(request, std::move(plan));
}

Sources double_binary_tree(const CollectiveRequest& request, const FabricTraits& fabric) {
  TreePlan plan;
  plan.trees = double_binary_trees(fabric.topology->ring_order(request.group));
  plan.bytes = request.bytes;
  plan.chunks = request.chunks;
  plan.up = plan.down = true;
  return each_rank<TreeProgram>(request, std::move(plan));
}

}  // namespace

Sources programs_of(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (request.algorithm == "dimensional") return dimensional_programs(request, fabric);
  if (request.algorithm == "in_network") return in_network(request, fabric);
  if (request.algorithm == "hierarchical_2d") return hierarchical(request, fabric);
  if (request.algorithm == "halving_doubling")
    return each_rank<HalvingProgram>(request, HalvingPlan(request.type, ranks_of(request), request.bytes));
  if (request.algorithm == "double_binary_tree") return double_binary_tree(request, fabric);
  if (request.algorithm == "tree") return tree(request, fabric);
  if (request.algorithm == "direct") return direct(request);
  return ring(request, fabric);
}

}  // namespace wafertlm
