// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra {

/// The dependencies of one trace, ids only (about 50 bytes per node and 16 per dependency): what has to be
/// held to find a cycle. Positions count nodes in the order in which they were added.
class DependencyGraph {
 public:
  struct Missing {
    std::uint64_t node;
    std::uint64_t parent;
    bool control;
  };

  void add(const Node& node);
  /// Call once, after the last add() and before everything below.
  void resolve();

  /// An id that two nodes have.
  std::optional<std::uint64_t> duplicate() const { return duplicate_; }
  /// Dependencies on nodes that are not there, in file order.
  const std::vector<Missing>& missing() const { return missing_; }
  /// Positions, parents first; where the file leaves a choice, in file order. Missing parents count as done.
  /// Shorter than the graph if there is a cycle.
  std::vector<std::size_t> order() const;
  /// The ids of a cycle, each needing the next and the last the first. Empty if there is none.
  std::vector<std::uint64_t> cycle() const;

 private:
  std::vector<std::uint64_t> ids_;
  std::vector<std::size_t> first_parent_{0};  // of position p: parents_[first_parent_[p]…first_parent_[p+1])
  std::vector<std::uint64_t> parents_;        // ids; positions after resolve()
  std::vector<bool> control_;
  std::optional<std::uint64_t> duplicate_;
  std::vector<Missing> missing_;
};

}  // namespace wafertlm::chakra
