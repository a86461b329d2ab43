// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "workloads/edit/edit.h"
#include "workloads/statistics/trace_graph.h"

namespace wafertlm::edit {
namespace {

using chakra::Node;
using Ids = std::vector<std::uint64_t>;

std::uint64_t highest_id(const Nodes& nodes) {
  std::uint64_t highest = 0;
  for (const Node& node : nodes) highest = std::max(highest, node.id);
  return highest;
}

/// In dependencies each of these ids is replaced by others.
void replace_parents(Nodes& nodes, const std::unordered_map<std::uint64_t, Ids>& by) {
  for (Node& node : nodes)
    for (Ids* list : {&node.ctrl_deps, &node.data_deps}) {
      if (std::none_of(list->begin(), list->end(), [&](std::uint64_t id) { return by.count(id) != 0; }))
        continue;
      Ids replaced;
      for (const std::uint64_t id : *list) {
        const auto found = by.find(id);
        if (found == by.end())
          replaced.push_back(id);
        else
          replaced.insert(replaced.end(), found->second.begin(), found->second.end());
      }
      std::sort(replaced.begin(), replaced.end());
      replaced.erase(std::unique(replaced.begin(), replaced.end()), replaced.end());
      replaced.erase(std::remove(replaced.begin(), replaced.end(), node.id), replaced.end());
      *list = std::move(replaced);
    }
}

/// The `part`-th of so many equal parts.
std::uint64_t part_of(std::uint64_t whole, std::uint64_t parts, std::uint64_t part) {
  return whole / parts + (part < whole % parts ? 1 : 0);
}

/// Collectives that are taken together, and whether another one may join them.
class Fusing {
 public:
  Fusing(const statistics::TraceGraph& graph, std::uint64_t most)
      : graph_(graph), most_(most), place_(graph.nodes.size()), bucket_of_(graph.nodes.size(), kNone) {
    for (std::uint32_t i = 0; i < graph.order.size(); ++i) place_[graph.order[i]] = i;
  }

  /// Members of each bucket, by positions; the last one is where it stands.
  std::vector<std::vector<std::uint32_t>> buckets() {
    std::map<Key, std::size_t> open;
    for (const std::uint32_t position : graph_.order) {
      const Node& node = graph_.nodes[position];
      if (!node.is_collective() || node.io_stream || node.comm_size.value_or(0) == 0) continue;
      if (!node.send_bytes.empty()) continue;
      const Key key{*node.comm_type, node.pg_name, node.comm_class};
      const auto [found, is_new] = open.emplace(key, buckets_.size());
      if (!is_new && !may_join(found->second, position)) found->second = buckets_.size();
      if (found->second == buckets_.size()) buckets_.emplace_back();
      buckets_[found->second].push_back(position);
      bucket_of_[position] = found->second;
    }
    return std::move(buckets_);
  }

 private:
  using Key = std::tuple<chakra::CollectiveType, std::string, std::string>;
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool may_join(std::size_t bucket, std::uint32_t position) const {
    std::uint64_t bytes = *graph_.nodes[position].comm_size;
    for (const std::uint32_t member : buckets_[bucket]) bytes += *graph_.nodes[member].comm_size;
    return bytes <= most_ && !needs(position, bucket);
  }
  /// Whether a node needs one of the bucket by way of another node, where all buckets so far are one node.
  bool needs(std::uint32_t position, std::size_t bucket) const {
    const std::uint32_t first = first_beside(place_[buckets_[bucket].front()]);
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = {position};
    const auto look_at = [&](std::uint32_t node) {
      if (seen.insert(node).second) open.push_back(node);
    };
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      const auto [begin, end] = graph_.parents(node);
      for (std::size_t edge = begin; edge < end; ++edge) {
        const std::uint32_t parent = graph_.edges[edge].second;
        const std::size_t of = bucket_of_[parent];
        if (of == bucket && node != position) return true;
        if (of == bucket || place_[parent] < first) continue;
        if (of == kNone)
          look_at(parent);
        else
          for (const std::uint32_t member : buckets_[of]) look_at(member);
      }
    }
    return false;
  }
  /// The first place before which no node needs one from `place` on: buckets may lie across it.
  std::uint32_t first_beside(std::uint32_t place) const {
    for (bool is_moved = true; is_moved;) {
      is_moved = false;
      for (const auto& each : buckets_)
        if (place_[each.front()] < place && place_[each.back()] >= place) {
          place = place_[each.front()];
          is_moved = true;
        }
    }
    return place;
  }

  const statistics::TraceGraph& graph_;
  const std::uint64_t most_;
  std::vector<std::uint32_t> place_;    // in the order of the graph
  std::vector<std::size_t> bucket_of_;  // by position
  std::vector<std::vector<std::uint32_t>> buckets_;
};

}  // namespace

std::uint64_t split_collectives(Nodes& nodes, std::uint64_t most) {
  std::uint64_t next = highest_id(nodes) + 1, count = 0;
  std::unordered_map<std::uint64_t, Ids> parts_of;
  Nodes result;
  for (Node& node : nodes) {
    const std::uint64_t bytes = node.comm_size.value_or(0);
    // Of unequal parts the ranks have different sizes, and would not make equally many of it.
    if (!node.is_collective() || bytes <= most || !node.send_bytes.empty()) {
      result.push_back(std::move(node));
      continue;
    }
    const std::uint64_t parts = (bytes - 1) / most + 1, duration = node.duration_ps;
    Ids& ids = parts_of[node.id];
    for (std::uint64_t part = 0; part < parts; ++part) {
      Node piece = node;
      if (part != 0) piece.id = next++;
      piece.comm_size = part_of(bytes, parts, part);
      piece.duration_ps = part_of(duration, parts, part);
      ids.push_back(piece.id);
      result.push_back(std::move(piece));
    }
    ++count;
  }
  replace_parents(result, parts_of);
  nodes = std::move(result);
  return count;
}

std::uint64_t fuse_collectives(Nodes& nodes, std::uint64_t most) {
  chakra::VectorSource source("the trace", nodes);
  const statistics::TraceGraph graph = statistics::read_graph(source);
  std::unordered_map<std::uint64_t, Ids> fused_into;
  std::set<std::uint32_t> gone;
  for (const auto& members : Fusing(graph, most).buckets()) {
    Node& last = nodes[members.back()];
    for (const std::uint32_t member : members) {
      if (member == members.back()) continue;
      const Node& node = nodes[member];
      last.data_deps.insert(last.data_deps.end(), node.data_deps.begin(), node.data_deps.end());
      last.ctrl_deps.insert(last.ctrl_deps.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
      last.comm_size = *last.comm_size + *node.comm_size;
      last.duration_ps += node.duration_ps;
      fused_into[node.id] = {last.id};
      gone.insert(member);
    }
  }
  Nodes result;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (gone.count(i) == 0) result.push_back(std::move(nodes[i]));
  replace_parents(result, fused_into);
  nodes = std::move(result);
  return gone.size();
}

}  // namespace wafertlm::edit
