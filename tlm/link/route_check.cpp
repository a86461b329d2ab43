// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/route_check.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <stdexcept>

namespace wafertlm {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/// Remembers the tree edges and the first edge that closes a cycle.
class CycleFinder : public boost::dfs_visitor<> {
 public:
  CycleFinder(std::vector<std::size_t>& parent, std::vector<std::size_t>& cycle)
      : parent_(parent), cycle_(cycle) {}

  template <typename Edge>
  void tree_edge(Edge edge, const Graph& graph) {
    parent_[target(edge, graph)] = source(edge, graph);
  }
  template <typename Edge>
  void back_edge(Edge edge, const Graph& graph) {
    if (!cycle_.empty()) return;
    const std::size_t first = target(edge, graph);
    for (std::size_t link = source(edge, graph); link != first; link = parent_[link])
      cycle_.insert(cycle_.begin(), link);
    cycle_.insert(cycle_.begin(), first);
  }

 private:
  std::vector<std::size_t>& parent_;
  std::vector<std::size_t>& cycle_;
};

}  // namespace

void RouteCheck::add_link(const std::string& name, std::size_t from, PortId output, std::size_t to) {
  auto& outputs = switches_[from].link_of_output;
  if (outputs.size() <= index_of(output)) outputs.resize(index_of(output) + 1, kNone);
  outputs[index_of(output)] = links_.size();
  links_.push_back({name, to});
}

std::size_t RouteCheck::add_channel(const std::string& name) {
  links_.push_back({name, kNone});
  return links_.size() - 1;
}

void RouteCheck::add_route(const std::vector<std::size_t>& channels) {
  for (std::size_t i = 1; i < channels.size(); ++i) given_.emplace(channels[i - 1], channels[i]);
}

std::size_t RouteCheck::next_link(std::size_t at, const Packet& packet) const {
  const std::size_t port = index_of(switches_[at].routes->output_for(packet));
  const auto& outputs = switches_[at].link_of_output;
  if (port >= outputs.size() || outputs[port] == kNone)
    throw std::logic_error("the route to NPU " + std::to_string(index_of(packet.destination)) +
                           " leaves switch " + std::to_string(at) + " through port " + std::to_string(port) +
                           ", which has no link");
  return outputs[port];
}

void RouteCheck::walk_from_switches(std::size_t destinations, Follows& follows) const {
  std::vector<std::size_t> walked_for(links_.size(), kNone);  // the destination a link was last walked for
  Packet packet;
  for (std::size_t destination = 0; destination < destinations; ++destination) {
    packet.destination = static_cast<NpuId>(destination);
    for (std::size_t start = 0; start < switches_.size(); ++start) {
      std::size_t previous = kNone;
      for (std::size_t at = start; at != kNone;) {
        const std::size_t link = next_link(at, packet);
        if (previous != kNone) follows[previous].insert(link);
        if (walked_for[link] == destination) break;
        walked_for[link] = destination;
        previous = link;
        at = links_[link].to;
      }
    }
  }
}

void RouteCheck::walk_from_sources(std::size_t destinations, Follows& follows) const {
  Packet packet;
  for (const Source& source : sources_)
    for (std::size_t destination = 0; destination < destinations; ++destination) {
      if (destination == index_of(source.npu)) continue;
      packet.source = source.npu;
      packet.destination = static_cast<NpuId>(destination);
      for (packet.lane = 0; packet.lane < source.lanes; ++packet.lane) {
        std::size_t previous = kNone, steps = 0;
        for (std::size_t at = source.at; at != kNone; at = links_[previous].to) {
          const std::size_t link = next_link(at, packet);
          if (previous != kNone) follows[previous].insert(link);
          previous = link;
          if (++steps > links_.size())
            throw std::logic_error("a route to NPU " + std::to_string(destination) + " does not end");
        }
      }
    }
}

std::vector<std::string> RouteCheck::find_cycle(std::size_t destinations) const {
  Follows follows(links_.size());
  for (const auto& [link, next] : given_) follows[link].insert(next);
  if (sources_.empty())
    walk_from_switches(destinations, follows);
  else
    walk_from_sources(destinations, follows);
  Graph graph(links_.size());
  for (std::size_t link = 0; link < links_.size(); ++link)
    for (const std::size_t next : follows[link]) add_edge(link, next, graph);
  std::vector<std::size_t> parent(links_.size(), kNone), cycle;
  depth_first_search(graph, boost::visitor(CycleFinder(parent, cycle)));
  std::vector<std::string> names;
  for (const std::size_t link : cycle) names.push_back(links_[link].name);
  return names;
}

void RouteCheck::require_no_cycle(std::size_t destinations) const {
  const std::vector<std::string> cycle = find_cycle(destinations);
  if (cycle.empty()) return;
  std::string text = "the routes can deadlock: each of these links waits for the next: ";
  for (const std::string& name : cycle) text += name + " → ";
  throw std::invalid_argument(text + cycle.front());
}

}  // namespace wafertlm
