// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/collectives/algorithm/tree.h"
#include "workloads/collectives/packed_trees/rank_graph.h"

namespace wafertlm {

/// The links of a graph whose both directions there are, as undirected ones with the slower rate.
struct UndirectedRanks {
  explicit UndirectedRanks(const RankGraph& graph);

  std::uint32_t ranks = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  ///< the ranks of each ascending
  std::vector<std::uint64_t> rates;                            ///< by link, without a common divisor

  std::uint64_t fastest() const;
};

/// The rates of the links between the parts of a partition over the parts less one: no packing of spanning
/// trees has a higher rate (Nash-Williams 1961, Tutte 1961). Without a common divisor.
struct PartitionBound {
  std::uint64_t links = 0, parts_less_one = 1;
};

/// Packs as many spanning trees of a connected graph as there can be. Starts with trees that are shallow and
/// avoid loaded links, and takes load from links that have too much by exchanges along shortest augmenting
/// paths, as the union of matroids does it (Edmonds 1968; Schrijver, Combinatorial Optimization, chapter 42):
/// a tree gives up a link for one that joins the two sides, which another tree may give up in turn. Where no
/// path is left, the links that were reached prove that there is no such packing: they are what lies between
/// the parts of a partition, and bound the number of trees.
class TreePacker {
 public:
  explicit TreePacker(UndirectedRanks graph);
  ~TreePacker();
  TreePacker(const TreePacker&) = delete;
  TreePacker& operator=(const TreePacker&) = delete;

  /// As many trees, rooted at their centres, as there can be with each link in so many of them at most. None:
  /// links that may be in a tree do not reach all ranks.
  std::vector<Tree> pack(const std::vector<std::uint32_t>& most_by_link);
  /// The least of all partitions that were met; the least there is after pack() has reached what it says.
  PartitionBound bound() const;
  const UndirectedRanks& graph() const { return graph_; }
  /// Ranks that searches for exchanges have looked at: what packing costs.
  std::uint64_t searched() const { return searched_; }

 private:
  struct Spanning;
  struct End {
    std::uint32_t rank, link;
  };
  struct Reached {
    std::uint32_t from = 0, tree = 0;  ///< the link that gives way to it, and in which tree
    bool is = false;
  };
  struct Partition {
    std::vector<std::uint32_t> links;  ///< between its parts
    std::uint64_t parts_less_one;
  };

  std::uint64_t most_trees() const;
  bool grow(std::uint32_t root);
  void set_links(Spanning& tree, const std::vector<std::uint32_t>& links) const;
  void drop_tree();
  bool relieve(std::uint32_t link);
  bool relieve_all();
  void exchange(std::uint32_t link);
  Partition partition_of_reached() const;
  Tree rooted_at_centre(const Spanning& tree) const;

  UndirectedRanks graph_;
  std::vector<std::vector<End>> ends_;  // by rank
  std::vector<std::uint32_t> central_;  // ranks, those with the nearest farthest one first
  std::vector<Partition> partitions_;

  std::vector<std::uint32_t> most_;  // by link
  std::vector<Spanning> trees_;
  std::vector<std::uint32_t> load_;  // by link
  std::vector<Reached> reached_;     // by link
  std::uint64_t searched_ = 0;
};

}  // namespace wafertlm
