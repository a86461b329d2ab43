// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/shared_routes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "tlm/shape/link_graph.h"
#include "workloads/collectives/cuts/linear_program.h"

namespace wafertlm {
namespace {

constexpr std::size_t kMostRanks = 128;
constexpr int kMostRounds = 100;
constexpr double kNoGain = 1e-6;
constexpr double kLeastShare = 1.0 / 256;  // of the fastest pair's: less is not worth a message

using Arc = std::pair<std::uint32_t, std::uint32_t>;  ///< from a rank to another
using Arcs = std::vector<Arc>;

bool has_failed(const std::vector<std::size_t>& route, const KnowsLinks* known) {
  return known &&
         std::any_of(route.begin(), route.end(), [&](std::size_t link) { return known->has_failed(link); });
}

/// What a message over each pair passes: links of the fabric, and ports of NPUs.
class Ways {
 public:
  Ways(const Group& group, const Topology& topology);

  std::size_t ranks() const { return ranks_; }
  /// Rows, ascending; empty: there is none, or it has failed there or back.
  const std::vector<std::size_t>& way(const Arc& arc) const { return ways_[arc.first * ranks_ + arc.second]; }
  /// By row, bytes per second.
  const std::vector<double>& limits() const { return limits_; }

 private:
  std::size_t row(std::size_t key, std::uint64_t bytes_per_s);

  std::size_t ranks_;
  std::vector<std::vector<std::size_t>> ways_;
  std::map<std::size_t, std::size_t> row_of_;
  std::vector<double> limits_;
};

Ways::Ways(const Group& group, const Topology& topology) : ranks_(group.size()), ways_(ranks_ * ranks_) {
  const KnowsLinks* const known = links_of(topology);
  for (std::size_t from = 0; from < ranks_; ++from)
    for (std::size_t to = 0; to < ranks_; ++to) {
      const NpuId a = group[from], b = group[to];
      if (from == to || has_failed(topology.route(b, a), known)) continue;
      const std::vector<std::size_t> route = topology.route(a, b);
      if (has_failed(route, known)) continue;
      std::vector<std::size_t>& rows = ways_[from * ranks_ + to];
      for (const std::size_t link : route) rows.push_back(row(link, topology.link(link).bytes_per_s));
      rows.push_back(row(topology.links() + 2 * index_of(a), topology.npu_sends_bytes_per_s(a)));
      rows.push_back(row(topology.links() + 2 * index_of(b) + 1, topology.npu_receives_bytes_per_s(b)));
      std::sort(rows.begin(), rows.end());
    }
}

std::size_t Ways::row(std::size_t key, std::uint64_t bytes_per_s) {
  const auto [found, is_new] = row_of_.emplace(key, limits_.size());
  if (is_new) limits_.push_back(static_cast<double>(bytes_per_s));
  return found->second;
}

/// The packing as a linear program: the rate of all roots' trees, as large as the rows allow.
class TreeColumns {
 public:
  TreeColumns(const Ways& ways, const TreeUse& use);
  /// What the packing sends over each arc, bytes per second.
  std::map<Arc, double> rates();

 private:
  Arcs cheapest(std::uint32_t root, const std::vector<double>& prices) const;
  std::map<std::size_t, double> loads(const Arcs& tree) const;
  double cost(const Arcs& tree, const std::vector<double>& prices) const;
  void add(std::size_t root, const Arcs& tree);
  void spread();
  /// What a tree's arc passes: from the parent, to it, or both.
  template <typename Visit>
  void for_rows(const Arc& arc, const Visit& visit) const {
    if (use_.down)
      for (const std::size_t row : ways_.way(arc)) visit(row);
    if (use_.up)
      for (const std::size_t row : ways_.way({arc.second, arc.first})) visit(row);
  }

  const Ways& ways_;
  const TreeUse& use_;
  std::vector<std::uint32_t> roots_;
  double unit_;
  std::vector<double> limits_;  // by row, in units of the fastest; behind them one for each root
  bounds::LinearProgram program_;
  std::vector<Arcs> trees_;  // by column, but for the first
};

std::vector<std::uint32_t> roots_of(std::size_t ranks, const TreeUse& use) {
  if (use.roots != TreeUse::Roots::every) return {use.root};
  std::vector<std::uint32_t> roots(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) roots[rank] = rank;
  return roots;
}

std::vector<double> limits_of(const Ways& ways, double unit, std::size_t roots) {
  std::vector<double> limits;
  for (const double limit : ways.limits()) limits.push_back(limit / unit);
  limits.resize(limits.size() + roots, 0);  // the rate less that of the root's trees
  return limits;
}

TreeColumns::TreeColumns(const Ways& ways, const TreeUse& use)
    : ways_(ways),
      use_(use),
      roots_(roots_of(ways.ranks(), use)),
      unit_(*std::max_element(ways.limits().begin(), ways.limits().end())),
      limits_(limits_of(ways, unit_, roots_.size())),
      program_(limits_) {
  bounds::LinearProgram::Entries rate;
  for (std::size_t root = 0; root < roots_.size(); ++root) rate.emplace_back(ways_.limits().size() + root, 1);
  program_.add_column(-1, rate);
}

/// Prim's algorithm; of equally cheap arcs one with the shorter way.
Arcs TreeColumns::cheapest(std::uint32_t root, const std::vector<double>& prices) const {
  using Price = std::pair<double, std::size_t>;
  const Price none = {std::numeric_limits<double>::infinity(), 0};
  std::vector<Price> price(ways_.ranks(), none);
  std::vector<std::uint32_t> parent(ways_.ranks(), root);
  std::vector<bool> in(ways_.ranks(), false);
  Arcs tree;
  for (std::uint32_t last = root;;) {
    in[last] = true;
    for (std::uint32_t rank = 0; rank < ways_.ranks(); ++rank) {
      if (in[rank] || ways_.way({last, rank}).empty()) continue;
      Price of = {0, 0};
      for_rows({last, rank}, [&](std::size_t row) {
        of.first += prices[row];
        ++of.second;
      });
      if (of >= price[rank]) continue;
      price[rank] = of;
      parent[rank] = last;
    }
    std::uint32_t next = root;
    for (std::uint32_t rank = 0; rank < ways_.ranks(); ++rank)
      if (!in[rank] && (next == root || price[rank] < price[next])) next = rank;
    if (next == root) return tree;
    tree.emplace_back(parent[next], next);
    last = next;
  }
}

std::map<std::size_t, double> TreeColumns::loads(const Arcs& tree) const {
  std::map<std::size_t, double> loads;
  for (const Arc& arc : tree) for_rows(arc, [&](std::size_t row) { loads[row] += 1; });
  return loads;
}

double TreeColumns::cost(const Arcs& tree, const std::vector<double>& prices) const {
  double cost = 0;
  for (const Arc& arc : tree) for_rows(arc, [&](std::size_t row) { cost += prices[row]; });
  return cost;
}

void TreeColumns::add(std::size_t root, const Arcs& tree) {
  const auto of = loads(tree);
  bounds::LinearProgram::Entries entries(of.begin(), of.end());
  entries.emplace_back(ways_.limits().size() + root, -1);
  program_.add_column(0, entries);
  trees_.push_back(tree);
}

/// The first trees, each away from what those before it load: near to the best already.
void TreeColumns::spread() {
  constexpr double kSteepness = 8;
  const std::size_t rounds = roots_.size() == 1 ? 3 * ways_.ranks() + 32 : 3;
  std::vector<double> loaded(ways_.limits().size(), 0), prices(loaded.size());
  double busiest = 0;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      for (std::size_t row = 0; row < prices.size(); ++row)
        prices[row] =
            (busiest == 0 ? 1 : std::exp(kSteepness * loaded[row] / limits_[row] / busiest)) / limits_[row];
      const Arcs tree = cheapest(roots_[root], prices);
      add(root, tree);
      for (const auto& [row, load] : loads(tree)) {
        loaded[row] += load;
        busiest = std::max(busiest, loaded[row] / limits_[row]);
      }
    }
}

std::map<Arc, double> TreeColumns::rates() {
  spread();
  double before = 0;
  for (int round = 0; round < kMostRounds && program_.solve(); ++round) {
    const double rate = -program_.objective();
    if (round % 10 == 9 && rate < before * 1.001) break;  // the last thousandths take longest
    if (round % 10 == 9) before = rate;
    const std::vector<double> prices = program_.prices();
    bool closed = true;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      const Arcs tree = cheapest(roots_[root], prices);
      if (cost(tree, prices) >= prices[ways_.limits().size() + root] * (1 - kNoGain)) continue;
      add(root, tree);
      closed = false;
    }
    if (closed) break;
  }
  program_.solve();
  std::map<Arc, double> rates;
  const std::vector<double> values = program_.values();
  for (std::size_t column = 0; column < trees_.size(); ++column)
    for (const auto& [from, to] : trees_[column]) {
      const double rate = values[column + 1] * unit_;
      if (use_.down) rates[{from, to}] += rate;
      if (use_.up) rates[{to, from}] += rate;
    }
  return rates;
}

/// Whether ranks reach each other, or the root all others, or all others the root.
bool is_whole(const RankGraph& graph, const TreeUse& use) {
  const LinksByRank links(graph);
  const auto reaches_all = [&](bool forwards) {
    const std::uint32_t from = use.roots == TreeUse::Roots::one ? use.root : 0;
    std::vector<bool> reached(graph.ranks, false);
    std::vector<std::uint32_t> order = {from};
    reached[from] = true;
    for (std::size_t next = 0; next < order.size(); ++next)
      for (const std::uint32_t link : (forwards ? links.out : links.in)[order[next]]) {
        const std::uint32_t rank = forwards ? graph.links[link].to : graph.links[link].from;
        if (!reached[rank]) order.push_back(rank);
        reached[rank] = true;
      }
    return order.size() == graph.ranks;
  };
  const bool is_one = use.roots == TreeUse::Roots::one;
  return ((is_one && use.up) || reaches_all(true)) && ((is_one && use.down) || reaches_all(false));
}

}  // namespace

bool has_shared_routes(const Group& group, const FabricTraits& fabric) {
  if (group.size() < 2 || group.size() > kMostRanks) return false;
  const KnowsLinks* const known = links_of(*fabric.topology);
  std::vector<bool> reached(group.size(), false);
  std::vector<std::size_t> order = {0};
  reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      if (reached[rank]) continue;
      std::vector<std::size_t> both = fabric.topology->route(group[order[next]], group[rank]);
      fabric.topology->append_route(group[rank], group[order[next]], both);
      if (has_failed(both, known)) continue;
      reached[rank] = true;
      order.push_back(rank);
    }
  return order.size() == group.size();
}

RankGraph shared_routes(const Group& group, const FabricTraits& fabric, const TreeUse& use) {
  const Ways ways(group, *fabric.topology);
  const std::map<Arc, double> rates = TreeColumns(ways, use).rates();
  double fastest = 0;
  for (const auto& [arc, rate] : rates) fastest = std::max(fastest, rate);
  RankGraph graph;
  graph.ranks = static_cast<std::uint32_t>(group.size());
  for (double least = fastest * kLeastShare;; least /= 256) {
    graph.links.clear();
    for (const auto& [arc, rate] : rates)
      if (rate >= std::max(least, 1.0))
        graph.links.push_back({arc.first, arc.second, static_cast<std::uint64_t>(rate)});
    if (is_whole(graph, use) || least < 1) return graph;
  }
}

}  // namespace wafertlm
