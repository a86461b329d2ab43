// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collectives/packed_trees/direct_links.h"
#include "workloads/collectives/tree.h"

namespace wafertlm {

/// Trees that span all ranks, none of which uses a link more often than the others allow.
struct TreePacking {
  std::uint32_t trees_per_link = 0;  ///< no link is in more trees
  std::vector<Tree> trees;           ///< rooted at their centres
};

/// Links over parts less one, of a partition of the ranks: no packing has more trees per tree of a link
/// (Nash-Williams 1961, Tutte 1961).
struct PartitionBound {
  std::uint64_t links = 0, parts_less_one = 1;

  /// Trees, if each link may be in so many.
  std::uint64_t trees(std::uint64_t per_link) const { return links * per_link / parts_less_one; }
};

/// Packs as many spanning trees of a connected graph as there can be. Starts with trees that are shallow and
/// avoid loaded links, and takes load from links that have too much by exchanges along shortest augmenting
/// paths, as the union of matroids does it (Edmonds 1968; Schrijver, Combinatorial Optimization, chapter 42):
/// a tree gives up a link for one that joins the two sides, which another tree may give up in turn. Where no
/// path is left, the links that were reached prove that there is no such packing: they are what lies between
/// the parts of a partition, and bound the number of trees.
class TreePacker {
 public:
  explicit TreePacker(const RankGraph& graph);

  /// As many trees as there can be with each link in `trees_per_link` of them at most.
  TreePacking pack(std::uint32_t trees_per_link);
  /// The least of all partitions that were met; the least there is after pack(bound().parts_less_one) has
  /// left it as it was.
  const PartitionBound& bound() const { return bound_; }

 private:
  struct Spanning;
  struct End {
    std::uint32_t rank, link;
  };
  struct Reached {
    std::uint32_t from = 0, tree = 0;  ///< the link that gives way to it, and in which tree
    bool is = false;
  };

  Spanning grown(std::uint32_t root, std::uint32_t number) const;
  void set_links(Spanning& tree, const std::vector<std::uint32_t>& links) const;
  void drop_tree();
  bool relieve(std::uint32_t link);
  bool relieve_all();
  void exchange(std::uint32_t link);
  void tighten(const PartitionBound& bound);
  PartitionBound bound_of_reached() const;
  Tree rooted_at_centre(const Spanning& tree) const;

  RankGraph graph_;
  std::vector<std::vector<End>> ends_;  // by rank
  std::vector<std::uint32_t> central_;  // ranks, those with the nearest farthest one first
  PartitionBound bound_;

  std::uint32_t per_link_ = 0;
  std::vector<Spanning> trees_;
  std::vector<std::uint32_t> load_;  // by link
  std::vector<Reached> reached_;     // by link
};

}  // namespace wafertlm
