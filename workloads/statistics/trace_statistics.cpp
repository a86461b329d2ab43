// SPDX-License-Identifier: Apache-2.0
#include "workloads/statistics/trace_statistics.h"

#include <algorithm>
#include <utility>

namespace wafertlm::statistics {
namespace {

using chakra::Node;
using chakra::NodeType;
using Values = std::vector<double>;

struct Collected {
  std::map<std::string, Values> durations, bytes;
  Values parents, children, intensity;
};

bool communicates(const Node& node) {
  return node.is_collective() || node.type == NodeType::CommSend || node.type == NodeType::CommRecv;
}

unsigned size_class(std::uint64_t bytes) {
  unsigned k = 0;
  while (bytes > 1) {
    bytes >>= 1U;
    ++k;
  }
  return k;
}

void take(const Node& node, TraceStatistics& statistics, Collected& collected) {
  const std::string kind = class_of(node);
  collected.durations[kind].push_back(static_cast<double>(node.duration_ps));
  if (node.type == NodeType::Comp) statistics.work_ps += node.duration_ps;
  if (node.num_ops && node.tensor_size.value_or(0) != 0)
    collected.intensity.push_back(static_cast<double>(*node.num_ops) /
                                  static_cast<double>(*node.tensor_size));
  const bool memory = node.type == NodeType::MemLoad || node.type == NodeType::MemStore;
  const std::uint64_t bytes = (memory ? node.tensor_size : node.comm_size).value_or(0);
  if (memory || communicates(node)) collected.bytes[kind].push_back(static_cast<double>(bytes));
  if (node.is_collective()) ++statistics.collectives[{kind, bytes, node.pg_name}];
  if (!communicates(node) || node.type == NodeType::CommRecv) return;
  const char* const by_default =
      node.is_collective() ? chakra::kDefaultCollectiveClass : chakra::kDefaultMessageClass;
  auto& of_size = statistics.sizes[node.comm_class.empty() ? by_default : node.comm_class][size_class(bytes)];
  ++of_size.messages;
  of_size.bytes += bytes;
}

void take(const TraceGraph& graph, TraceStatistics& statistics, Collected& collected) {
  ++statistics.ranks;
  statistics.nodes += graph.nodes.size();
  statistics.edges += graph.edges.size();
  for (const Node& node : graph.nodes) take(node, statistics, collected);
  std::vector<std::uint64_t> children(graph.nodes.size()), parents(graph.nodes.size());
  for (const auto& [child, parent] : graph.edges) {
    ++children[parent];
    ++parents[child];
  }
  collected.parents.insert(collected.parents.end(), parents.begin(), parents.end());
  collected.children.insert(collected.children.end(), children.begin(), children.end());
  std::vector<std::uint64_t> depth(graph.nodes.size(), 1), end(graph.nodes.size());
  for (const std::uint32_t node : graph.order) {
    const auto [first, last] = graph.parents(node);
    for (std::size_t edge = first; edge < last; ++edge) {
      const std::uint32_t parent = graph.edges[edge].second;
      depth[node] = std::max(depth[node], depth[parent] + 1);
      end[node] = std::max(end[node], end[parent]);
    }
    end[node] += graph.nodes[node].duration_ps;
    statistics.depth = std::max(statistics.depth, depth[node]);
    statistics.critical_path_ps = std::max(statistics.critical_path_ps, end[node]);
  }
  statistics.scheduled_ps = std::max(statistics.scheduled_ps, schedule(graph).total_ps);
}

std::map<std::string, Distribution> sorted(std::map<std::string, Values>& from) {
  std::map<std::string, Distribution> all;
  for (auto& [name, values] : from) all.emplace(name, Distribution(std::move(values)));
  return all;
}

Difference difference(const std::string& what, const Distribution& a, const Distribution& b) {
  return {what, a.count(), b.count(), kolmogorov_smirnov(a, b), earth_movers(a, b), a.mean(), b.mean()};
}

void compare(const std::string& what, const std::map<std::string, Distribution>& a,
             const std::map<std::string, Distribution>& b, std::vector<Difference>& found) {
  const Distribution none;
  std::map<std::string, std::pair<const Distribution*, const Distribution*>> both;
  for (const auto& [name, values] : a) both[name] = {&values, &none};
  for (const auto& [name, values] : b) {
    auto& entry = both.emplace(name, std::pair(&none, &none)).first->second;
    entry.second = &values;
  }
  for (const auto& [name, pair] : both) found.push_back(difference(what + name, *pair.first, *pair.second));
}

}  // namespace

std::string class_of(const Node& node) {
  switch (node.type) {
    case NodeType::Comp:
      if (node.is_cpu_op && node.name == "delay") return "delay";
      return node.is_cpu_op ? "cpu" : "kernel";
    case NodeType::CommColl:
      return node.is_collective() ? to_string(*node.comm_type) : "cpu";
    case NodeType::CommSend:
      return "send";
    case NodeType::CommRecv:
      return "receive";
    case NodeType::MemLoad:
    case NodeType::MemStore:
      return "memory";
    default:
      return "metadata";
  }
}

TraceStatistics statistics_of(const std::vector<TraceGraph>& ranks) {
  TraceStatistics statistics;
  Collected collected;
  for (const TraceGraph& rank : ranks) take(rank, statistics, collected);
  statistics.durations_ps = sorted(collected.durations);
  statistics.bytes = sorted(collected.bytes);
  statistics.parents = Distribution(std::move(collected.parents));
  statistics.children = Distribution(std::move(collected.children));
  statistics.intensity = Distribution(std::move(collected.intensity));
  return statistics;
}

std::vector<Difference> compare(const TraceStatistics& a, const TraceStatistics& b) {
  std::vector<Difference> found;
  compare("duration of ", a.durations_ps, b.durations_ps, found);
  compare("size of ", a.bytes, b.bytes, found);
  found.push_back(difference("parents of a node", a.parents, b.parents));
  found.push_back(difference("children of a node", a.children, b.children));
  found.push_back(difference("operations per byte", a.intensity, b.intensity));
  return found;
}

}  // namespace wafertlm::statistics
