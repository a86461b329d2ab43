// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/bench.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm {

/// Ports that stand still at random: in about half of all blocks of 64 edges, for up to all of it.
class RandomStalls final : public RtlStalls {
 public:
  /// @param end after this edge nothing stands still any more
  RandomStalls(std::uint64_t seed, std::uint64_t end) : seed_(seed), end_(end) {}

  bool input(std::uint32_t port, std::uint64_t edge) const override { return stands(2 * port, edge); }
  bool output(std::uint32_t port, std::uint64_t edge) const override { return stands(2 * port + 1, edge); }
  std::uint64_t end() const override { return end_; }

 private:
  static constexpr std::uint64_t kBlock = 64;  // edges

  bool stands(std::uint64_t side, std::uint64_t edge) const {
    if (edge > end_) return false;
    const std::uint64_t drawn = splitmix64::mixed(seed_ ^ splitmix64::mixed(edge / kBlock * 256 + side));
    const std::uint64_t first = drawn / 2 % kBlock, last = first + drawn / 128 % kBlock;
    return drawn % 2 == 0 && edge % kBlock >= first && edge % kBlock <= last;
  }

  std::uint64_t seed_, end_;
};

}  // namespace wafertlm
