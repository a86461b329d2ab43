// SPDX-License-Identifier: Apache-2.0
// The row scheduled_paths.
#include <algorithm>
#include <memory>
#include <tuple>

#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/scheduled/doubling.h"
#include "workloads/collectives/scheduled/flow_schedule.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kMostFlowRanks = 256;
constexpr std::uint32_t kMostFlowChunks = 64;
/// Messages of a plan, some 60 B each.
constexpr std::uint64_t kMostFlowMessages = 500'000;

/// Links and paths of a group.
struct FlowRoutes {
  std::shared_ptr<const RankLinks> links;
  ExchangePaths paths;
};
struct KeptFlowRoutes : Kept<Group, FlowRoutes> {
  KeptFlowRoutes() : Kept(8) {}
};
using FlowKey = std::tuple<std::shared_ptr<const FlowRoutes>, std::uint64_t, std::uint32_t, LinkTimes>;
struct FlowLists : Kept<FlowKey, TransferList> {
  FlowLists() : Kept(4) {}
};

std::shared_ptr<const FlowRoutes> flow_routes(const CollectiveRequest& request, const FabricTraits& fabric) {
  return fabric.plans->of<KeptFlowRoutes>().get(request.group, [&] {
    auto links = rank_links(request.group, fabric);
    ExchangePaths paths = flow_paths(*links, request.group, *fabric.topology);
    return FlowRoutes{std::move(links), std::move(paths)};
  });
}

std::shared_ptr<const TransferList> flow_list(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto routes = flow_routes(request, fabric);
  const PiecedVector vector{request.bytes, ranks_of(request), routes->paths.parts * request.chunks};
  const LinkTimes times = link_times(*routes->links, fabric, vector.longest(), false);
  return fabric.plans->of<FlowLists>().get({routes, request.bytes, request.chunks, times}, [&] {
    return exchange_list(*routes->links, vector, flow_schedule(routes->paths, request.chunks, times));
  });
}

}  // namespace

bool has_flow_links(const Group& group, const FabricTraits& fabric) {
  return group.size() <= kMostFlowRanks && rank_links(group, fabric) != nullptr;
}

Algorithm::Programs flow_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  return transfer_programs(flow_list(request, fabric));
}

TimePs flow_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto list = flow_list(request, fabric);
  return std::max(transfers_ps(*list, fabric), busiest_memory_ps(*list, fabric));
}

std::uint64_t flow_scratch_bytes(const CollectiveRequest& request, const FabricTraits& fabric) {
  return flow_list(request, fabric)->scratch_bytes;
}

/// Chunks of 64 B or more.
std::uint32_t flow_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  constexpr std::uint64_t kLeastBytes = 64;
  const auto routes = flow_routes(request, fabric);
  const std::uint64_t part = request.bytes / request.group.size() / routes->paths.parts;
  std::uint64_t hops = 0;
  for (const auto& path : routes->paths.paths) hops += path.size();
  CollectiveRequest trial = request;
  return doubled_while_it_gains(
      std::min({std::uint64_t{kMostFlowChunks}, part / kLeastBytes, kMostFlowMessages / hops}),
      [&](std::uint32_t chunks) {
        trial.chunks = chunks;
        return flow_ps(trial, fabric);
      });
}

}  // namespace wafertlm
