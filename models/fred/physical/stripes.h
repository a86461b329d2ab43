// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/fred/physical/chip_wiring.h"

namespace wafertlm {

/// Over which ways of a ChipWiring the packets between some L1 switches are striped: those whose chips live.
/// Within one L1 switch a way is just a chip of it.
class Stripes {
 public:
  /// @throws std::invalid_argument: two L1 switches, or the endpoints of one, without a living way.
  explicit Stripes(const ChipWiring& wiring);

  const std::vector<std::uint32_t>& between(std::uint32_t l1, std::uint32_t other) const {
    return pairs_[std::size_t{l1} * l1_switches_ + other];
  }
  /// The way of a packet with this Packet::lane.
  std::uint32_t way(std::uint32_t l1, std::uint32_t other, std::uint32_t lane) const {
    const std::vector<std::uint32_t>& ways = between(l1, other);
    return ways[lane % ways.size()];
  }
  /// Those that serve all of these L1 switches. @throws std::invalid_argument if none does.
  std::vector<std::uint32_t> among(const std::vector<std::uint32_t>& l1_switches) const;
  /// The most that a pair has.
  std::uint32_t most() const { return most_; }

 private:
  std::vector<std::uint32_t> living(const std::vector<std::uint32_t>& l1_switches) const;

  ChipWiring wiring_;
  std::size_t l1_switches_;
  std::uint32_t most_ = 0;
  std::vector<std::vector<std::uint32_t>> pairs_;
};

}  // namespace wafertlm
