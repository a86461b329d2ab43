// SPDX-License-Identifier: Apache-2.0
// Rows of the table of algorithms: what a library of GPUs does (reference: NCCL 2.30.7).
#pragma once
#include "tlm/shape/gpu_library.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

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
