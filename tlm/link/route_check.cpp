// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/route_check.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <set>
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

void RouteCheck::add(const std::string& name, std::size_t from, PortId output, std::size_t to) {
  auto& outputs = switches_[from].link_of_output;
  if (outputs.size() <= index_of(output)) outputs.resize(index_of(output) + 1, kNone);
  outputs[index_of(output)] = links_.size();
  links_.push_back({name, to});
}

void RouteCheck::add_link(const std::string& name, std::size_t from, PortId output, std::size_t to) {
  add(name, from, output, to);
}

void RouteCheck::add_exit(const std::string& name, std::size_t from, PortId output) {
  add(name, from, output, kNone);
}

std::vector<std::string> RouteCheck::find_cycle(std::size_t destinations) const {
  std::vector<std::set<std::size_t>> follows(links_.size());
  std::vector<std::size_t> walked_for(links_.size(), kNone);  // the destination a link was last walked for
  Packet packet;
  for (std::size_t destination = 0; destination < destinations; ++destination) {
    packet.destination = static_cast<NpuId>(destination);
    for (std::size_t start = 0; start < switches_.size(); ++start) {
      std::size_t previous = kNone;
      for (std::size_t at = start; at != kNone;) {
        const std::size_t port = index_of(switches_[at].routes->output_for(packet));
        const auto& outputs = switches_[at].link_of_output;
        if (port >= outputs.size() || outputs[port] == kNone)
          throw std::logic_error("the route to NPU " + std::to_string(destination) + " leaves switch " +
                                 std::to_string(at) + " through port " + std::to_string(port) +
                                 ", which has no link");
        const std::size_t link = outputs[port];
        if (previous != kNone) follows[previous].insert(link);
        if (walked_for[link] == destination) break;
        walked_for[link] = destination;
        previous = link;
        at = links_[link].to;
      }
    }
  }
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
