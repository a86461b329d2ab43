// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/demand.h"

namespace wafertlm {

Needs needs_of(const CollectiveRequest& request, const Blocks& blocks) {
  const std::size_t p = request.group.size();
  const std::uint64_t all = request.bytes;
  Needs needs{std::vector<std::uint64_t>(p, 0), std::vector<std::uint64_t>(p, 0), Needs::Across::vector};
  for (std::size_t rank = 0; rank < p; ++rank) {
    const std::uint64_t own = blocks.bytes(rank);
    const bool root = has_root(request.type) && rank == request.root;
    switch (request.type) {
      case CollectiveType::all_reduce:
      case CollectiveType::barrier:
        needs.sends[rank] = needs.receives[rank] = all;
        break;
      case CollectiveType::all_gather:
        needs.sends[rank] = own;
        needs.receives[rank] = all - own;
        needs.across = Needs::Across::blocks_of_senders;
        break;
      case CollectiveType::reduce_scatter:
        needs.sends[rank] = all - own;
        needs.receives[rank] = own;
        needs.across = Needs::Across::blocks_of_receivers;
        break;
      case CollectiveType::all_to_all:
        needs.sends[rank] = all - own;
        needs.receives[rank] = (p - 1) * own;
        needs.across = Needs::Across::every_pair;
        break;
      case CollectiveType::broadcast:
        (root ? needs.sends : needs.receives)[rank] = all;
        break;
      case CollectiveType::reduce:
        (root ? needs.receives : needs.sends)[rank] = all;
        break;
      case CollectiveType::gather:
        (root ? needs.receives : needs.sends)[rank] = root ? all - own : own;
        needs.across = Needs::Across::blocks_of_senders;
        break;
      case CollectiveType::scatter:
        (root ? needs.sends : needs.receives)[rank] = root ? all - own : own;
        needs.across = Needs::Across::blocks_of_receivers;
        break;
    }
  }
  return needs;
}

Uint128 across(const CollectiveRequest& request, Needs::Across how, const CutSide& from, const CutSide& to) {
  if (from.ranks == 0 || to.ranks == 0) return 0;
  const bool from_root = request.type == CollectiveType::broadcast || request.type == CollectiveType::scatter;
  if (has_root(request.type) && !(from_root ? from : to).has_root) return 0;
  switch (how) {
    case Needs::Across::vector:
      return request.bytes;
    case Needs::Across::blocks_of_senders:
      return from.block_bytes;
    case Needs::Across::blocks_of_receivers:
      return to.block_bytes;
    case Needs::Across::every_pair:
      return Uint128{from.ranks} * to.block_bytes;
  }
  return 0;
}

std::optional<Demand> demand_of(const CollectiveRequest& request) {
  const std::uint64_t bytes = request.type == CollectiveType::barrier ? kBarrierBytes : request.bytes;
  if (request.group.size() < 2 || bytes == 0) return std::nullopt;
  return Demand(request, bytes);
}

}  // namespace wafertlm
