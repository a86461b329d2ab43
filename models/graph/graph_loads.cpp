// SPDX-License-Identifier: Apache-2.0
#include "models/graph/graph_loads.h"

#include <algorithm>

namespace wafertlm {

const WaysTo::Ways& WaysTo::find(const Group& group, NpuId to) {
  ways_.clear();
  others_.clear();
  const auto end = static_cast<std::uint32_t>(index_of(to));
  seen_for_[end] = end;
  for (const NpuId from : group) {
    if (from == to) continue;
    if (graph_.has_given_route(from, to)) {
      others_.push_back(from);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(ways_.size());
    for (auto at = static_cast<std::uint32_t>(index_of(from)); seen_for_[at] != end;) {
      const std::uint32_t link = graph_.next_link(at, from, to);
      if (link >= graph_.links().size()) break;  // there is no way
      seen_for_[at] = end;
      ways_.emplace_back(at, link);
      at = graph_.links()[link].to;
    }
    std::reverse(ways_.begin() + first, ways_.end());
  }
  return ways_;
}

void GraphLoads::add_all_pairs(const Group& group, std::uint64_t bytes) {
  WaysTo ways_to(graph_);
  std::vector<std::uint64_t> senders(graph_.vertices().size());  // whose way comes through a vertex
  for (const NpuId to : group) {
    const WaysTo::Ways& ways = ways_to.find(group, to);
    for (const NpuId from : ways_to.others()) add(from, to, bytes);
    for (const auto& [vertex, link] : ways) senders[vertex] = 0;
    for (const NpuId from : group) senders[index_of(from)] = 1;
    for (const NpuId from : ways_to.others()) senders[index_of(from)] = 0;
    for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
      const auto [vertex, link] = *way;
      bytes_[link] += senders[vertex] * bytes;
      senders[graph_.links()[link].to] += senders[vertex];
    }
    senders[index_of(to)] = 0;
  }
}

}  // namespace wafertlm
