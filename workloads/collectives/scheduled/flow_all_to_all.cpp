// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "workloads/collectives/algorithm_parts.h"
#include "workloads/collectives/algorithm_rows.h"
#include "workloads/collectives/blocks.h"
#include "workloads/collectives/scheduled/flow_schedule.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kMostFlowRanks = 256;
constexpr std::uint32_t kMostFlowChunks = 64;
/// Of messages, about 50 B each.
constexpr std::size_t kMostFlowTransfers = 2'000'000;

/// Links and paths of a group, kept for the last groups asked for.
struct FlowRoutes {
  RankLinks links;
  FlowPaths paths;
};

std::shared_ptr<const FlowRoutes> flow_routes(const CollectiveRequest& request, const FabricTraits& fabric) {
  constexpr std::size_t kKept = 8;
  thread_local std::vector<std::pair<Group, std::shared_ptr<const FlowRoutes>>> kept;  // the last one first
  RankLinks links = rank_links(request.group, fabric).value();
  auto found = std::find_if(kept.begin(), kept.end(), [&](const auto& each) {
    return each.first == request.group && each.second->links == links;
  });
  if (found == kept.end()) {
    if (kept.size() == kKept) kept.pop_back();
    FlowPaths paths = flow_paths(links, request.group, *fabric.topology);
    found = kept.insert(
        kept.end(),
        {request.group, std::make_shared<const FlowRoutes>(FlowRoutes{std::move(links), std::move(paths)})});
  }
  std::rotate(kept.begin(), found, found + 1);
  return kept.front().second;
}

FlowSchedule schedule_of(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto routes = flow_routes(request, fabric);
  return flow_schedule(routes->links, routes->paths, request.bytes, request.chunks, fabric);
}

/// What passes the busiest NPU's memory and port.
TimePs busiest_npu_ps(const TransferList& list, const CollectiveRequest& request,
                      const FabricTraits& fabric) {
  std::vector<std::uint64_t> sent(list.links.ranks, 0), received(list.links.ranks, 0);
  for (const Transfer& transfer : list.transfers) {
    sent[list.links.links[transfer.link].from] += transfer.bytes;
    received[list.links.links[transfer.link].to] += transfer.bytes;
  }
  TimePs busiest = 0;
  for (std::uint32_t rank = 0; rank < list.links.ranks; ++rank)
    busiest =
        std::max({busiest, fabric.memory.busy_ps(sent[rank], received[rank]),
                  transfer_time_ps(fabric.format.message_wire_bytes(std::max(sent[rank], received[rank])),
                                   fabric.topology->npu_bytes_per_s(request.group[rank]))});
  return busiest;
}

}  // namespace

bool has_flow_links(const Group& group, const FabricTraits& fabric) {
  return group.size() <= kMostFlowRanks && rank_links(group, fabric).has_value();
}

Algorithm::Programs flow_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  return transfer_programs(schedule_of(request, fabric).list);
}

TimePs flow_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const FlowSchedule schedule = schedule_of(request, fabric);
  return std::max(transfers_ps(schedule.list, fabric), busiest_npu_ps(schedule.list, request, fabric));
}

std::uint64_t flow_scratch_bytes(const CollectiveRequest& request, const FabricTraits& fabric) {
  CollectiveRequest whole = request;
  whole.chunks = 1;
  return schedule_of(whole, fabric).scratch_bytes;
}

/// Powers of two as long as chunks fill a packet; the fewest that are within a hundredth of the best.
std::uint32_t flow_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto routes = flow_routes(request, fabric);
  const std::uint64_t part = request.bytes / request.group.size() / routes->paths.parts;
  std::size_t hops = 0;
  for (const auto& path : routes->paths.paths) hops += path.size();
  CollectiveRequest trial = request;
  trial.chunks = 1;
  std::uint32_t best = 1;
  for (TimePs shortest = flow_ps(trial, fabric); trial.chunks <= kMostFlowChunks / 2;) {
    trial.chunks *= 2;
    if (part / trial.chunks < fabric.format.packet_bytes || hops * trial.chunks > kMostFlowTransfers) break;
    const TimePs time = flow_ps(trial, fabric);
    if (time > shortest / 100 * 99) break;
    shortest = time;
    best = trial.chunks;
  }
  return best;
}

}  // namespace wafertlm
