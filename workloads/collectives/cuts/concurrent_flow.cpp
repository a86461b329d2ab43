// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/cuts/concurrent_flow.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "workloads/collectives/cuts/linear_program.h"

namespace wafertlm::bounds {
namespace {

constexpr std::uint32_t kNoLink = ~std::uint32_t{0};

/// Shortest ways from one vertex to all others; Length is a number.
template <typename Length>
class ShortestWays {
 public:
  ShortestWays(const LinkGraph& graph) : graph_(graph), out_(graph.vertices.size()) {
    for (std::uint32_t link = 0; link < graph.links.size(); ++link)
      out_[graph.links[link].from].push_back(link);
  }

  /// Dijkstra's algorithm.
  void find(std::uint32_t from, const std::vector<Length>& lengths) {
    const std::size_t vertices = out_.size();
    distance_.assign(vertices, Length{});
    last_link_.assign(vertices, kNoLink);
    order_.clear();
    std::vector<bool> settled(vertices, false), seen(vertices, false);
    using Reached = std::pair<Length, std::uint32_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
    open.emplace(Length{}, from);
    seen[from] = true;
    while (!open.empty()) {
      const auto [at, vertex] = open.top();
      open.pop();
      if (settled[vertex]) continue;
      settled[vertex] = true;
      order_.push_back(vertex);
      for (const std::uint32_t link : out_[vertex]) {
        const std::uint32_t to = graph_.links[link].to;
        const Length there = at + lengths[link];
        if (settled[to] || (seen[to] && distance_[to] <= there)) continue;
        seen[to] = true;
        distance_[to] = there;
        last_link_[to] = link;
        open.emplace(there, to);
      }
    }
  }
  Length distance(std::uint32_t vertex) const { return distance_[vertex]; }
  /// kNoLink: there is no way, or it is where ways begin.
  std::uint32_t last_link(std::uint32_t vertex) const { return last_link_[vertex]; }
  /// Those that are reached, near ones first.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  const LinkGraph& graph_;
  std::vector<std::vector<std::uint32_t>> out_;
  std::vector<Length> distance_;
  std::vector<std::uint32_t> last_link_, order_;
};

/// Members as flags by vertex.
std::vector<bool> flags(const LinkGraph& graph, const std::vector<std::uint32_t>& members) {
  std::vector<bool> is_member(graph.vertices.size(), false);
  for (const std::uint32_t member : members) is_member[member] = true;
  return is_member;
}

/// The master program over trees that were found so far, and its prices.
class TreeProgram {
 public:
  TreeProgram(const LinkGraph& graph, const std::vector<std::uint32_t>& members);

  /// Trees until none is cheaper than what the program has, or no progress is seen.
  void solve();
  /// First trees only: each avoids links that earlier ones have loaded (multiplicative weights, as Garg and
  /// Könemann, SIAM J. Comput. 37, 2007).
  void spread();
  /// Of links, at the prices of the program, or as they are loaded.
  const std::vector<double>& lengths() const { return lengths_; }

 private:
  struct Tree {
    std::size_t source;
    std::vector<std::pair<std::uint32_t, double>> loads;  // ways over each link
    double cost;                                          // at the lengths it was found with
  };
  Tree cheapest(std::size_t source, const std::vector<double>& lengths);
  void add(const Tree& tree);

  const LinkGraph& graph_;
  const std::vector<std::uint32_t>& members_;
  std::vector<bool> is_member_;
  ShortestWays<double> ways_;
  std::vector<double> rates_;  // of links, the fastest has 1
  double unit_ = 1;            // of flow, so that the rate is about 1
  LinearProgram program_;
  std::vector<double> lengths_;
};

std::vector<double> relative_rates(const LinkGraph& graph) {
  std::vector<double> rates;
  for (const LinkGraph::Link& link : graph.links) rates.push_back(static_cast<double>(link.bytes_per_s));
  const double fastest = *std::max_element(rates.begin(), rates.end());
  for (double& rate : rates) rate /= fastest;
  return rates;
}

// Rows: the rate minus what the trees of each source carry, at most 0; what crosses each link over its rate,
// at most 1.
std::vector<double> limits_of(std::size_t sources, std::size_t links) {
  std::vector<double> limits(sources, 0);
  limits.resize(sources + links, 1);
  return limits;
}

TreeProgram::TreeProgram(const LinkGraph& graph, const std::vector<std::uint32_t>& members)
    : graph_(graph),
      members_(members),
      is_member_(flags(graph, members)),
      ways_(graph),
      rates_(relative_rates(graph)),
      program_(limits_of(members.size(), graph.links.size())) {
  LinearProgram::Entries rate;
  for (std::size_t source = 0; source < members.size(); ++source) rate.emplace_back(source, 1);
  program_.add_column(-1, rate);
}

TreeProgram::Tree TreeProgram::cheapest(std::size_t source, const std::vector<double>& lengths) {
  ways_.find(members_[source], lengths);
  Tree tree{source, {}, 0};
  std::vector<double> behind(graph_.vertices.size(), 0);
  for (auto vertex = ways_.order().rbegin(); vertex + 1 != ways_.order().rend(); ++vertex) {
    if (is_member_[*vertex]) behind[*vertex] += 1;
    if (behind[*vertex] == 0) continue;
    const std::uint32_t link = ways_.last_link(*vertex);
    tree.loads.emplace_back(link, behind[*vertex]);
    tree.cost += lengths[link] * behind[*vertex];
    behind[graph_.links[link].from] += behind[*vertex];
  }
  std::sort(tree.loads.begin(), tree.loads.end());
  return tree;
}

void TreeProgram::add(const Tree& tree) {
  LinearProgram::Entries entries = {{tree.source, -1}};
  for (const auto& [link, load] : tree.loads)
    entries.emplace_back(members_.size() + link, load / rates_[link] / unit_);
  program_.add_column(0, entries);
}

void TreeProgram::spread() {
  constexpr double kSteepness = 6;
  const int rounds = members_.size() <= 256 ? 4 : 1;
  std::vector<double> loads(graph_.links.size(), 0);
  lengths_.resize(graph_.links.size());
  std::vector<Tree> trees;
  double busiest = 0;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t source = 0; source < members_.size(); ++source) {
      for (std::size_t link = 0; link < loads.size(); ++link)
        lengths_[link] =
            (busiest == 0 ? 1 : std::exp(kSteepness * loads[link] / rates_[link] / busiest)) / rates_[link];
      trees.push_back(cheapest(source, lengths_));
      for (const auto& [link, load] : trees.back().loads) {
        loads[link] += load;
        busiest = std::max(busiest, loads[link] / rates_[link]);
      }
    }
  unit_ = busiest / rounds;
  for (const Tree& tree : trees) add(tree);
}

void TreeProgram::solve() {
  constexpr double kClosed = 1e-9;
  constexpr int kMostRounds = 400;
  spread();
  for (int round = 0; round < kMostRounds && program_.solve(); ++round) {
    const std::vector<double> prices = program_.prices();
    lengths_.assign(graph_.links.size(), 0);
    for (std::size_t link = 0; link < lengths_.size(); ++link)
      lengths_[link] = prices[members_.size() + link] / rates_[link] / unit_;
    bool closed = true;
    for (std::size_t source = 0; source < members_.size(); ++source) {
      const Tree tree = cheapest(source, lengths_);
      if (tree.cost >= prices[source] * (1 - kClosed)) continue;
      add(tree);
      closed = false;
    }
    if (closed) break;
  }
}

/// The lengths in integers, the longest of which is `longest`.
std::vector<std::uint64_t> rounded(const std::vector<double>& lengths, double longest) {
  const double most = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::uint64_t> all;
  for (const double length : lengths)
    all.push_back(static_cast<std::uint64_t>(std::llround(length / most * longest)));
  return all;
}

/// Multiples of one fraction of the longest, if they look like that; else with 24 bits.
LinkLengths in_integers(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                        const std::vector<double>& lengths) {
  constexpr double kNear = 1e-6, kFinest = 1 << 24;
  constexpr int kMostParts = 20'000, kMostTried = 8;
  const double longest = *std::max_element(lengths.begin(), lengths.end());
  LinkLengths best = measured(graph, members, rounded(lengths, kFinest));
  for (int parts = 1, tried = 0; parts <= kMostParts && tried < kMostTried; ++parts) {
    const bool fits = std::all_of(lengths.begin(), lengths.end(), [&](double length) {
      const double units = length / longest * parts;
      return std::abs(units - std::round(units)) < kNear * std::max(1.0, units);
    });
    if (!fits) continue;
    ++tried;
    LinkLengths exact = measured(graph, members, rounded(lengths, parts));
    if (exact.tighter(best) || !best.tighter(exact)) best = std::move(exact);
  }
  return best;
}

/// Links across a cut have length 1, all others 0.
LinkLengths as_lengths(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                       std::vector<bool> inside) {
  LinkLengths cut;
  Uint128 near = 0;
  for (const std::uint32_t member : members) near += inside[member] ? 1 : 0;
  cut.distance = near * (members.size() - near);
  for (const LinkGraph::Link& link : graph.links) {
    cut.lengths.push_back(inside[link.from] && !inside[link.to] ? 1 : 0);
    cut.weight += Uint128{cut.lengths.back()} * link.bytes_per_s;
  }
  cut.inside = std::move(inside);
  return cut;
}

/// What leaves a set of vertices that grows.
class GrowingSet {
 public:
  explicit GrowingSet(const LinkGraph& graph) : graph_(graph), at_(graph.vertices.size()) {
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
      at_[graph.links[link].from].push_back(link);
      at_[graph.links[link].to].push_back(link);
    }
    clear();
  }
  void clear() {
    inside_.assign(at_.size(), false);
    leaves_ = 0;
  }
  void add(std::uint32_t vertex) {
    inside_[vertex] = true;
    for (const std::uint32_t number : at_[vertex]) {
      const LinkGraph::Link& link = graph_.links[number];
      if (link.from == vertex && !inside_[link.to]) leaves_ += link.bytes_per_s;
      if (link.to == vertex && inside_[link.from]) leaves_ -= link.bytes_per_s;
    }
  }
  Uint128 leaves() const { return leaves_; }

 private:
  const LinkGraph& graph_;
  std::vector<std::vector<std::uint32_t>> at_;  // links, by vertex
  std::vector<bool> inside_;
  Uint128 leaves_ = 0;
};

/// Of the sets of what is nearest to a member the tightest.
LinkLengths tightest_cut(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                         const std::vector<std::uint64_t>& lengths) {
  const std::vector<bool> is_member = flags(graph, members);
  ShortestWays<std::uint64_t> ways(graph);
  GrowingSet set(graph);
  LinkLengths best;  // without its links
  for (const std::uint32_t member : members) {
    ways.find(member, lengths);
    set.clear();
    Uint128 near = 0;
    for (std::size_t at = 0; at + 1 < ways.order().size(); ++at) {
      const std::uint32_t vertex = ways.order()[at];
      set.add(vertex);
      near += is_member[vertex] ? 1 : 0;
      const LinkLengths cut{{}, near * (members.size() - near), set.leaves(), {}};
      if (cut.weight == 0 || !cut.tighter(best)) continue;
      best = cut;
      best.inside.assign(graph.vertices.size(), false);
      for (std::size_t inside = 0; inside <= at; ++inside) best.inside[ways.order()[inside]] = true;
    }
  }
  return as_lengths(graph, members, std::move(best.inside));
}

}  // namespace

bool LinkLengths::tighter(const LinkLengths& other) const {
  return other.weight == 0 || distance * other.weight > other.distance * weight;
}

LinkLengths measured(const LinkGraph& graph, const std::vector<std::uint32_t>& members,
                     std::vector<std::uint64_t> lengths) {
  LinkLengths found{std::move(lengths), 0, 0, {}};
  ShortestWays<std::uint64_t> ways(graph);
  for (const std::uint32_t from : members) {
    ways.find(from, found.lengths);
    for (const std::uint32_t to : members) found.distance += ways.distance(to);
  }
  for (std::size_t link = 0; link < graph.links.size(); ++link)
    found.weight += Uint128{found.lengths[link]} * graph.links[link].bytes_per_s;
  return found;
}

LinkLengths tightest_lengths(const LinkGraph& graph, const std::vector<std::uint32_t>& members) {
  /// A second; beyond, the first prices.
  constexpr std::size_t kMostSolved = 256;
  TreeProgram program(graph, members);
  members.size() <= kMostSolved ? program.solve() : program.spread();
  LinkLengths best = in_integers(graph, members, program.lengths());
  LinkLengths cut = tightest_cut(graph, members, best.lengths);
  return best.tighter(cut) ? best : cut;
}

}  // namespace wafertlm::bounds
