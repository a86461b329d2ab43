// SPDX-License-Identifier: Apache-2.0
#include "models/fred/physical/stripes.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {

Stripes::Stripes(const ChipWiring& wiring)
    : wiring_(wiring), l1_switches_(wiring.geometry().l1_switches), pairs_(l1_switches_ * l1_switches_) {
  for (std::uint32_t a = 0; a < l1_switches_; ++a)
    for (std::uint32_t b = 0; b < l1_switches_; ++b) {
      std::vector<std::uint32_t>& ways = pairs_[a * l1_switches_ + b];
      ways = among(a == b ? std::vector<std::uint32_t>{a} : std::vector<std::uint32_t>{a, b});
      most_ = std::max(most_, static_cast<std::uint32_t>(ways.size()));
    }
}

/// `l1_switches` without repetition.
std::vector<std::uint32_t> Stripes::living(const std::vector<std::uint32_t>& l1_switches) const {
  const bool stays = l1_switches.size() == 1;
  const std::uint32_t chips = wiring_.endpoint_ports() - 1;
  std::vector<std::uint32_t> ways;
  for (std::uint32_t way = 0; way < (stays ? chips : wiring_.ways()); ++way) {
    const bool lives = std::all_of(l1_switches.begin(), l1_switches.end(), [&](std::uint32_t l1) {
      return wiring_.is_alive_l1(l1, wiring_.chip_of(way));
    });
    if (lives && (stays || wiring_.is_alive_l2(wiring_.l2_of(way)))) ways.push_back(way);
  }
  return ways;
}

std::vector<std::uint32_t> Stripes::among(const std::vector<std::uint32_t>& l1_switches) const {
  std::vector<std::uint32_t> distinct = l1_switches;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> ways = living(distinct);
  if (!ways.empty()) return ways;
  std::string names;
  for (const std::uint32_t l1 : distinct) names += (names.empty() ? "" : ", ") + std::to_string(l1);
  throw std::invalid_argument(
      distinct.size() == 1
          ? "all chips of L1 switch " + names + " are dead (wafer.fabric.dead); let one of them live"
          : "no way from chip to chip serves all of the L1 switches " + names +
                " (wafer.fabric.dead): let a chip live" +
                (distinct.size() > 2 ? ", or leave the collectives to the endpoints (in_network: false)"
                                     : ""));
}

}  // namespace wafertlm
