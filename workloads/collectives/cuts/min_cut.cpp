// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/min_cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace wafertlm::bounds {
namespace {

using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                        boost::property<boost::edge_index_t, std::size_t>>;
using FlowEdge = boost::graph_traits<FlowGraph>::edge_descriptor;

}  // namespace

struct MinCut::Network {
  explicit Network(std::uint32_t vertices)
      : graph(vertices), colour(vertices), before(vertices), distance(vertices) {}

  FlowGraph graph;
  // By edge: arc a is edge 2 a, its way back 2 a + 1.
  std::vector<Capacity> capacity, residual;
  std::vector<FlowEdge> reverse;
  // By vertex.
  std::vector<boost::default_color_type> colour;
  std::vector<FlowEdge> before;
  std::vector<long> distance;
};

MinCut::MinCut(std::uint32_t vertices) : network_(std::make_unique<Network>(vertices)) {}
MinCut::~MinCut() = default;

std::size_t MinCut::add(std::uint32_t from, std::uint32_t to, Capacity forth, Capacity back) {
  Network& net = *network_;
  const std::size_t edge = net.capacity.size();
  const FlowEdge there = add_edge(from, to, edge, net.graph).first;
  net.reverse.push_back(add_edge(to, from, edge + 1, net.graph).first);
  net.reverse.push_back(there);
  net.capacity.insert(net.capacity.end(), {forth, back});
  return edge / 2;
}

void MinCut::set(std::size_t arc, Capacity forth, Capacity back) {
  network_->capacity[2 * arc] = forth;
  network_->capacity[2 * arc + 1] = back;
}

MinCut::Cut MinCut::between(std::uint32_t source, std::uint32_t sink) {
  Network& net = *network_;
  net.residual.assign(net.capacity.size(), 0);
  const auto edges = get(boost::edge_index, net.graph);
  const auto vertices = get(boost::vertex_index, net.graph);
  Cut cut;
  cut.capacity = boost::boykov_kolmogorov_max_flow(
      net.graph, boost::make_iterator_property_map(net.capacity.begin(), edges),
      boost::make_iterator_property_map(net.residual.begin(), edges),
      boost::make_iterator_property_map(net.reverse.begin(), edges),
      boost::make_iterator_property_map(net.before.begin(), vertices),
      boost::make_iterator_property_map(net.colour.begin(), vertices),
      boost::make_iterator_property_map(net.distance.begin(), vertices), vertices, source, sink);
  // Not its trees: they may leave out what can be reached.
  cut.source_side.assign(num_vertices(net.graph), false);
  cut.source_side[source] = true;
  for (std::vector<std::size_t> reached{source}; !reached.empty();) {
    const auto [edge, end] = out_edges(reached.back(), net.graph);
    reached.pop_back();
    for (auto out = edge; out != end; ++out) {
      const std::size_t next = target(*out, net.graph);
      if (net.residual[edges[*out]] == 0 || cut.source_side[next]) continue;
      cut.source_side[next] = true;
      reached.push_back(next);
    }
  }
  return cut;
}

}  // namespace wafertlm::bounds
