// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm {

/// A rooted tree over the ranks of a group.
class Tree {
 public:
  /// `parent` of every rank, the root's is itself.
  explicit Tree(std::vector<std::uint32_t> parent);

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(parent_.size()); }
  std::uint32_t root() const { return preorder_.front(); }
  bool is_root(std::uint32_t rank) const { return parent_[rank] == rank; }
  std::uint32_t parent(std::uint32_t rank) const { return parent_[rank]; }
  const std::vector<std::uint32_t>& children(std::uint32_t rank) const { return children_[rank]; }
  /// Which child of its parent a rank is.
  std::uint32_t slot(std::uint32_t rank) const { return slot_[rank]; }
  std::uint32_t depth(std::uint32_t rank) const { return depth_[rank]; }
  /// Ranks in preorder; those below a rank, itself first, are the `size` ones from `position` on.
  const std::vector<std::uint32_t>& preorder() const { return preorder_; }
  std::uint32_t position(std::uint32_t rank) const { return position_[rank]; }
  std::uint32_t size(std::uint32_t rank) const { return size_[rank]; }

 private:
  std::vector<std::uint32_t> parent_, slot_, depth_, position_, size_, preorder_;
  std::vector<std::vector<std::uint32_t>> children_;
};

/// Two binary trees over the positions of `order`; who has children in one is a leaf in the other, but for
/// the ends. Position 0 is the first one's root, its only child the highest power of two; the second is the
/// first one mirrored, or shifted by one if their number is odd.
std::vector<Tree> double_binary_trees(const std::vector<std::uint32_t>& order);

}  // namespace wafertlm
