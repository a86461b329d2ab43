// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

/// Rounded down: a bound.
TimePs at_least_ps(Uint128 bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(bytes * kPsPerSecond / bytes_per_s);
}

/// Bandwidth lower bounds over every vertical and horizontal cut of the wafer. `crossing(inside, outside)`
/// gives the bytes that must cross in one direction when so many ranks lie on its two sides.
template <typename Crossing>
TimePs cut_bound_ps(const Group& group, const FabricTraits& fabric, Crossing crossing) {
  TimePs bound = 0;
  const auto over_cuts = [&](std::uint32_t size, std::uint32_t links, auto side_of) {
    for (std::uint32_t cut = 1; cut < size; ++cut) {
      const auto inside = static_cast<std::uint64_t>(
          std::count_if(group.begin(), group.end(), [&](NpuId npu) { return side_of(npu) < cut; }));
      const std::uint64_t outside = group.size() - inside;
      if (inside != 0 && outside != 0)
        bound = std::max(bound, at_least_ps(crossing(inside, outside), links * fabric.link_bytes_per_s));
    }
  };
  over_cuts(fabric.width, fabric.height, [&](NpuId npu) { return fabric.column(npu); });
  over_cuts(fabric.height, fabric.width, [&](NpuId npu) { return fabric.row(npu); });
  return bound;
}

TimePs bound_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint64_t>(request.group.size());
  if (p < 2) return 0;
  const std::uint64_t bytes = request.bytes;
  std::uint64_t slowest = ~std::uint64_t{0};
  Uint128 sum = 0;
  for (const NpuId npu : request.group) {
    slowest = std::min(slowest, fabric.npu_bytes_per_s(npu));
    sum += fabric.npu_bytes_per_s(npu);
  }
  switch (request.type) {
    case CollectiveType::all_reduce: {
      const auto shared = static_cast<TimePs>(Uint128{2 * (p - 1)} * bytes * kPsPerSecond / sum);
      const TimePs cut = cut_bound_ps(request.group, fabric, [&](auto, auto) { return Uint128{bytes}; });
      return std::max({shared, at_least_ps(bytes, slowest), cut});
    }
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter: {
      // Blocks may differ by an element: the shortest one counts.
      const std::uint64_t least = Blocks(bytes, p).bytes(p - 1) * (p - 1);
      return at_least_ps(least, slowest);
    }
    case CollectiveType::all_to_all: {
      const std::uint64_t block = Blocks(bytes, p).bytes(p - 1);
      const TimePs cut = cut_bound_ps(
          request.group, fabric,
          [&](std::uint64_t inside, std::uint64_t outside) { return Uint128{inside} * outside * block; });
      return std::max(at_least_ps(Uint128{block} * (p - 1), slowest), cut);
    }
    case CollectiveType::broadcast:
    case CollectiveType::reduce:
      break;
  }
  return 0;
}

/// A ring step waits for the one before at the rank before it, so after K steps the latencies of K
/// consecutive ring edges have added up, and K blocks have been sent one after the other. With chunks the
/// link stays busy while a chunk is under way, if there are enough of them.
TimePs ring_ps(const CollectiveProgram& program, const CollectiveRequest& request,
               const FabricTraits& fabric) {
  const std::vector<std::uint32_t> order = ring_order(request.group, fabric);
  const auto p = static_cast<std::uint64_t>(order.size());
  const std::uint64_t steps = program.ranks.front()->steps(0);
  const std::uint64_t directions = program.algorithm == "ring" ? 1 : 2;
  const std::uint64_t block = Blocks(request.bytes, p).bytes(0);
  const std::uint64_t chunk = Blocks(Blocks(block, directions).bytes(0), request.chunks).bytes(0);
  if (chunk == 0) return 0;

  std::uint64_t rate = ~std::uint64_t{0};
  std::vector<TimePs> latency(p);
  TimePs longest = 0, once_round = 0;
  for (std::uint64_t i = 0; i < p; ++i) {
    const NpuId from = request.group[order[i]], to = request.group[order[(i + 1) % p]];
    rate = std::min(rate, fabric.path_bytes_per_s(from, to));
    latency[i] = fabric.latency_ps(from, to);
    longest = std::max(longest, latency[i]);
    once_round += latency[i];
  }
  TimePs path = 0;
  for (std::uint64_t start = 0; start < p; ++start) {
    TimePs sum = steps / p * once_round;
    for (std::uint64_t k = 0; k < steps % p; ++k) sum += latency[(start + k) % p];
    path = std::max(path, sum);
  }
  rate = std::min(rate, std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s) / directions);
  const TimePs chunk_ps = transfer_time_ps(fabric.format.message_wire_bytes(chunk), rate);
  return std::max(path + (steps + request.chunks - 1) * chunk_ps,
                  longest + steps * request.chunks * chunk_ps);
}

TimePs direct_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto p = static_cast<std::uint64_t>(request.group.size());
  const std::uint64_t wire = fabric.format.message_wire_bytes(Blocks(request.bytes, p).bytes(0));
  TimePs longest = 0;
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const NpuId from : request.group) {
    slowest = std::min(slowest, fabric.npu_bytes_per_s(from));
    for (const NpuId to : request.group)
      if (from != to) longest = std::max(longest, fabric.latency_ps(from, to));
  }
  return longest + transfer_time_ps((p - 1) * wire, slowest);
}

}  // namespace

CollectiveCost cost_of(const CollectiveProgram& program, const CollectiveRequest& request,
                       const FabricTraits& fabric) {
  CollectiveCost cost;
  cost.bound_ps = bound_ps(request, fabric);
  if (request.group.size() < 2 || request.bytes == 0) return cost;
  cost.predicted_ps = request.type == CollectiveType::all_to_all ? direct_ps(request, fabric)
                                                                 : ring_ps(program, request, fabric);
  return cost;
}

double bus_factor(CollectiveType type, std::size_t ranks) {
  if (type == CollectiveType::broadcast || type == CollectiveType::reduce) return 1;
  const auto p = static_cast<double>(ranks);
  return (type == CollectiveType::all_reduce ? 2 : 1) * (p - 1) / p;
}

}  // namespace wafertlm
