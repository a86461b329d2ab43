// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wafertlm {

/// Which iterations of a run are told one by one: all, or of more than kMost the first ones and the last, in
/// that order. Of the others only their times are kept.
class ListedIterations {
 public:
  static constexpr std::uint32_t kMost = 100, kFirst = 10;

  ListedIterations(std::uint32_t iterations, bool all)
      : iterations_(iterations), first_(all || iterations <= kMost ? iterations : kFirst) {}

  bool all() const { return first_ == iterations_; }
  std::uint32_t size() const { return std::min(iterations_, first_ + 1); }
  /// How many are listed from the first one on.
  std::uint32_t first() const { return first_; }
  bool has(std::size_t iteration) const { return iteration < first_ || iteration + 1 == iterations_; }
  /// Of an iteration that is listed.
  std::size_t place_of(std::size_t iteration) const { return std::min<std::size_t>(iteration, first_); }
  std::uint32_t iteration_at(std::uint32_t place) const { return place < first_ ? place : iterations_ - 1; }

 private:
  std::uint32_t iterations_, first_;
};

}  // namespace wafertlm
