// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/cuts.h"

#include <algorithm>

#include "tlm/kernel/units.h"
#include "workloads/collectives/cuts/capacities.h"
#include "workloads/collectives/cuts/min_cut.h"

namespace wafertlm::bounds {
namespace {

using Capacity = MinCut::Capacity;

std::vector<std::uint64_t> rates_of(const LinkGraph& graph) {
  std::vector<std::uint64_t> rates;
  for (const LinkGraph::Link& link : graph.links) rates.push_back(link.bytes_per_s);
  return rates;
}

DirectedCut measured_cut(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                         std::vector<bool> inside) {
  DirectedCut cut;
  cut.inside = std::move(inside);
  cut.inside.resize(graph.vertices.size());
  for (const std::uint32_t member : members) cut.members += cut.inside[member];
  for (const LinkGraph::Link& link : graph.links)
    if (cut.inside[link.from] && !cut.inside[link.to]) cut.bytes_per_s += link.bytes_per_s;
  return cut;
}

DirectedCut all_but(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                    std::uint32_t outside) {
  std::vector<bool> inside(graph.vertices.size(), true);
  inside[outside] = false;
  return measured_cut(graph, members, std::move(inside));
}

bool is_denser(const DirectedCut& cut, const DirectedCut& than) {
  return Uint128{cut.members} * than.bytes_per_s > Uint128{than.members} * cut.bytes_per_s;
}

/// The links, with the network's vertices numbered as the graph's; arc k is link k.
void add_links(MinCut& network, const LinkGraph& graph, std::uint64_t unit) {
  for (const LinkGraph::Link& link : graph.links)
    network.add(link.from, link.to, static_cast<Capacity>(link.bytes_per_s / unit), 0);
}

/// A network with a source before all members. Against a guess (members · rate to each of the links, and its
/// bandwidth from the source to each member) a cut that is denser has less than all that leaves the source.
class SourceOfAll {
 public:
  SourceOfAll(const LinkGraph& graph, const std::vector<std::uint32_t>& members)
      : graph_(graph),
        members_(members),
        rates_(rates_of(graph)),
        unit_(capacity_unit(rates_, 2 * std::uint64_t{members.size()})),
        source_(static_cast<std::uint32_t>(graph.vertices.size())),
        network_(source_ + 1) {
    add_links(network_, graph, unit_);
    for (const std::uint32_t member : members) network_.add(source_, member, 0, 0);
  }

  /// Improves the guess until no cut with `outside` outside is denser.
  void improve(DirectedCut& guess, std::uint32_t outside) {
    for (;;) {
      const auto members = static_cast<Capacity>(guess.members);
      for (std::size_t link = 0; link < rates_.size(); ++link)
        network_.set(link, members * static_cast<Capacity>(rates_[link] / unit_), 0);
      const auto bandwidth = static_cast<Capacity>(guess.bytes_per_s / unit_);
      for (std::size_t member = 0; member < members_.size(); ++member)
        network_.set(rates_.size() + member, bandwidth, 0);
      DirectedCut cut = measured_cut(graph_, members_, network_.between(source_, outside).source_side);
      if (!is_denser(cut, guess)) return;
      guess = std::move(cut);
    }
  }

 private:
  const LinkGraph& graph_;
  const std::vector<std::uint32_t>& members_;
  std::vector<std::uint64_t> rates_;
  std::uint64_t unit_;
  std::uint32_t source_;
  MinCut network_;
};

/// Cuts between vertices of the graph as it is.
class Between {
 public:
  explicit Between(const LinkGraph& graph)
      : graph_(graph), network_(static_cast<std::uint32_t>(graph.vertices.size())) {
    const std::vector<std::uint64_t> rates = rates_of(graph);
    add_links(network_, graph, capacity_unit(rates, 2));
  }

  void improve(DirectedCut& guess, std::uint32_t from, std::uint32_t to,
               const std::vector<std::uint32_t>& members) {
    DirectedCut cut = measured_cut(graph_, members, network_.between(from, to).source_side);
    if (guess.inside.empty() || cut.bytes_per_s < guess.bytes_per_s) guess = std::move(cut);
  }

 private:
  const LinkGraph& graph_;
  MinCut network_;
};

}  // namespace

LinkGraph reversed(LinkGraph graph) {
  for (LinkGraph::Link& link : graph.links) std::swap(link.from, link.to);
  return graph;
}

DirectedCut densest_cut(const LinkGraph& graph, const std::vector<std::uint32_t>& members) {
  DirectedCut best;
  for (const std::uint32_t member : members) {
    DirectedCut cut = all_but(graph, members, member);
    if (best.inside.empty() || is_denser(cut, best)) best = std::move(cut);
  }
  SourceOfAll network(graph, members);
  for (const std::uint32_t member : members) network.improve(best, member);
  return best;
}

DirectedCut narrowest_from(const LinkGraph& graph, std::uint32_t root,
                           const std::vector<std::uint32_t>& members) {
  DirectedCut best;
  Between network(graph);
  for (const std::uint32_t member : members)
    if (member != root) network.improve(best, root, member, members);
  return best;
}

DirectedCut narrowest_between(const LinkGraph& graph, const std::vector<std::uint32_t>& members) {
  DirectedCut best;
  Between network(graph);
  for (const std::uint32_t member : members) {
    if (member == members.front()) continue;
    network.improve(best, members.front(), member, members);
    network.improve(best, member, members.front(), members);
  }
  return best;
}

}  // namespace wafertlm::bounds
