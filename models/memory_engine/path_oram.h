// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/key_derivation.h"

namespace wafertlm {

/// Path-ORAM (Stefanov et al., CCS 2013): pages are blocks in a binary tree of buckets, each page somewhere
/// on the path to the leaf that the position map has for it. An access reads a whole path, gives its page a
/// fresh random leaf and writes the path back, so the provider sees random paths. Position map (with how
/// often a page was written back) and stash are in the engine; there is no cache of the highest levels.
/// Buckets are kept only where they hold a page.
class PathOram {
 public:
  static constexpr std::uint64_t kDummy = ~std::uint64_t{0};
  using Leaves = std::vector<std::uint64_t>;

  PathOram(std::uint64_t pages, std::uint32_t bucket_blocks, const Key& key);

  /// ceil(log2 pages), at least 1: the height is log2(pages) - 1, and a tree has 4 slots for a page with Z
  /// = 4.
  static std::uint32_t levels_for(std::uint64_t pages);
  static std::uint64_t slots_for(std::uint64_t pages, std::uint32_t bucket_blocks) {
    return ((std::uint64_t{1} << levels_for(pages)) - 1) * bucket_blocks;
  }
  std::uint32_t levels() const { return levels_; }
  std::uint64_t slots() const { return ((std::uint64_t{1} << levels_) - 1) * bucket_blocks_; }
  std::uint64_t path_slots() const { return std::uint64_t{levels_} * bucket_blocks_; }
  std::uint64_t leaves() const { return std::uint64_t{1} << (levels_ - 1); }

  /// The leaf of `page`: its path is to be read. A page that was never accessed gets a random one.
  std::uint64_t leaf_of(std::uint64_t page);
  /// Of a path that is read for no page's sake.
  std::uint64_t random_leaf() { return random_() & (leaves() - 1); }
  /// The slots of the paths to these leaves, each once, from the root on: of one leaf levels × Z.
  std::vector<std::uint64_t> paths(const Leaves& leaves) const;
  /// What is in a slot: a page or kDummy.
  std::uint64_t content(std::uint64_t slot) const;
  /// How often a page was written back.
  std::uint64_t version(std::uint64_t page) const { return position_.at(page).version; }

  /// These paths have been read: their pages are in the stash.
  void take(const Leaves& leaves);
  /// `page`, which is in the stash or was never accessed, gets a fresh leaf.
  void remap(std::uint64_t page) { position_[page].leaf = random_leaf(); }
  /// `page` is in the stash from now on, if it was not.
  void hold(std::uint64_t page);
  /// Puts as many pages of the stash as fit back on the paths, as deep as they may lie. content() then tells
  /// what goes into their slots.
  void put_back(const Leaves& leaves);

  std::size_t stash() const { return stash_.size(); }

 private:
  struct Position {
    std::uint64_t leaf = 0, version = 0;
  };
  std::uint64_t bucket(std::uint64_t leaf, std::uint32_t level) const {
    return (std::uint64_t{1} << level) - 1 + (leaf >> (levels_ - 1 - level));
  }
  /// The buckets of a level on these paths, each once.
  std::vector<std::uint64_t> buckets(const Leaves& leaves, std::uint32_t level) const;

  const std::uint32_t levels_, bucket_blocks_;
  KeyedRandom random_;
  std::unordered_map<std::uint64_t, Position> position_;                   // by page
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> buckets_;  // pages; those that are not empty
  std::vector<std::uint64_t> stash_;                                       // ascending
};

}  // namespace wafertlm
