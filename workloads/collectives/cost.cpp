// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cost.h"

#include <algorithm>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/custom/program.h"
#include "workloads/collectives/short_run.h"

namespace wafertlm {
namespace {

/// What the memory of a rank is busy for when it sends and receives every block once (all-reduce: twice).
TimePs memory_busy_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::uint64_t p = request.group.size(), moved = request.bytes / p * (p - 1);
  switch (request.type) {
    case CollectiveType::all_reduce:
      return fabric.memory.busy_ps(4 * moved, 2 * moved);
    case CollectiveType::reduce_scatter:
      return fabric.memory.busy_ps(3 * moved, moved);
    case CollectiveType::all_gather:
    case CollectiveType::all_to_all:
      return fabric.memory.busy_ps(moved, moved);
    case CollectiveType::broadcast:
      return fabric.memory.busy_ps((p - 1) * request.bytes, request.bytes);
    case CollectiveType::reduce:
      return fabric.memory.busy_ps(2 * (p - 1) * request.bytes, (p - 1) * request.bytes);
    case CollectiveType::gather:
    case CollectiveType::scatter:
    case CollectiveType::barrier:
      break;
  }
  return fabric.memory.busy_ps(moved, moved);
}

}  // namespace

TimePs closed_form_ps(const CollectiveRequest& given, const FabricTraits& fabric) {
  CollectiveRequest request = given;
  if (request.type == CollectiveType::barrier) request.bytes = kBarrierBytes;
  if (request.group.size() < 2 || request.bytes == 0) return 0;
  if (request.custom) return custom_ps(request, fabric);
  const Algorithm& algorithm = algorithm_named(request.algorithm);
  return std::max(algorithm.predicted_ps(request, fabric),
                  algorithm.moves_blocks_once ? memory_busy_ps(request, fabric) : 0);
}

TimePs predicted_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (fabric.idle_ps && request.group.size() > 1 && request.bytes != 0)
    if (const auto time = short_run_ps(request, fabric)) return *time;
  return closed_form_ps(request, fabric);
}

}  // namespace wafertlm
