// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "models/memory_engine/page_sealer.h"

namespace wafertlm {

/// Versions of all slots, so that an old page is known as such: a tree of counters. A node has a counter for
/// each child (of the lowest level: for each slot) and a MAC over them that is bound to its own counter in
/// its parent; so a change of a slot changes all nodes above it. The levels next to the root are in the
/// engine and trusted, the others in the provider's memory. A node whose counter is 0 was never written.
class IntegrityTree {
 public:
  struct Node {
    std::uint32_t level;  ///< 0: above the slots
    std::uint64_t index;
    bool operator<(const Node& other) const {
      return level != other.level ? level > other.level : index < other.index;  // parents first
    }
  };
  using Image = std::vector<unsigned char>;
  using Images = std::map<Node, Image>;  ///< of stored nodes, as the provider has them

  /// At least the highest level, one node, is cached.
  IntegrityTree(std::uint64_t slots, std::uint32_t arity, std::uint32_t cached_levels);

  std::uint32_t levels() const { return static_cast<std::uint32_t>(sizes_.size()); }
  std::uint32_t stored_levels() const { return stored_; }
  /// 6 B for each counter and 16 B of MAC: 64 B with 8 children.
  std::uint64_t node_bytes() const { return std::uint64_t{6} * arity_ + kMacBytes; }
  std::uint64_t stored_bytes() const { return offset({stored_, 0}); }
  /// From the first stored node on.
  std::uint64_t offset(const Node& node) const;
  /// The stored nodes above these slots, each once, parents first.
  std::vector<Node> stored_above(const std::vector<std::uint64_t>& slots) const;

  // With contents. `sealers`: by provider; nodes go to them in turn, as RegionLayout says.
  /// Are these nodes, complete up to the cached levels, those that were stored last? One that never was is
  /// all zeros, whatever the provider has.
  bool verify(Images& nodes, const Sealers& sealers) const;
  /// Of a slot, given its verified nodes; 0: never written.
  std::uint64_t version(std::uint64_t slot, const Images& nodes) const;
  /// Counts a writing of `slot`, in its nodes. Their MACs are wrong until seal().
  /// @throws std::overflow_error at 2^48 writings.
  void count(std::uint64_t slot, Images& nodes);
  void seal(Images& nodes, const Sealers& sealers) const;

 private:
  static constexpr std::uint64_t kMacBytes = 16;
  Node parent(const Node& node) const { return {node.level + 1, node.index / arity_}; }
  std::uint64_t counter(const Node& node, std::uint64_t child, const Images& nodes) const;
  PageSealer::Tag mac(const Node& node, std::uint64_t version, const Image& image,
                      const Sealers& sealers) const;

  std::uint32_t arity_, stored_;
  std::vector<std::uint64_t> sizes_;                   // nodes by level
  std::map<Node, std::vector<std::uint64_t>> cached_;  // counters that are not all 0
};

}  // namespace wafertlm
