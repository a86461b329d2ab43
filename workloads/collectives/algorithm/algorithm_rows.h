// SPDX-License-Identifier: Apache-2.0
// The rows of the table: what Algorithm::programs and Algorithm::predicted_ps are.
#pragma once
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

/// A ring in one direction or two, in the order of the topology (Topology::ring_order).
template <std::uint32_t directions>
Algorithm::Programs ring_programs(const CollectiveRequest& request, const FabricTraits& fabric);
template <std::uint32_t directions>
TimePs ring_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs hierarchical_programs(const CollectiveRequest& request, const FabricTraits& fabric);
/// Time of a hierarchical_2d request with its chunks set. Of a grid in two parts: the program of one rank,
/// step by step, with all other ranks taken to do the same at the same time. In one part: a closed form of
/// the phases, endpoints' memories taken as free.
TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// With whom halving-doubling exchanges its largest half.
enum class HalvingOrder : std::uint8_t { nearest_first, farthest_first };
template <HalvingOrder order>
Algorithm::Programs halving_programs(const CollectiveRequest& request, const FabricTraits& fabric);
template <HalvingOrder order>
TimePs halving_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs tree_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs tree_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs double_tree_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs double_tree_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs direct_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric);

Algorithm::Programs in_network_programs(const CollectiveRequest& request, const FabricTraits& fabric);
/// Time of a collective as flows on an idle fabric: the longest path, and all blocks one after the other over
/// the slowest link between two members.
TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// All ranks as one logical dimension, in the group's order; ring, direct or halving_doubling.
template <DimensionAlgorithm algorithm>
Algorithm::Programs one_group_programs(const CollectiveRequest& request, const FabricTraits& fabric);
template <DimensionAlgorithm algorithm>
TimePs one_group_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// @throws std::invalid_argument: the group is no box of coordinates, or an algorithm does not fit a
/// dimension.
Algorithm::Programs dimensional_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs dimensional_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// Pipelined chunks along packed spanning trees (packed_trees/).
Algorithm::Programs packed_trees_programs(const CollectiveRequest& request, const FabricTraits& fabric);
/// All chunks through the busiest link and the first one along its trees, by the schedule of the links.
TimePs packed_trees_ps(const CollectiveRequest& request, const FabricTraits& fabric);
/// The fewest chunks whose time is within 1 % of the shortest.
std::uint32_t packed_trees_chunks(const CollectiveRequest& request, const FabricTraits& fabric);

/// All-to-all from neighbour to neighbour, by a schedule of the links (scheduled/).
bool has_flow_links(const Group& group, const FabricTraits& fabric);
Algorithm::Programs flow_programs(const CollectiveRequest& request, const FabricTraits& fabric);
/// Every message as early as the order of its link allows.
TimePs flow_ps(const CollectiveRequest& request, const FabricTraits& fabric);
std::uint32_t flow_chunks(const CollectiveRequest& request, const FabricTraits& fabric);
std::uint64_t flow_scratch_bytes(const CollectiveRequest& request, const FabricTraits& fabric);

/// Greedy matching of pieces to links in time (scheduled/).
bool has_matched_links(const Group& group, const FabricTraits& fabric);
Algorithm::Programs matched_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs matched_ps(const CollectiveRequest& request, const FabricTraits& fabric);
std::uint32_t matched_chunks(const CollectiveRequest& request, const FabricTraits& fabric);
std::uint64_t matched_scratch_bytes(const CollectiveRequest& request, const FabricTraits& fabric);

// What a library of GPUs does (gpu_library/; reference: NCCL 2.30.7).

template <GpuProtocol protocol>
Algorithm::Programs gpu_ring_programs(const CollectiveRequest& request, const FabricTraits& fabric);
template <GpuProtocol protocol>
TimePs gpu_ring_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// A chain through each server, binary trees between them.
template <GpuProtocol protocol>
Algorithm::Programs gpu_tree_programs(const CollectiveRequest& request, const FabricTraits& fabric);
template <GpuProtocol protocol>
TimePs gpu_tree_ps(const CollectiveRequest& request, const FabricTraits& fabric);

/// In the switches of servers; between servers a binary tree for each GPU's part.
Algorithm::Programs nvls_programs(const CollectiveRequest& request, const FabricTraits& fabric);
TimePs nvls_ps(const CollectiveRequest& request, const FabricTraits& fabric);

bool has_servers(const Group& group, const FabricTraits& fabric);
bool has_reducing_server(const Group& group, const FabricTraits& fabric);
bool has_reducing_servers(const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
