// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/sequences.h"

#include <algorithm>
#include <map>
#include <utility>

#include "workloads/statistics/trace_statistics.h"
#include "workloads/trace_model/families.h"
#include "workloads/trace_model/lanes.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;
using statistics::TraceGraph;

class Kinds {
 public:
  Kinds(std::uint32_t ranks, const Families& families, const chakra::CommGroups& groups)
      : ranks_(ranks), families_(families), groups_(groups) {}

  std::uint32_t number(const Node& node, std::uint32_t rank, std::uint32_t lane) {
    Kind kind;
    kind.type = node.type;
    kind.cpu = node.is_cpu_op;
    kind.io_stream = node.io_stream;
    kind.delay = statistics::class_of(node) == "delay";
    kind.unit = node.unit;
    kind.traffic_class = node.comm_class;
    kind.priority = node.comm_priority;
    kind.dims = node.involved_dim;
    if (node.is_collective()) {
      kind.collective = node.comm_type;
      const std::size_t group = groups_.number(node.pg_name);
      const auto place = places_.emplace(std::pair(rank, group), Families::Place{}).first;
      if (place->second.family < 0) place->second = families_.place(rank, group);
      kind.family = place->second.family;
      kind.nth = place->second.nth;
    }
    if (node.type == NodeType::CommSend || node.type == NodeType::CommRecv) {
      kind.peer = (peer_of(node) + ranks_ - rank) % ranks_;
      kind.lane = lane;
    }
    const auto [found, is_new] = numbers_.emplace(std::move(kind), static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(found->first);
    return found->second;
  }
  std::vector<Kind> take() { return std::move(all_); }

 private:
  std::uint32_t ranks_;
  const Families& families_;
  const chakra::CommGroups& groups_;
  std::map<std::pair<std::uint32_t, std::size_t>, Families::Place> places_;
  std::map<Kind, std::uint32_t> numbers_;
  std::vector<Kind> all_;
};

/// Nodes that nothing depends on so far, by kind.
class Open {
 public:
  Open(std::size_t nodes, std::size_t kinds) : is_open_(nodes, true), count_(kinds) {}
  void add(std::uint32_t kind) { ++count_[kind]; }
  std::uint32_t count(std::uint32_t kind) const { return count_[kind]; }
  bool holds(std::uint32_t at) const { return is_open_[at]; }
  void close(std::uint32_t at, std::uint32_t kind) {
    if (is_open_[at]) --count_[kind];
    is_open_[at] = false;
  }

 private:
  std::vector<bool> is_open_;
  std::vector<std::uint32_t> count_;
};

/// Calls visit(child, {kind → parents}, open) for each node of a rank; all as places in its order.
template <typename Visit>
void for_each_node(const TraceGraph& graph, const Sequence& sequence, std::size_t kinds, const Visit& visit) {
  std::vector<std::uint32_t> place(graph.nodes.size());
  for (std::uint32_t at = 0; at < graph.order.size(); ++at) place[graph.order[at]] = at;
  Open open(graph.nodes.size(), kinds);
  std::map<std::uint32_t, std::vector<std::uint32_t>> parents;
  for (std::uint32_t at = 0; at < graph.order.size(); ++at) {
    parents.clear();
    const auto [first, last] = graph.parents(graph.order[at]);
    for (std::size_t edge = first; edge < last; ++edge) {
      const std::uint32_t parent = place[graph.edges[edge].second];
      parents[sequence.kinds[parent]].push_back(parent);
    }
    visit(at, parents, open);
    for (const auto& [kind, all] : parents)
      for (const std::uint32_t parent : all) open.close(parent, kind);
    open.add(sequence.kinds[at]);
  }
}

bool are_all_open(std::uint32_t kind, const std::vector<std::uint32_t>& parents, const Open& open) {
  return open.count(kind) == parents.size() &&
         std::all_of(parents.begin(), parents.end(), [&](std::uint32_t at) { return open.holds(at); });
}

/// What is done with a kind, on all ranks.
struct Usage {
  bool is_referenced = false, always_all_open = true;
  std::size_t most = 0;
  bool is_joined() const { return is_referenced && always_all_open && most >= 2; }
};

/// What goes from stage to stage of a pipeline belongs to the step that makes it.
bool may_be_side(const Kind& kind) {
  return kind.type != NodeType::Comp && kind.type != NodeType::CommSend && kind.type != NodeType::CommRecv &&
         kind.traffic_class != chakra::kDefaultMessageClass;
}

}  // namespace

Sequences sequences_of(const std::vector<TraceGraph>& ranks, const chakra::CommGroups& groups) {
  Sequences result;
  Families families = families_of(ranks, groups);
  const auto lanes = lanes_of(ranks);
  Kinds kinds(static_cast<std::uint32_t>(ranks.size()), families, groups);
  result.ranks.resize(ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    for (std::uint32_t at = 0; at < ranks[rank].order.size(); ++at)
      result.ranks[rank].kinds.push_back(
          kinds.number(ranks[rank].nodes[ranks[rank].order[at]], rank, lanes[rank][at]));
  result.kinds = kinds.take();
  result.families = std::move(families.all);

  const std::size_t count = result.kinds.size();
  std::vector<Usage> usage(count);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for_each_node(ranks[rank], result.ranks[rank], count,
                  [&](std::uint32_t, const auto& parents, const Open& open) {
                    for (const auto& [kind, all] : parents) {
                      Usage& of = usage[kind];
                      of.is_referenced = true;
                      of.always_all_open = of.always_all_open && are_all_open(kind, all, open);
                      of.most = std::max(of.most, all.size());
                    }
                  });
  for (std::size_t kind = 0; kind < count; ++kind)
    result.is_side.push_back(may_be_side(result.kinds[kind]) &&
                             (usage[kind].is_joined() || !usage[kind].is_referenced));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Sequence& sequence = result.ranks[rank];
    sequence.after.resize(sequence.kinds.size());
    std::vector<std::uint32_t> seen(count), number(sequence.kinds.size());  // of a kind, and within it
    for_each_node(ranks[rank], sequence, count, [&](std::uint32_t at, const auto& parents, const Open&) {
      for (const auto& [kind, all] : parents) {
        if (usage[kind].is_joined()) {
          sequence.after[at].push_back({kind, Reference::kOpen});
          continue;
        }
        for (const std::uint32_t parent : all)
          sequence.after[at].push_back({kind, seen[kind] - number[parent]});
      }
      std::sort(sequence.after[at].begin(), sequence.after[at].end());
      number[at] = seen[sequence.kinds[at]]++;
    });
  }
  return result;
}

}  // namespace wafertlm::trace_model
