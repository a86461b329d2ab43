// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/tree_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wafertlm::cores {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// Hops of one wavelet of each place, at least, for trees of `places` neighbours rooted at the first, of at
/// most a depth, where the root takes in from at most so many and the others from no more.
class LeastHops {
 public:
  LeastHops(std::uint32_t places, std::uint32_t depth, std::uint32_t children)
      : places_(places), children_(children) {
    best_.assign(std::size_t{places + 1} * (depth + 1) * (children + 1), kNever);
    split_.assign(best_.size(), 0);
    for (std::uint32_t d = 0; d <= depth; ++d)
      for (std::uint32_t c = 0; c <= children; ++c) best_[at(1, d, c)] = 0;
    for (std::uint32_t d = 1; d <= depth; ++d)
      for (std::uint32_t c = 1; c <= children; ++c)
        for (std::uint32_t n = 2; n <= places; ++n) solve(n, d, c);
  }

  std::uint32_t hops(std::uint32_t depth) const { return best_[at(places_, depth, children_)]; }

  ReductionTree tree(std::uint32_t depth) const {
    ReductionTree made{std::vector<std::vector<std::uint32_t>>(places_), 0, std::vector<bool>(places_, true)};
    build(made, 0, places_, depth, children_);
    return made;
  }

 private:
  std::size_t at(std::uint32_t n, std::uint32_t d, std::uint32_t c) const {
    return (std::size_t{d} * (children_ + 1) + c) * (places_ + 1) + n;
  }

  /// The last child stands `first` places behind the root.
  void solve(std::uint32_t n, std::uint32_t d, std::uint32_t c) {
    std::uint32_t least = kNever, where = 0;
    for (std::uint32_t first = 1; first < n; ++first) {
      const std::uint32_t before = best_[at(first, d, c - 1)],
                          behind = best_[at(n - first, d - 1, children_)];
      if (before == kNever || behind == kNever) continue;
      if (before + behind + first < least) {
        least = before + behind + first;
        where = first;
      }
    }
    best_[at(n, d, c)] = least;
    split_[at(n, d, c)] = where;
  }

  void build(ReductionTree& into, std::uint32_t root, std::uint32_t n, std::uint32_t d,
             std::uint32_t c) const {
    if (n == 1) return;
    const std::uint32_t first = split_[at(n, d, c)];
    build(into, root, first, d, c - 1);
    build(into, root + first, n - first, d - 1, children_);
    into.children[root].push_back(root + first);
  }

  std::uint32_t places_, children_;
  std::vector<std::uint32_t> best_, split_;
};

}  // namespace

ReductionTree searched_tree(std::uint32_t places, std::uint32_t wavelets, Cycle ramp) {
  ReductionTree best = chain_tree(places);
  if (places < 3) return best;
  double least = modelled_cycles(cost_of(best, wavelets), ramp);
  const auto depth = static_cast<std::uint32_t>(2 * std::ceil(std::sqrt(places)));
  const auto children = static_cast<std::uint32_t>(std::ceil(std::log2(places))) + 1;
  const auto consider = [&](const ReductionTree& tree) {
    const double cycles = modelled_cycles(cost_of(tree, wavelets), ramp);
    if (cycles < least) {
      least = cycles;
      best = tree;
    }
  };
  consider(star_tree(places));
  for (std::uint32_t c = 1; c <= children && static_cast<double>(Cycle{c} * wavelets) < least; ++c) {
    const LeastHops hops(places, depth, c);
    for (std::uint32_t d = 1; d <= depth; ++d)
      if (hops.hops(d) != kNever && static_cast<double>(hops.hops(d)) / (places - 1) * wavelets < least)
        consider(hops.tree(d));
  }
  return best;
}

}  // namespace wafertlm::cores
