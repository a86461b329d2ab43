// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/fabric_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <set>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint16_t kNowhere = 0xFFFF;
constexpr std::uint64_t kFar = ~std::uint64_t{0};

}  // namespace

FabricGraph::FabricGraph(std::uint32_t npus, std::vector<Vertex> vertices, std::vector<Link> links,
                         Shortest shortest, const std::vector<std::vector<std::uint32_t>>& routes, Ways ways)
    : npus_(npus),
      vertices_(std::move(vertices)),
      links_(std::move(links)),
      out_(vertices_.size()),
      in_(vertices_.size()),
      given_(npus) {
  check_links();
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    if (out_[links_[link].from].size() == kNowhere)
      throw std::invalid_argument(name(links_[link].from) + " has more than 65535 links");
    out_[links_[link].from].push_back(link);
    in_[links_[link].to].push_back(link);
  }
  for (std::uint32_t vertex = 0; vertex < vertices_.size(); ++vertex)
    leaf_.push_back(vertex < npus_ && out_[vertex].size() == 1 && in_[vertex].size() == 1 &&
                    links_[out_[vertex][0]].to == links_[in_[vertex][0]].from &&
                    links_[out_[vertex][0]].to >= npus_);
  next_.assign(std::size_t{npus_} * vertices_.size(), kNowhere);
  if (ways == Ways::up_down) {
    find_up_down();
  } else {
    find_routes(shortest);
    take_routes(routes);
  }
  if (!has_dead_links()) require_reach();
  find_shortest_latency();
}

void FabricGraph::check_links() const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const Link& link : links_) {
    const std::string text = "the link from " + name(link.from) + " to " + name(link.to);
    if (link.from == link.to) throw std::invalid_argument(text + " goes nowhere");
    if (link.bytes_per_s == 0) throw std::invalid_argument(text + " has no bandwidth");
    if (!seen.emplace(link.from, link.to).second) throw std::invalid_argument(text + " is there twice");
  }
}

void FabricGraph::find_routes(Shortest shortest) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                      boost::property<boost::edge_weight_t, std::uint64_t>>;
  const auto weight = [&](const Link& link) { return link.latency_ps + vertices_[link.to].pipeline_ps + 1; };
  if (shortest != Shortest::latency) return find_fewest_hops(shortest == Shortest::hops_in_turn);
  Graph backwards(vertices_.size());
  for (const Link& link : links_)
    if (!link.dead) add_edge(link.to, link.from, weight(link), backwards);
  std::vector<std::uint64_t> distance(vertices_.size());
  for (std::uint32_t npu = 0; npu < npus_; ++npu) {
    dijkstra_shortest_paths(
        backwards, npu,
        boost::distance_map(distance.data()).distance_inf(kFar).distance_compare(std::less<>()));
    take_nearest(npu, distance, weight, false);
  }
}

/// Breadth first: what Dijkstra's algorithm does with equal weights, in a tenth of its time.
void FabricGraph::find_fewest_hops(bool in_turn) {
  std::vector<std::uint64_t> distance(vertices_.size());
  std::vector<std::uint32_t> reached;
  distance_.resize(std::size_t{npus_} * npus_);
  for (std::uint32_t npu = 0; npu < npus_; ++npu) {
    distance.assign(vertices_.size(), kFar);
    distance[npu] = 0;
    reached.assign(1, npu);
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (const std::uint32_t link : in_[reached[k]]) {
        const std::uint32_t from = links_[link].from;
        if (links_[link].dead || distance[from] != kFar) continue;
        distance[from] = distance[reached[k]] + 1;
        reached.push_back(from);
      }
    take_nearest(
        npu, distance, [](const Link&) { return std::uint64_t{1}; }, in_turn);
    for (std::uint32_t from = 0; from < npus_; ++from)
      distance_[std::size_t{npu} * npus_ + from] =
          distance[from] == kFar ? 0 : static_cast<std::uint16_t>(distance[from]);
  }
}

/// Of the links out of each vertex the first one on a shortest way to the NPU, or the one whose turn it is.
template <typename Weight>
void FabricGraph::take_nearest(std::uint32_t npu, const std::vector<std::uint64_t>& distance,
                               const Weight& weight, bool in_turn) {
  for (std::uint32_t vertex = 0; vertex < vertices_.size(); ++vertex) {
    if (vertex == npu || distance[vertex] == kFar) continue;
    const auto leads_on = [&](std::uint32_t link) {
      return !links_[link].dead && distance[links_[link].to] != kFar &&
             distance[vertex] == distance[links_[link].to] + weight(links_[link]);
    };
    const auto& out = out_[vertex];
    auto taken = std::find_if(out.begin(), out.end(), leads_on);
    if (in_turn)
      for (auto skip = npu % std::count_if(taken, out.end(), leads_on); skip != 0; --skip)
        taken = std::find_if(taken + 1, out.end(), leads_on);
    next_[std::size_t{npu} * vertices_.size() + vertex] = static_cast<std::uint16_t>(taken - out.begin());
  }
}

bool FabricGraph::works_both_ways(std::uint32_t link) const {
  const Link& there = links_[link];
  const auto is_back = [&](std::uint32_t other) {
    return links_[other].to == there.from && !links_[other].dead;
  };
  return !there.dead && std::any_of(out_[there.to].begin(), out_[there.to].end(), is_back);
}

/// By vertex, its place in breadth-first trees over links that work in both directions, each from the vertex
/// of its part that has most of them.
std::vector<std::size_t> FabricGraph::heights() const {
  constexpr std::size_t kUnknown = ~std::size_t{0};
  std::vector<std::uint32_t> roots(vertices_.size()), order;
  std::vector<std::size_t> height(vertices_.size(), kUnknown), living(vertices_.size());
  for (std::uint32_t vertex = 0; vertex < vertices_.size(); ++vertex) {
    roots[vertex] = vertex;
    for (const std::uint32_t link : out_[vertex]) living[vertex] += works_both_ways(link) ? 1 : 0;
  }
  std::stable_sort(roots.begin(), roots.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return living[a] > living[b]; });
  const auto reach = [&](std::uint32_t vertex) {
    if (height[vertex] != kUnknown) return;
    height[vertex] = order.size();
    order.push_back(vertex);
  };
  for (const std::uint32_t root : roots) {
    reach(root);
    for (std::size_t k = height[root]; k < order.size(); ++k)
      for (const std::uint32_t link : out_[order[k]])
        if (works_both_ways(link)) reach(links_[link].to);
  }
  return height;
}

/// Who can go down all the way does so, the others go up first. Up is towards a smaller height.
void FabricGraph::find_up_down() {
  const std::vector<std::size_t> height = heights();
  for (std::uint32_t npu = 0; npu < npus_; ++npu) {
    std::uint16_t* const next = &next_[std::size_t{npu} * vertices_.size()];
    std::vector<std::uint32_t> reached{npu};
    for (const bool down : {true, false})
      for (std::size_t k = 0; k < reached.size(); ++k)
        for (const std::uint32_t link : in_[reached[k]]) {
          const std::uint32_t from = links_[link].from;
          if (from == npu || next[from] != kNowhere || !works_both_ways(link)) continue;
          if ((height[reached[k]] > height[from]) != down) continue;
          next[from] = static_cast<std::uint16_t>(std::find(out_[from].begin(), out_[from].end(), link) -
                                                  out_[from].begin());
          reached.push_back(from);
        }
  }
}

void FabricGraph::take_routes(const std::vector<std::vector<std::uint32_t>>& routes) {
  for (const std::vector<std::uint32_t>& route : routes) {
    std::string text = "the route";
    for (const std::uint32_t vertex : route) text += " " + name(vertex);
    if (route.size() < 2 || route.front() >= npus_ || route.back() >= npus_ || route.front() == route.back())
      throw std::invalid_argument(text + " does not go from an NPU to another");
    if (std::set<std::uint32_t>(route.begin(), route.end()).size() != route.size())
      throw std::invalid_argument(text + " comes to a place twice");
    auto& of_source = given_[route.front()];
    GivenRoute given{route.back(), {}};
    const auto place = std::lower_bound(of_source.begin(), of_source.end(), given);
    if (place != of_source.end() && place->destination == route.back())
      throw std::invalid_argument(text + ": a route between these two is given already");
    bool is_whole = true;
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      const auto& out = out_[route[i]];
      const auto found = std::find_if(out.begin(), out.end(),
                                      [&](std::uint32_t link) { return links_[link].to == route[i + 1]; });
      if (found == out.end())
        throw std::invalid_argument(text + ": there is no link from " + name(route[i]) + " to " +
                                    name(route[i + 1]));
      is_whole = is_whole && !links_[*found].dead;
      given.links.emplace_back(route[i], *found);
    }
    if (!is_whole) continue;
    std::sort(given.links.begin(), given.links.end());
    of_source.insert(place, std::move(given));
  }
}

/// NPU 0 all others, or these NPU 0.
bool FabricGraph::reaches_all(bool forwards) const {
  std::vector<bool> is_reached(vertices_.size());
  std::vector<std::uint32_t> reached{0};
  is_reached[0] = true;
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const std::uint32_t link : (forwards ? out_ : in_)[reached[k]]) {
      const std::uint32_t other = forwards ? links_[link].to : links_[link].from;
      if (links_[link].dead || is_reached[other]) continue;
      is_reached[other] = true;
      reached.push_back(other);
    }
  return std::all_of(is_reached.begin(), is_reached.begin() + npus_, [](bool is) { return is; });
}

void FabricGraph::require_reach() const {
  if (npus_ == 0 || (reaches_all(true) && reaches_all(false))) return;
  for (std::uint32_t from = 0; from < npus_; ++from)
    for (std::uint32_t to = 0; to < npus_; ++to) {
      if (from == to) continue;
      if (next_[std::size_t{to} * vertices_.size() + from] == kNowhere &&
          !has_given_route(static_cast<NpuId>(from), static_cast<NpuId>(to)))
        throw std::invalid_argument("there is no way from " + name(from) + " to " + name(to));
    }
}

/// With many NPUs the least that a link and the next one can take, in place of all ways.
void FabricGraph::find_shortest_latency() {
  constexpr std::uint32_t kMaxForAll = 512;
  for (std::uint32_t from = 0; from < npus_ && npus_ <= kMaxForAll; ++from)
    for (std::uint32_t to = 0; to < npus_; ++to)
      if (from != to && reaches(static_cast<NpuId>(from), static_cast<NpuId>(to)))
        shortest_latency_ps_ =
            std::min(shortest_latency_ps_, head_latency_ps(static_cast<NpuId>(from), static_cast<NpuId>(to)));
  for (const Link& link : links_)
    if (npus_ > kMaxForAll && link.from < npus_)
      shortest_latency_ps_ = std::min(shortest_latency_ps_, link.latency_ps + vertices_[link.to].pipeline_ps);
  if (shortest_latency_ps_ == kNever && npus_ > 1) shortest_latency_ps_ = 0;  // none reaches another one
}

bool FabricGraph::has_rings() const {
  return std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.ring != 0; });
}

bool FabricGraph::has_dead_links() const {
  return std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.dead; });
}

bool FabricGraph::reaches(NpuId from, NpuId to) const {
  return from == to || next_link(static_cast<std::uint32_t>(index_of(from)), from, to) != kNone;
}

const FabricGraph::GivenRoute* FabricGraph::given_route(NpuId source, NpuId destination) const {
  const auto& of_source = given_[index_of(source)];
  if (of_source.empty()) return nullptr;
  const auto to = static_cast<std::uint32_t>(index_of(destination));
  const auto found = std::lower_bound(
      of_source.begin(), of_source.end(), to,
      [](const GivenRoute& given, std::uint32_t value) { return given.destination < value; });
  return found != of_source.end() && found->destination == to ? &*found : nullptr;
}

std::uint32_t FabricGraph::next_link(std::uint32_t vertex, NpuId source, NpuId destination) const {
  if (const GivenRoute* const given = given_route(source, destination)) {
    const auto found = std::lower_bound(given->links.begin(), given->links.end(), std::pair(vertex, 0U));
    if (found != given->links.end() && found->first == vertex) return found->second;
  }
  const std::uint16_t next = next_[index_of(destination) * vertices_.size() + vertex];
  return next == kNowhere ? kNone : out_[vertex][next];
}

std::vector<std::uint32_t> FabricGraph::route(NpuId from, NpuId to) const {
  std::vector<std::uint32_t> links;
  if (!reaches(from, to)) return links;
  for (auto at = static_cast<std::uint32_t>(index_of(from)); at != index_of(to); at = links_[links.back()].to)
    links.push_back(next_link(at, from, to));
  return links;
}

std::uint32_t FabricGraph::hops(NpuId from, NpuId to) const {
  if (!distance_.empty() && from != to && !has_given_route(from, to)) {
    const std::size_t source = index_of(from), destination = index_of(to);
    const std::uint32_t all = distance_[destination * npus_ + source];
    return all == 0 ? 0 : all - (leaf_[source] ? 1 : 0) - (leaf_[destination] ? 1 : 0);
  }
  std::uint32_t count = 0;
  for (const std::uint32_t link : route(from, to))
    if (!leaf_[links_[link].from] && !leaf_[links_[link].to]) ++count;
  return count;
}

TimePs FabricGraph::head_latency_ps(NpuId from, NpuId to) const {
  TimePs latency = 0;
  for (const std::uint32_t link : route(from, to))
    latency += links_[link].latency_ps + vertices_[links_[link].to].pipeline_ps;
  return latency;
}

std::uint64_t FabricGraph::path_bytes_per_s(NpuId from, NpuId to) const {
  std::uint64_t slowest = ~std::uint64_t{0};
  for (const std::uint32_t link : route(from, to)) slowest = std::min(slowest, links_[link].bytes_per_s);
  return slowest;
}

std::pair<std::uint64_t, std::uint64_t> FabricGraph::rates_of(std::uint32_t vertex, bool with_leaves) const {
  const auto sum = [&](const std::vector<std::uint32_t>& list, std::uint32_t Link::*other) {
    std::uint64_t living = 0, all = 0;
    for (const std::uint32_t number : list) {
      const Link& link = links_[number];
      if (!with_leaves && leaf_[link.*other]) continue;
      all += link.bytes_per_s;
      if (!link.dead) living += link.bytes_per_s;
    }
    return living == 0 ? all : living;
  };
  return {sum(out_[vertex], &Link::to), sum(in_[vertex], &Link::from)};
}

std::pair<std::uint64_t, std::uint64_t> FabricGraph::npu_bytes_per_s(NpuId npu) const {
  return rates_of(static_cast<std::uint32_t>(index_of(npu)), true);
}

std::uint32_t FabricGraph::cluster_of(NpuId npu) const {
  const auto vertex = static_cast<std::uint32_t>(index_of(npu));
  return leaf_[vertex] ? links_[out_[vertex][0]].to : vertex;
}

std::pair<std::uint64_t, std::uint64_t> FabricGraph::cluster_bytes_per_s(std::uint32_t vertex) const {
  const auto [out, in] = rates_of(vertex, false);
  return {std::max<std::uint64_t>(out, 1), std::max<std::uint64_t>(in, 1)};
}

}  // namespace wafertlm
