// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/alignment.h"

#include <algorithm>
#include <optional>

namespace wafertlm::pytorch {
namespace {

using Sequence = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Row = std::vector<std::int64_t>;  // how far along `a` each diagonal has come; -1: not at all

/// The furthest point of each diagonal after each number of edits; kept to walk back.
class Edits {
 public:
  Edits(const Sequence& a, const Sequence& b, std::size_t offset) : a_(a), b_(b), offset_(offset) {}

  /// Aligns all of `a` with `b` from the offset on; `b` may end anywhere. Nothing above `most` edits.
  std::optional<Pairs> pairs(std::size_t most) {
    for (std::size_t edits = 0; edits <= most; ++edits)
      if (const auto diagonal = step(static_cast<std::int64_t>(edits)))
        return walk_back(static_cast<std::int64_t>(edits), *diagonal);
    return std::nullopt;
  }

 private:
  std::int64_t size_a() const { return static_cast<std::int64_t>(a_.size()); }
  std::int64_t size_b() const { return static_cast<std::int64_t>(b_.size() - offset_); }
  static std::int64_t at(const Row& row, std::int64_t edits, std::int64_t diagonal) {
    const std::int64_t index = diagonal + edits;
    return index < 0 || index >= static_cast<std::int64_t>(row.size()) ? -1
                                                                       : row[static_cast<std::size_t>(index)];
  }
  /// From where the diagonal is reached with one edit more: x, and whether an element of `a` was left out.
  std::pair<std::int64_t, bool> entry(std::int64_t edits, std::int64_t diagonal) const {
    if (edits == 0) return {0, false};
    const Row& before = rows_[static_cast<std::size_t>(edits) - 1];
    const std::int64_t across = at(before, edits - 1, diagonal - 1),
                       down = at(before, edits - 1, diagonal + 1);
    if (across >= 0 && across + 1 > down) return {across + 1, true};
    return {down, false};
  }
  std::optional<std::int64_t> step(std::int64_t edits) {
    Row row(static_cast<std::size_t>(2 * edits + 1), -1);
    rows_.push_back(row);
    for (std::int64_t diagonal = -edits; diagonal <= edits; ++diagonal) {
      std::int64_t x = entry(edits, diagonal).first;
      if (x < 0 || x > size_a() || x - diagonal < 0 || x - diagonal > size_b()) continue;
      while (x < size_a() && x - diagonal < size_b() && same(x, x - diagonal)) ++x;
      rows_.back()[static_cast<std::size_t>(diagonal + edits)] = x;
      if (x == size_a()) return diagonal;
    }
    return std::nullopt;
  }
  bool same(std::int64_t x, std::int64_t y) const {
    return a_[static_cast<std::size_t>(x)] == b_[offset_ + static_cast<std::size_t>(y)];
  }
  Pairs walk_back(std::int64_t edits, std::int64_t diagonal) const {
    Pairs found;
    for (;; --edits) {
      std::int64_t x = at(rows_[static_cast<std::size_t>(edits)], edits, diagonal);
      const auto [from, left_out_of_a] = entry(edits, diagonal);
      for (; x > from; --x) found.emplace_back(x - 1, offset_ + static_cast<std::size_t>(x - 1 - diagonal));
      if (edits == 0) break;
      diagonal += left_out_of_a ? -1 : 1;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  const Sequence &a_, &b_;
  std::size_t offset_;
  std::vector<Row> rows_;
};

/// Where in `b` a window could begin that holds `a`: a run of so many equal names shows it.
std::vector<std::size_t> offsets(const Sequence& a, const Sequence& b, std::size_t of_names) {
  constexpr std::size_t kMost = 200, kAnchors = 64, kMore = 8;
  std::vector<std::size_t> found;
  const std::size_t run = std::min(of_names, a.size());
  for (std::size_t anchor = 0; anchor + run <= a.size() && anchor < kAnchors && found.empty(); ++anchor)
    for (auto at = b.begin(); found.size() < kMost; ++at) {
      const auto first = a.begin() + static_cast<std::ptrdiff_t>(anchor);
      at = std::search(at, b.end(), first, first + static_cast<std::ptrdiff_t>(run));
      if (at == b.end()) break;
      const auto position = static_cast<std::size_t>(at - b.begin());
      const std::size_t start = position > anchor ? position - anchor : 0;
      found.push_back(start);
      // Before the run the other may have some more.
      if (anchor != 0 && start != 0) found.push_back(start > kMore ? start - kMore : 0);
    }
  return found;
}

Pairs align_within(const Sequence& a, const Sequence& b) {
  constexpr std::size_t kFewest = 16, kMostEdits = 2000;
  std::size_t most = std::min(a.size() / 10 + kFewest, kMostEdits);
  std::vector<std::size_t> found;
  for (const std::size_t run : {12U, 6U, 3U, 1U})
    if (found.empty()) found = offsets(a, b, run);
  Pairs best;
  for (const std::size_t offset : found) {
    auto pairs = Edits(a, b, offset).pairs(most);
    if (!pairs || pairs->size() <= best.size()) continue;
    best = std::move(*pairs);
    most = std::min(most, 2 * (a.size() - best.size()));
    if (best.size() == a.size()) break;
  }
  return best;
}

}  // namespace

Pairs align(const Sequence& a, const Sequence& b) {
  if (a.size() <= b.size()) return align_within(a, b);
  Pairs pairs = align_within(b, a);
  for (auto& [x, y] : pairs) std::swap(x, y);
  return pairs;
}

}  // namespace wafertlm::pytorch
