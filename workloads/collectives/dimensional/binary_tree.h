// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// The neighbours of a rank in one of the two trees of a double binary tree (Sanders, Speck, Träff, 2009)
/// among a power of two of ranks, as ASTRA-sim builds them: below the root a complete binary tree in order of
/// the ranks; the root is the last rank, and of the other tree, its mirror, the first.
struct TreeNeighbours {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t parent = kNone;                ///< kNone: the root
  std::uint32_t children[2] = {kNone, kNone};  ///< the root has one

  bool is_leaf() const { return children[0] == kNone; }
};

/// Requires size to be a power of two, 2 or more.
inline TreeNeighbours tree_neighbours(std::uint32_t rank, std::uint32_t size, bool mirrored) {
  const auto rank_of = [&](std::uint32_t place) { return mirrored ? size - place : place - 1; };
  const std::uint32_t place = mirrored ? size - rank : rank + 1;  // 1 to size, the root last
  TreeNeighbours at;
  if (place == size) {
    at.children[0] = rank_of(size / 2);
    return at;
  }
  const std::uint32_t low = place & (~place + 1);  // a node of height h is an odd multiple of 2^h
  at.parent = rank_of((place & ~low) | 2 * low);
  if (low == 1) return at;
  at.children[0] = rank_of(place - low / 2);
  at.children[1] = rank_of(place + low / 2);
  return at;
}

}  // namespace wafertlm
