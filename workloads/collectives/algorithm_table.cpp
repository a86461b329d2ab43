// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

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

bool has_reducing_switches(const Group& /*group*/, const FabricTraits& fabric) { return fabric.in_network; }
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

/// In the order in which help texts list them.
std::vector<Algorithm> make_table() {
  const std::vector<Type> vectors = {Type::all_reduce, Type::all_gather, Type::reduce_scatter};
  std::vector<Algorithm::Use> dimensional = uses(1, vectors, Chunks::by_prediction);
  dimensional.push_back({Type::all_to_all, 10, Chunks::by_prediction, true});
  using Within = DimensionAlgorithm;
  std::vector<Algorithm::Use> one_group = uses(11, vectors, Chunks::by_prediction);
  const std::vector<Algorithm::Use> one_halving = one_group;
  one_group.push_back({Type::all_to_all, 11, Chunks::by_prediction, true});
  return {
      {"ring", uses(5, vectors, Chunks::if_asked), ring_programs<1>, ring_ps<1>},
      {"bidirectional_ring", uses(4, vectors, Chunks::if_asked), ring_programs<2>, ring_ps<2>},
      {"hierarchical_2d", uses(3, vectors, Chunks::by_prediction), hierarchical_programs, hierarchical_ps,
       true, false, has_grid, needs_grid},
      {"halving_doubling",
       {{Type::all_reduce, 6}, {Type::all_gather, 6}, {Type::reduce_scatter, 6}, {Type::barrier, 9}},
       halving_programs<HalvingOrder::nearest_first>,
       halving_ps<HalvingOrder::nearest_first>},
      {"double_binary_tree", uses(7, {Type::all_reduce}, Chunks::by_prediction), double_tree_programs,
       double_tree_ps, false},
      {"tree",
       {{Type::all_reduce, 8, Chunks::by_prediction},
        {Type::broadcast, 8, Chunks::by_prediction},
        {Type::reduce, 8, Chunks::by_prediction},
        {Type::gather, 10},
        {Type::scatter, 8},
        {Type::barrier, 8}},
       tree_programs,
       tree_ps,
       false},
      {"direct",
       uses(9, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::all_to_all, Type::broadcast,
                Type::reduce, Type::gather, Type::scatter}),
       direct_programs, direct_ps},
      {"in_network",
       uses(2, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::broadcast, Type::reduce,
                Type::barrier}),
       in_network_programs, in_network_ps, true, true, has_reducing_switches, needs_reducing_switches},
      {"dimensional", dimensional, dimensional_programs, dimensional_ps, true, false, has_box, needs_box,
       false, false},
      {"one_ring", one_group, one_group_programs<Within::ring>, one_group_ps<Within::ring>, true, false,
       has_dimensions, needs_dimensions, true, false},
      {"one_direct", one_group, one_group_programs<Within::direct>, one_group_ps<Within::direct>, true, false,
       has_dimensions, needs_dimensions, true, false},
      {"one_halving_doubling", one_halving, one_group_programs<Within::halving_doubling>,
       one_group_ps<Within::halving_doubling>, true, false, halves_in_dimensions, needs_power_of_two, true,
       false},
      {"recursive_halving_doubling",
       {{Type::all_reduce, 14}, {Type::all_gather, 14}, {Type::reduce_scatter, 14}, {Type::barrier, 14}},
       halving_programs<HalvingOrder::farthest_first>,
       halving_ps<HalvingOrder::farthest_first>,
       true,
       false,
       nullptr,
       nullptr,
       true},
      {"packed_trees",
       uses(12, {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::broadcast, Type::reduce},
            Chunks::by_prediction),
       packed_trees_programs, packed_trees_ps, false, false, has_direct_links, needs_direct_links, true,
       false, packed_trees_chunks, true},
      {"scheduled_paths", uses(12, {Type::all_to_all}, Chunks::by_prediction), flow_programs, flow_ps, false,
       false, has_flow_links, needs_flow_links, true, false, flow_chunks, true, flow_scratch_bytes},
      {"matched",
       uses(13,
            {Type::all_reduce, Type::all_gather, Type::reduce_scatter, Type::all_to_all, Type::broadcast,
             Type::reduce},
            Chunks::by_prediction),
       matched_programs, matched_ps, false, false, has_matched_links, needs_flow_links, true, false,
       matched_chunks, true, matched_scratch_bytes},
  };
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
  std::vector<std::string> names = {"auto", kFastest};
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
