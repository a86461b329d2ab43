// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

namespace wafertlm {

/// Path-ORAM (Stefanov et al., CCS 2013): pages are blocks in a binary tree of buckets, each page somewhere
/// on the path to the leaf that the position map has for it. An access reads a whole path, gives its page a
/// fresh random leaf and writes the path back, so the provider sees random paths. Position map and stash are
/// in the engine; there is no cache of the highest levels. Buckets are kept only where they hold a page.
class PathOram {
 public:
  static constexpr std::uint64_t kDummy = ~std::uint64_t{0};

  PathOram(std::uint64_t pages, std::uint32_t bucket_blocks, std::uint64_t seed);

  /// ceil(log2 pages), at least 1: the height is log2(pages) - 1, and a tree has 4 slots for a page with Z
  /// = 4.
  std::uint32_t levels() const { return levels_; }
  std::uint64_t slots() const { return ((std::uint64_t{1} << levels_) - 1) * bucket_blocks_; }
  std::uint64_t leaves() const { return std::uint64_t{1} << (levels_ - 1); }

  /// The leaf of `page`: its path is to be read. A page that was never accessed gets a random one.
  std::uint64_t leaf_of(std::uint64_t page);
  /// The slots of the path to `leaf`, from the root on: levels × Z.
  std::vector<std::uint64_t> path(std::uint64_t leaf) const;
  /// What is in a slot: a page or kDummy.
  std::uint64_t content(std::uint64_t slot) const;

  /// The path to `leaf` has been read for the sake of `page`: its pages are in the stash, and `page` gets a
  /// fresh leaf.
  void take(std::uint64_t leaf, std::uint64_t page);
  /// Puts as many pages of the stash as fit back on the path, as deep as they may lie. content() then tells
  /// what goes into its slots.
  void put_back(std::uint64_t leaf);

  std::size_t stash() const { return stash_.size(); }

 private:
  std::uint64_t bucket(std::uint64_t leaf, std::uint32_t level) const {
    return (std::uint64_t{1} << level) - 1 + (leaf >> (levels_ - 1 - level));
  }
  std::uint64_t random_leaf() { return random_() & (leaves() - 1); }

  std::uint32_t levels_ = 1, bucket_blocks_;
  std::mt19937_64 random_;
  std::unordered_map<std::uint64_t, std::uint64_t> leaf_;                  // by page
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> buckets_;  // pages; those that are not empty
  std::vector<std::uint64_t> stash_;                                       // ascending
};

}  // namespace wafertlm
