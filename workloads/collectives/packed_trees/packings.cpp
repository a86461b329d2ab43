// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/packed_trees/packings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "tlm/kernel/units.h"
#include "tlm/shape/link_graph.h"
#include "workloads/collectives/cuts/cuts.h"
#include "workloads/collectives/packed_trees/out_trees.h"
#include "workloads/collectives/packed_trees/tree_packer.h"

namespace wafertlm {
namespace {

/// More chunks of a period on the fastest link shorten no collective: rates are within 1/64 of the best.
constexpr std::uint32_t kMostSlots = 64;
/// Of the ranks' blocks, all together.
constexpr std::uint32_t kMostBlockTrees = 256;
constexpr std::uint32_t kMostTreesPerBlock = 32;
/// For exact out-trees of every rank, which take a flow per tree and rank.
constexpr std::uint64_t kMostFlows = 10'000;
/// A packing is worth its trees if it is so much faster than one with fewer.
constexpr double kWorthwhile = 0.005;

/// In proportion to the rates, the fastest one in so many.
std::vector<std::uint32_t> slots_by_rate(const std::vector<std::uint64_t>& rates, std::uint64_t fastest,
                                         double most) {
  std::vector<std::uint32_t> slots;
  for (const std::uint64_t rate : rates)
    slots.push_back(static_cast<std::uint32_t>(
        std::floor(most * static_cast<double>(rate) / static_cast<double>(fastest) + 1e-9)));
  return slots;
}

std::vector<std::uint64_t> rates_of(const RankGraph& graph) {
  std::vector<std::uint64_t> rates;
  for (const RankGraph::Link& link : graph.links) rates.push_back(link.bytes_per_s);
  return rates;
}

/// Of undirected trees, for both directions of each link.
std::vector<std::uint32_t> both_ways(const RankGraph& graph, const UndirectedRanks& undirected,
                                     const std::vector<std::uint32_t>& slots) {
  std::vector<std::uint32_t> directed(graph.links.size(), 0);
  for (std::size_t link = 0; link < slots.size(); ++link) {
    const auto& [a, b] = undirected.links[link];
    directed[graph.number(a, b)] = directed[graph.number(b, a)] = slots[link];
  }
  return directed;
}

std::vector<TreePacking> spanning_packings(const RankGraph& graph) {
  TreePacker packer{UndirectedRanks(graph)};
  const UndirectedRanks& undirected = packer.graph();
  const std::uint64_t fastest = undirected.fastest();
  std::vector<TreePacking> packings;
  // With so many slots the trees of the best partition are a whole number.
  const auto enough = [&] { return fastest * packer.bound().parts_less_one; };
  std::uint32_t most = 0;
  do {
    most = most == 0 ? 1
                     : static_cast<std::uint32_t>(
                           std::min<std::uint64_t>({2 * std::uint64_t{most}, kMostSlots, enough()}));
    const std::vector<std::uint32_t> slots = slots_by_rate(undirected.rates, fastest, most);
    std::vector<Tree> trees = packer.pack(slots);
    if (!trees.empty()) packings.push_back({std::move(trees), both_ways(graph, undirected, slots), 0});
  } while (most < kMostSlots && most < enough());
  if (!packings.empty()) return packings;
  // The slowest links hold the group together.
  std::vector<std::uint32_t> slots = slots_by_rate(undirected.rates, fastest, kMostSlots);
  for (std::uint32_t& each : slots) each = std::max(each, 1U);
  return {{packer.pack(slots), both_ways(graph, undirected, slots), 0}};
}

/// What out-trees ask of links.
class TreeLoads {
 public:
  TreeLoads(const RankGraph& graph, const std::vector<Tree>& trees)
      : links_(graph.links), load_(links_.size(), 0) {
    for (const Tree& tree : trees)
      for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank)
        if (!tree.is_root(rank)) ++load_[graph.number(tree.parent(rank), rank)];
    for (std::size_t link = 0; link < load_.size(); ++link)
      if (Uint128{load_[link]} * links_[busiest_].bytes_per_s >
          Uint128{load_[busiest_]} * links_[link].bytes_per_s)
        busiest_ = link;
  }

  /// In slots of a link of that rate.
  double period(std::uint64_t fastest) const {
    return static_cast<double>(load_[busiest_]) * static_cast<double>(fastest) /
           static_cast<double>(links_[busiest_].bytes_per_s);
  }
  /// Of each link in the least period.
  std::vector<std::uint32_t> slots() const {
    std::vector<std::uint32_t> slots;
    for (const RankGraph::Link& link : links_)
      slots.push_back(static_cast<std::uint32_t>(Uint128{load_[busiest_]} * link.bytes_per_s /
                                                 links_[busiest_].bytes_per_s));
    return slots;
  }

 private:
  const std::vector<RankGraph::Link>& links_;
  std::vector<std::uint64_t> load_;  // by link
  std::size_t busiest_ = 0;
};

/// What a chunk of a block of one rank takes in slots of the fastest link: the period, over what it brings.
double time_of(const RankGraph& graph, const std::vector<Tree>& trees, std::uint32_t trees_of_root) {
  return TreeLoads(graph, trees).period(graph.fastest_bytes_per_s()) / trees_of_root;
}

/// The graph as the bounds' cuts see it.
LinkGraph link_graph_of(const RankGraph& graph) {
  LinkGraph links;
  links.npus = graph.ranks;
  links.vertices.resize(graph.ranks);
  for (const RankGraph::Link& link : graph.links)
    links.links.push_back({link.from, link.to, link.bytes_per_s});
  return links;
}

std::vector<std::uint32_t> all_ranks(const RankGraph& graph) {
  std::vector<std::uint32_t> ranks(graph.ranks);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

/// What leaves all ranks but one has to get into that one.
double narrowest_rank_time(const RankGraph& graph) {
  std::vector<std::uint64_t> rates(graph.ranks, 0);
  for (const RankGraph::Link& link : graph.links) rates[link.to] += link.bytes_per_s;
  return static_cast<double>(graph.ranks - 1) * static_cast<double>(graph.fastest_bytes_per_s()) /
         static_cast<double>(*std::min_element(rates.begin(), rates.end()));
}

/// So many trees from every rank.
class BlockPacker {
 public:
  explicit BlockPacker(const RankGraph& graph) : graph_(graph), least_(narrowest_rank_time(graph)) {
    if (!has_exact(1)) return;
    const bounds::DirectedCut cut = bounds::densest_cut(link_graph_of(graph), all_ranks(graph));
    least_ = static_cast<double>(cut.members) * static_cast<double>(graph.fastest_bytes_per_s()) /
             static_cast<double>(cut.bytes_per_s);
    std::uint64_t unit = 0;
    for (const RankGraph::Link& link : graph.links) unit = std::gcd(unit, link.bytes_per_s);
    const std::uint64_t rate = cut.bytes_per_s / unit, trees = rate / std::gcd(rate, cut.members);
    if (trees * graph.ranks <= 2 * kMostBlockTrees && has_exact(trees))
      whole_ = static_cast<std::uint32_t>(trees);
  }

  /// With so many trees from a rank all links have whole slots in the least time; 1: too many, or unknown.
  std::uint32_t whole() const { return whole_; }
  /// No packing takes fewer slots of the fastest link for a block.
  double least() const { return least_; }

  TreePacking pack(std::uint32_t trees_per_block) const {
    std::vector<std::uint32_t> roots;
    for (std::uint32_t root = 0; root < graph_.ranks; ++root)
      roots.insert(roots.end(), trees_per_block, root);
    TreePacking packing{interleaved(roots, trees_per_block), {}, trees_per_block};
    packing.slots = TreeLoads(graph_, packing.trees).slots();
    const std::vector<std::uint64_t> rates = rates_of(graph_);
    const std::uint64_t fastest = graph_.fastest_bytes_per_s();
    for (double more = 1; has_exact(trees_per_block); more *= 1 + 2 * kWorthwhile) {
      const double most = std::ceil(least_ * trees_per_block * more - 1e-6);
      if (most >= time_of(graph_, packing.trees, 1)) break;
      TreePacking exact{exact_out_trees(graph_, slots_by_rate(rates, fastest, most), roots),
                        slots_by_rate(rates, fastest, most), trees_per_block};
      if (!exact.trees.empty()) return exact;
    }
    return packing;
  }

 private:
  bool has_exact(std::uint64_t trees_per_block) const {
    return std::uint64_t{graph_.ranks} * graph_.ranks * trees_per_block <= kMostFlows;
  }

  /// Balanced trees, a round of all roots after the other.
  std::vector<Tree> interleaved(const std::vector<std::uint32_t>& roots,
                                std::uint32_t trees_per_block) const {
    std::vector<std::uint32_t> rounds;
    for (std::uint32_t tree = 0; tree < roots.size(); ++tree) rounds.push_back(tree % graph_.ranks);
    std::vector<Tree> grown = balanced_out_trees(graph_, rounds), trees;
    for (std::uint32_t root = 0; root < graph_.ranks; ++root)
      for (std::uint32_t round = 0; round < trees_per_block; ++round)
        trees.push_back(std::move(grown[std::size_t{round} * graph_.ranks + root]));
    return trees;
  }

  const RankGraph& graph_;
  double least_;
  std::uint32_t whole_ = 1;
};

std::vector<TreePacking> block_packings(const RankGraph& graph) {
  const BlockPacker packer(graph);
  std::vector<TreePacking> packings;
  double shortest = 0;
  std::vector<std::uint32_t> counts;
  for (std::uint32_t trees = 1;
       trees <= kMostTreesPerBlock && (trees <= 4 || trees * graph.ranks <= kMostBlockTrees);
       trees += 1 + trees / 4)
    counts.push_back(trees);
  counts.push_back(packer.whole());
  std::sort(counts.begin(), counts.end());
  for (const std::uint32_t trees : counts) {
    // As many more trees only pay if whole slots come nearer to the least time.
    const double hoped = std::ceil(packer.least() * trees - 1e-6) / trees;
    if (trees > 1 && hoped >= shortest * (1 - kWorthwhile)) continue;
    TreePacking packing = packer.pack(trees);
    const double time = time_of(graph, packing.trees, trees);
    if (!packings.empty() && time >= shortest * (1 - kWorthwhile)) continue;
    packings.push_back(std::move(packing));
    shortest = time;
    if (time <= packer.least() * (1 + kWorthwhile)) break;
  }
  return packings;
}

/// From one root: as many trees as its narrowest cut has slots.
std::vector<TreePacking> rooted_packings(const RankGraph& graph, std::uint32_t root) {
  std::vector<TreePacking> packings;
  const std::vector<std::uint64_t> rates = rates_of(graph);
  const std::uint64_t fastest = graph.fastest_bytes_per_s();
  double shortest = 0;
  const auto add = [&](const std::vector<std::uint32_t>& slots, std::uint32_t trees, bool exact) {
    TreePacking packing{exact_out_trees(graph, slots, std::vector<std::uint32_t>(trees, root)), slots, 0};
    if (packing.trees.empty()) return;
    if (!exact) packing.slots = TreeLoads(graph, packing.trees).slots();
    const double time = time_of(graph, packing.trees, trees);
    if (!packings.empty() && time >= shortest * (1 - kWorthwhile)) return;
    packings.push_back(std::move(packing));
    shortest = time;
  };
  // One tree of the shortest ways, whatever links it takes.
  add(std::vector<std::uint32_t>(graph.links.size(), 1), 1, false);
  LinkGraph whole = link_graph_of(graph);
  std::vector<std::uint64_t> counts = {1, 2, 4, 8, 16};
  std::uint64_t unit = 0;
  for (const std::uint64_t rate : rates) unit = std::gcd(unit, rate);
  if (fastest / unit <= kMostSlots) counts.push_back(fastest / unit);  // whole slots on all links
  for (const std::uint64_t most : counts) {
    const std::vector<std::uint32_t> slots = slots_by_rate(rates, fastest, static_cast<double>(most));
    for (std::size_t link = 0; link < slots.size(); ++link) whole.links[link].bytes_per_s = slots[link];
    const std::uint64_t trees = bounds::narrowest_from(whole, root, all_ranks(graph)).bytes_per_s;
    if (trees != 0) add(slots, static_cast<std::uint32_t>(trees), true);
  }
  return packings;
}

}  // namespace

bool TreeUse::operator==(const TreeUse& other) const {
  return std::tie(up, down, roots, root) == std::tie(other.up, other.down, other.roots, other.root);
}

std::optional<TreeUse> tree_use(CollectiveType type, std::uint32_t root) {
  using Roots = TreeUse::Roots;
  switch (type) {
    case CollectiveType::all_reduce:
      return TreeUse{true, true, Roots::anywhere, 0};
    case CollectiveType::all_gather:
      return TreeUse{false, true, Roots::every, 0};
    case CollectiveType::reduce_scatter:
      return TreeUse{true, false, Roots::every, 0};
    case CollectiveType::broadcast:
      return TreeUse{false, true, Roots::one, root};
    case CollectiveType::reduce:
      return TreeUse{true, false, Roots::one, root};
    case CollectiveType::all_to_all:
    case CollectiveType::gather:
    case CollectiveType::scatter:
    case CollectiveType::barrier:
      break;
  }
  return {};
}

std::vector<TreePacking> packings_of(const RankGraph& graph, const TreeUse& use) {
  if (use.roots == TreeUse::Roots::anywhere) return spanning_packings(graph);
  // What goes up a tree goes down it in the graph with all links turned round.
  RankGraph turned = graph;
  if (use.up) {
    for (RankGraph::Link& link : turned.links) std::swap(link.from, link.to);
    std::sort(turned.links.begin(), turned.links.end());
  }
  std::vector<TreePacking> packings =
      use.roots == TreeUse::Roots::one ? rooted_packings(turned, use.root) : block_packings(turned);
  if (use.up)
    for (TreePacking& packing : packings) {
      std::vector<std::uint32_t> slots;
      for (const RankGraph::Link& link : graph.links)
        slots.push_back(packing.slots[turned.number(link.to, link.from)]);
      packing.slots = std::move(slots);
    }
  return packings;
}

}  // namespace wafertlm
