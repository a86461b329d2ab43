// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/rtl/axi4/axi4.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm {

/// One side of an AXI4 port: what stands opposite a design. It drives no signal by what it sees in the same
/// cycle.
class Axi4Peer {
 public:
  virtual ~Axi4Peer() = default;
  /// Puts what it drives in cycle number `cycle` into `pins`.
  virtual void drive(Axi4Cycle& pins, std::uint64_t cycle) = 0;
  /// All signals of that cycle: handshakes take effect.
  virtual void look(const Axi4Cycle& pins, std::uint64_t cycle) = 0;
};

/// Channels that stand still at random: in about half of all blocks of 32 cycles, for up to all of it.
class Axi4Stalls {
 public:
  Axi4Stalls() = default;  ///< never
  explicit Axi4Stalls(std::uint64_t seed) : seed_(seed), is_on_(true) {}

  bool operator()(Axi4Channel channel, std::uint64_t cycle) const {
    if (!is_on_) return false;
    constexpr std::uint64_t kBlock = 32;
    const auto side = static_cast<std::uint64_t>(channel);
    const std::uint64_t drawn = splitmix64::mixed(seed_ ^ splitmix64::mixed(cycle / kBlock * 8 + side));
    const std::uint64_t first = drawn / 2 % kBlock, last = first + drawn / 128 % kBlock;
    return drawn % 2 == 0 && cycle % kBlock >= first && cycle % kBlock <= last;
  }

 private:
  std::uint64_t seed_ = 0;
  bool is_on_ = false;
};

}  // namespace wafertlm
