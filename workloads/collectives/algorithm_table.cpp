// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/box.h"
#include "workloads/collectives/packed_trees/rank_graph.h"
#include "workloads/collectives/packed_trees/shared_routes.h"

namespace wafertlm {
namespace {

using Type = CollectiveType;
using Chunks = Algorithm::Chunks;

bool has_grid(const Group& group, const FabricTraits& fabric) {
  return fabric.topology->group_grid(group).has_value();
}
std::string needs_grid(const Topology& topology) { return topology.grid_rule(); }

bool has_reducing_switches(const Group& /*group*/, const FabricTraits& fabric) {
  return fabric.in_network && fabric.topology->dimensions().count() == 0;
}
std::string needs_reducing_switches(const Topology& /*topology*/) { return "a fabric whose switches reduce"; }

bool has_box(const Group& group, const FabricTraits& fabric) {
  return box_of(group, fabric.topology->dimensions()).has_value();
}
std::string needs_box(const Topology& /*topology*/) {
  return "a fabric of dimensions and all combinations of some coordinates";
}

bool has_dimensions(const Group& /*group*/, const FabricTraits& fabric) {
  return fabric.topology->dimensions().count() != 0;
}
std::string needs_dimensions(const Topology& /*topology*/) { return "a fabric of dimensions"; }

bool halves_in_dimensions(const Group& group, const FabricTraits& fabric) {
  return has_dimensions(group, fabric) && (group.size() & (group.size() - 1)) == 0;
}
std::string needs_power_of_two(const Topology& topology) {
  return needs_dimensions(topology) + " and a power of two of NPUs";
}

bool has_direct_links(const Group& group, const FabricTraits& fabric) {
  return direct_links(group, fabric).has_value() || has_shared_routes(group, fabric);
}
std::string needs_direct_links(const Topology& /*topology*/) {
  return "NPUs that routes join to a whole, up to 128 of them where routes share links or ports";
}

std::string needs_servers(const Topology& /*topology*/) {
  return "npu.endpoint.library, and servers with equally many NPUs of the group";
}
std::string needs_reducing_servers(const Topology& topology) {
  return needs_servers(topology) + " whose switch reduces (in_network)";
}

std::string needs_flow_links(const Topology& /*topology*/) {
  return "up to 256 NPUs that routes without a common link join to a whole";
}

/// Types that have the same preference.
std::vector<Algorithm::Use> uses(int preference, const std::vector<Type>& types,
                                 Chunks chunks = Chunks::none) {
  std::vector<Algorithm::Use> all;
  for (const Type type : types) all.push_back({type, preference, chunks});
  return all;
}

/// A row of the table with what differs from most rows by its name.
struct Row {
  Algorithm algorithm;
  Row(std::string name, std::vector<Algorithm::Use> types, decltype(Algorithm::programs) programs,
      decltype(Algorithm::predicted_ps) predicted_ps) {
    algorithm.name = std::move(name);
    algorithm.uses = std::move(types);
    algorithm.programs = programs;
    algorithm.predicted_ps = predicted_ps;
  }
  Row only_on(decltype(Algorithm::fits) fits, decltype(Algorithm::needs) needs) && {
    algorithm.fits = fits;
    algorithm.needs = needs;
    return std::move(*this);
  }
  Row moves_blocks_often() && { return with(&Algorithm::moves_blocks_once, false); }
  Row in_network() && { return with(&Algorithm::in_network, true); }
  Row only_by_name() && { return with(&Algorithm::only_by_name, true); }
  Row inexact_alone() && { return with(&Algorithm::is_exact_alone, false); }
  Row scheduled(decltype(Algorithm::best_chunks) best_chunks,
                decltype(Algorithm::scratch_bytes) scratch_bytes = nullptr) && {
    algorithm.best_chunks = best_chunks;
    algorithm.scratch_bytes = scratch_bytes;
    return std::move(*this).with(&Algorithm::is_scheduled, true);
  }

 private:
  Row with(bool Algorithm::*member, bool value) {
    algorithm.*member = value;
    return std::move(*this);
  }
};

/// What a library of GPUs does, which takes it by its own model (gpu_library/).
Row of_library(const char* name, decltype(Algorithm::programs) programs,
               decltype(Algorithm::predicted_ps) predicted_ps,
               const std::vector<Type>& types = {Type::all_reduce}) {
  return Row(name, uses(12, types), programs, predicted_ps)
      .only_on(has_servers, needs_servers)
      .only_by_name()
      .inexact_alone();
}

/// In the order in which help texts list them.
std::vector<Algorithm> make_table() {
  const std::vector<Type> vectors = {Type::all_reduce, Type::all_gather, Type::reduce_scatter};
  std::vector<Algorithm::Use> dimensional = uses(1, vectors, Chunks::by_prediction);
  dimensional.push_back({Type::all_to_all, 10, Chunks::by_prediction, true});
  using Within = DimensionAlgorithm;
  std::vector<Algorithm::Use> one_group = uses(11, vectors, Chunks::by_prediction);
  const std::vector<Algorithm::Use> one_halving = one_group;
  one_group.push_back({Type::all_to_all, 11, Chunks::by_prediction, true});
  Row rows[] = {
      Row("ring", uses(5, vectors, Chunks::if_asked), ring_programs<1>, ring_ps<1>),
      Row("bidirectional_ring", uses(4, vectors, Chunks::if_asked), ring_programs<2>, ring_ps<2>),
      Row("hierarchical_2d", uses(3, vectors, Chunks::by_prediction), hierarchical_programs, hierarchical_ps)
          .only_on(has_grid, needs_grid),
      Row("halving_doubling",
          {{Type::all_reduce, 6}, {Type::all_gather, 6}, {Type::reduce_scatter, 6}, {Type::barrier, 9}},
          halving_programs<HalvingOrder::nearest_first>, halving_ps<HalvingOrder::nearest_first>),
      Row("double_binary_tree", uses(7, {Type::all_reduce}, Chunks::by_prediction), double_tree_programs,
          double_tree_ps)
          .moves_blocks_often(),
      Row("tree",
          {{Type::all_reduce, 8, Chunks::by_prediction},
           {Type::broadcast, 8, Chunks::by_prediction},
           {Type::reduce, 8, Chunks::by_prediction},
           {Type::gather, 10},
           {Type::scatter, 8},
           {Type::barrier, 8}},
          tree_programs, tree_ps)
          .moves_blocks_often(),
      Row("direct",
          uses(9, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::all_to_all,
                   Type::broadcast, Type::reduce, Type::gather, Type::scatter}),
          direct_programs, direct_ps),
      Row("in_network",
          uses(2, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::broadcast, Type::reduce,
                   Type::barrier}),
          in_network_programs, in_network_ps)
          .in_network()
          .only_on(has_reducing_switches, needs_reducing_switches),
      Row("dimensional", dimensional, dimensional_programs, dimensional_ps)
          .only_on(has_box, needs_box)
          .inexact_alone(),
      Row("one_ring", one_group, one_group_programs<Within::ring>, one_group_ps<Within::ring>)
          .only_on(has_dimensions, needs_dimensions)
          .only_by_name()
          .inexact_alone(),
      Row("one_direct", one_group, one_group_programs<Within::direct>, one_group_ps<Within::direct>)
          .only_on(has_dimensions, needs_dimensions)
          .only_by_name()
          .inexact_alone(),
      Row("one_halving_doubling", one_halving, one_group_programs<Within::halving_doubling>,
          one_group_ps<Within::halving_doubling>)
          .only_on(halves_in_dimensions, needs_power_of_two)
          .only_by_name()
          .inexact_alone(),
      Row("recursive_halving_doubling",
          {{Type::all_reduce, 14}, {Type::all_gather, 14}, {Type::reduce_scatter, 14}, {Type::barrier, 14}},
          halving_programs<HalvingOrder::farthest_first>, halving_ps<HalvingOrder::farthest_first>)
          .only_by_name(),
      Row("packed_trees",
          uses(12, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::broadcast, Type::reduce},
               Chunks::by_prediction),
          packed_trees_programs, packed_trees_ps)
          .moves_blocks_often()
          .only_on(has_direct_links, needs_direct_links)
          .only_by_name()
          .inexact_alone()
          .scheduled(packed_trees_chunks),
      Row("scheduled_paths", uses(12, {Type::all_to_all}, Chunks::by_prediction), flow_programs, flow_ps)
          .moves_blocks_often()
          .only_on(has_flow_links, needs_flow_links)
          .only_by_name()
          .inexact_alone()
          .scheduled(flow_chunks, flow_scratch_bytes),
      Row("matched",
          uses(13,
               {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::all_to_all, Type::broadcast,
                Type::reduce},
               Chunks::by_prediction),
          matched_programs, matched_ps)
          .moves_blocks_often()
          .only_on(has_matched_links, needs_flow_links)
          .only_by_name()
          .inexact_alone()
          .scheduled(matched_chunks, matched_scratch_bytes),
      of_library("ring_ll", gpu_ring_programs<GpuProtocol::ll>, gpu_ring_ps<GpuProtocol::ll>, vectors),
      of_library("ring_ll128", gpu_ring_programs<GpuProtocol::ll128>, gpu_ring_ps<GpuProtocol::ll128>,
                 vectors),
      of_library("ring_simple", gpu_ring_programs<GpuProtocol::simple>, gpu_ring_ps<GpuProtocol::simple>,
                 vectors),
      of_library("tree_ll", gpu_tree_programs<GpuProtocol::ll>, gpu_tree_ps<GpuProtocol::ll>),
      of_library("tree_ll128", gpu_tree_programs<GpuProtocol::ll128>, gpu_tree_ps<GpuProtocol::ll128>),
      of_library("tree_simple", gpu_tree_programs<GpuProtocol::simple>, gpu_tree_ps<GpuProtocol::simple>),
      of_library("nvls", nvls_programs, nvls_ps, vectors)
          .only_on(has_reducing_server, needs_reducing_servers),
      of_library("nvls_tree", nvls_programs, nvls_ps).only_on(has_reducing_servers, needs_reducing_servers),
  };
  std::vector<Algorithm> table;
  for (Row& row : rows) table.push_back(std::move(row.algorithm));
  return table;
}

std::vector<const Algorithm*> by_preference(CollectiveType type) {
  std::vector<const Algorithm*> able;
  for (const Algorithm& row : algorithms())
    if (row.use_of(type)) able.push_back(&row);
  std::sort(able.begin(), able.end(), [&](const Algorithm* a, const Algorithm* b) {
    return a->use_of(type)->preference < b->use_of(type)->preference;
  });
  return able;
}

}  // namespace

const Algorithm::Use* Algorithm::use_of(CollectiveType type) const {
  for (const Use& use : uses)
    if (use.type == type) return &use;
  return nullptr;
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> table = make_table();
  return table;
}

const Algorithm& algorithm_named(const std::string& name) {
  std::string known;
  for (const Algorithm& row : algorithms()) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + row.name;
  }
  throw std::invalid_argument("there is no algorithm '" + name + "'; there are " + known);
}

std::vector<std::string> algorithm_choices() {
  std::vector<std::string> names = {"auto", kPaper, kFastest, kNccl};
  for (const Algorithm& row : algorithms()) names.push_back(row.name);
  return names;
}

std::vector<std::string> algorithms_for(CollectiveType type) {
  std::vector<std::string> names;
  for (const Algorithm* row : by_preference(type)) names.push_back(row->name);
  return names;
}

std::vector<std::string> algorithms_for(CollectiveType type, const Group& group, const FabricTraits& fabric) {
  std::vector<std::string> names;
  for (const Algorithm* row : by_preference(type))
    if (!row->fits || row->fits(group, fabric)) names.push_back(row->name);
  return names;
}

std::vector<std::string> algorithms_for(const CollectiveRequest& request, const FabricTraits& fabric) {
  std::vector<std::string> names = algorithms_for(request.type, request.group, fabric);
  const Blocks blocks(request.bytes, request.group.size());
  if (blocks.bytes(0) == blocks.bytes(request.group.size() - 1)) return names;
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return algorithm_named(name).use_of(request.type)->equal_blocks;
                             }),
              names.end());
  return names;
}

}  // namespace wafertlm
