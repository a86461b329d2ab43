// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/link.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/pytorch/alignment.h"

namespace wafertlm::pytorch {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

/// The positions of the operators of a thread, and their names.
struct Thread {
  std::vector<std::size_t> positions;
  std::vector<std::uint32_t> names;
  std::unordered_map<std::uint32_t, std::uint64_t> counts;

  void add(std::size_t position, std::uint32_t name) {
    positions.push_back(position);
    names.push_back(name);
    ++counts[name];
  }
  /// How many operators of the other there could be here, whatever their order.
  std::uint64_t common(const Thread& other) const {
    std::uint64_t sum = 0;
    for (const auto& [name, count] : counts)
      if (const auto found = other.counts.find(name); found != other.counts.end())
        sum += std::min(count, found->second);
    return sum;
  }
};
using Threads = std::map<std::uint32_t, Thread>;

std::vector<std::size_t> by_function_id(const HostTrace& host, const Timeline& timeline,
                                        LinkSummary& summary) {
  std::unordered_map<std::uint64_t, std::size_t> events;
  for (std::size_t i = 0; i < timeline.host.size(); ++i)
    if (!timeline.host[i].is_runtime && timeline.host[i].id != 0) events.emplace(timeline.host[i].id, i);
  std::vector<std::size_t> found(host.nodes.size(), kNone);
  for (std::size_t node = 0; node < host.nodes.size(); ++node) {
    const auto event = events.find(host.nodes[node].function_id);
    if (host.nodes[node].is_root || event == events.end()) continue;
    if (timeline.host[event->second].name == host.nodes[node].name)
      found[node] = event->second;
    else
      ++summary.other_names;
  }
  return found;
}

/// Each thread of the host trace gets the thread of the device trace that has most in common with it.
std::vector<std::size_t> by_names(const HostTrace& host, const Timeline& timeline) {
  Threads of_host, of_device;
  for (std::size_t node = 0; node < host.nodes.size(); ++node)
    if (!host.nodes[node].is_root) of_host[host.nodes[node].thread].add(node, host.nodes[node].name);
  for (std::size_t i = 0; i < timeline.host.size(); ++i)
    if (!timeline.host[i].is_runtime) of_device[timeline.host[i].thread].add(i, timeline.host[i].name);

  std::vector<std::pair<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>>> candidates;
  for (const auto& [a, thread] : of_host)
    for (const auto& [b, other] : of_device)
      if (const std::uint64_t common = thread.common(other); common != 0)
        candidates.push_back({common, {a, b}});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> found(host.nodes.size(), kNone);
  for (const auto& [common, pair] : candidates) {
    const auto a = of_host.find(pair.first);
    const auto b = of_device.find(pair.second);
    if (a == of_host.end() || b == of_device.end()) continue;  // it has one
    const auto pairs = align(a->second.names, b->second.names);
    if (pairs.empty()) continue;
    for (const auto& [x, y] : pairs) found[a->second.positions[x]] = b->second.positions[y];
    of_host.erase(a);
    of_device.erase(b);
  }
  return found;
}

}  // namespace

LinkSummary link(const HostTrace& host, Timeline& timeline) {
  LinkSummary summary;
  summary.by_function_id = timeline.has_function_ids;
  const std::vector<std::size_t> events =
      summary.by_function_id ? by_function_id(host, timeline, summary) : by_names(host, timeline);
  for (std::size_t node = 0; node < host.nodes.size(); ++node) {
    const HostNode& from = host.nodes[node];
    if (from.is_root) {
      ++summary.roots;
      continue;
    }
    ++summary.nodes;
    if (events[node] == kNone) {
      count(summary.unlinked, timeline.names[from.name]);
      continue;
    }
    ++summary.linked;
    if (from.communication == 0) continue;
    // The host trace knows more: tensors, and all sizes of parts.
    Communication said = host.communications[from.communication - 1];
    HostEvent& event = timeline.host[events[node]];
    if (event.communication != 0) {
      const Communication& other = timeline.communications[event.communication - 1];
      if (said.ranks.empty()) said.ranks = other.ranks;
      if (said.group.empty()) said.group = other.group;
      if (said.name.empty() || said.in_bytes == 0) said = other;
      timeline.communications[event.communication - 1].is_said_too = true;
    }
    if (said.name.empty()) continue;
    timeline.communications.push_back(std::move(said));
    event.communication = static_cast<std::uint32_t>(timeline.communications.size());
  }
  for (const auto& [name, ranks] : host.groups) timeline.groups.emplace(name, ranks);
  return summary;
}

}  // namespace wafertlm::pytorch
