// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/graph.h"

#include <algorithm>
#include <numeric>

#include "workloads/pytorch/graph_draft.h"

namespace wafertlm::pytorch {
namespace {

/// The first and the last moment at which anything was measured.
std::pair<std::int64_t, std::int64_t> span(const Timeline& timeline) {
  std::int64_t start = std::numeric_limits<std::int64_t>::max(),
               end = std::numeric_limits<std::int64_t>::min();
  const auto take = [&](const auto& events) {
    for (const auto& event : events) {
      start = std::min(start, event.start_ns);
      end = std::max(end, event.end_ns);
    }
  };
  take(timeline.host);
  take(timeline.device);
  return {start, end};
}

template <typename List>
void release(List& list) {
  List().swap(list);
}

}  // namespace

Graph build_graph(Timeline& timeline, const GraphOptions& options) {
  Draft draft{timeline, options, {}};
  std::tie(draft.graph.start_ns, draft.graph.end_ns) = span(timeline);
  draft.graph.units = timeline.threads;
  draft.graph.summary.events = std::move(timeline.events);
  add_host_items(draft);
  add_thread_waits(draft);
  add_device_items(draft);
  release(timeline.device);
  add_stream_waits(draft);
  add_synchronisations(draft);

  Graph graph = std::move(draft.graph);
  graph.names = std::move(timeline.names);
  graph.communications = std::move(timeline.communications);
  std::sort(graph.edges.begin(), graph.edges.end());
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  graph.order.resize(graph.items.size());
  std::iota(graph.order.begin(), graph.order.end(), 0U);
  std::stable_sort(graph.order.begin(), graph.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph.items[a].start_ns < graph.items[b].start_ns;
  });
  return graph;
}

}  // namespace wafertlm::pytorch
