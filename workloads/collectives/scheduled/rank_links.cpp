// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/rank_links.h"

#include <algorithm>
#include <tuple>

#include "workloads/collectives/algorithm_parts.h"

namespace wafertlm {
namespace {

bool reaches_all(const RankLinks& graph, bool forwards) {
  std::vector<bool> reached(graph.ranks, false);
  std::vector<std::uint32_t> order = {0};
  reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::uint32_t link : (forwards ? graph.out : graph.in)[order[next]]) {
      const std::uint32_t rank = forwards ? graph.links[link].to : graph.links[link].from;
      if (reached[rank]) continue;
      reached[rank] = true;
      order.push_back(rank);
    }
  return order.size() == graph.ranks;
}

TimePs reduction_ps(const FabricTraits& fabric, std::uint64_t bytes) {
  return fabric.reduction_bytes_per_s == 0 ? 0 : transfer_time_ps(3 * bytes, fabric.reduction_bytes_per_s);
}

TimePs taken_ps(const FabricTraits& fabric, std::uint64_t bytes, bool reduces) {
  return fabric.memory.receive_ps(bytes, reduces) + (reduces ? reduction_ps(fabric, bytes) : 0);
}

}  // namespace

bool RankLinks::operator==(const RankLinks& other) const {
  const auto same = [](const Link& a, const Link& b) {
    return std::tie(a.from, a.to, a.bytes_per_s, a.latency_ps) ==
           std::tie(b.from, b.to, b.bytes_per_s, b.latency_ps);
  };
  return ranks == other.ranks && ports_out == other.ports_out && ports_in == other.ports_in &&
         std::equal(links.begin(), links.end(), other.links.begin(), other.links.end(), same);
}

std::optional<RankLinks> rank_links(const Group& group, const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  RankLinks graph;
  graph.ranks = static_cast<std::uint32_t>(group.size());
  graph.out.resize(group.size());
  graph.in.resize(group.size());
  struct Pair {
    std::uint32_t hops, from, to;
    bool operator<(const Pair& other) const {
      return std::tie(hops, from, to) < std::tie(other.hops, other.from, other.to);
    }
  };
  std::vector<Pair> pairs;
  for (std::uint32_t from = 0; from < graph.ranks; ++from) {
    graph.ports_out.push_back(topology.npu_sends_bytes_per_s(group[from]));
    graph.ports_in.push_back(topology.npu_receives_bytes_per_s(group[from]));
    for (std::uint32_t to = 0; to < graph.ranks; ++to)
      if (from != to) pairs.push_back({topology.hops(group[from], group[to]), from, to});
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<bool> used(topology.links(), false);
  std::size_t unused = used.size();
  for (const Pair& pair : pairs) {
    if (unused == 0) break;
    const std::vector<std::size_t> route = topology.route(group[pair.from], group[pair.to]);
    if (route.empty() ||
        std::any_of(route.begin(), route.end(), [&](std::size_t link) { return used[link]; }))
      continue;
    for (const std::size_t link : route) used[link] = true;
    unused -= route.size();
    const auto number = static_cast<std::uint32_t>(graph.links.size());
    graph.links.push_back({pair.from, pair.to, topology.path_bytes_per_s(group[pair.from], group[pair.to]),
                           fabric.latency_ps(group[pair.from], group[pair.to]) - fabric.step_cost_ps});
    graph.out[pair.from].push_back(number);
    graph.in[pair.to].push_back(number);
  }
  if (graph.ranks < 2 || !reaches_all(graph, true) || !reaches_all(graph, false)) return {};
  return graph;
}

TimePs slot_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces) {
  const TimePs sent =
      message_ps(fabric, bytes, link.bytes_per_s) + fabric.step_cost_ps + fabric.memory.send_ps(bytes);
  return std::max({TimePs{1}, sent, fabric.receive_cost_ps + taken_ps(fabric, bytes, reduces)});
}

TimePs hop_ps(const FabricTraits& fabric, const RankLinks::Link& link, std::uint64_t bytes, bool reduces) {
  return message_ps(fabric, bytes, link.bytes_per_s) + fabric.step_cost_ps + fabric.memory.send_ps(bytes) +
         link.latency_ps + taken_ps(fabric, bytes, reduces);
}

}  // namespace wafertlm
