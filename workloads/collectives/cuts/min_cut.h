// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace wafertlm::bounds {

/// Minimum cuts of one network between several pairs of vertices, exact in integers (Boost.Graph, Boykov and
/// Kolmogorov).
class MinCut {
 public:
  using Capacity = std::int64_t;
  struct Cut {
    Capacity capacity = 0;
    std::vector<bool> source_side;  ///< by vertex; the smallest such set
  };

  explicit MinCut(std::uint32_t vertices);
  ~MinCut();
  MinCut(const MinCut&) = delete;
  MinCut& operator=(const MinCut&) = delete;

  /// An arc and the one back. Capacities are not negative, and all of them together below 2^62.
  /// @return its number, 0, 1, …
  std::size_t add(std::uint32_t from, std::uint32_t to, Capacity forth, Capacity back);
  void set(std::size_t arc, Capacity forth, Capacity back);
  Cut between(std::uint32_t source, std::uint32_t sink);

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace wafertlm::bounds
