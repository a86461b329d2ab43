// SPDX-License-Identifier: Apache-2.0
#include "models/fred/geometry/chip_wiring.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {

void FredChipParams::check(const FredGeometry& geometry) const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument("chips of a FRED wafer: " + message);
  };
  require(geometry.levels() == 2, "they are wired in two levels, with one logical L2 switch");
  require(port_bytes_per_s != 0 && chips_per_l1 != 0 && up_ports != 0 && l2_links != 0,
          "chips, their ports and the bandwidth of these cannot be 0");
  require(up_ports % l2_links == 0, std::to_string(up_ports) +
                                        " ports up of a chip cannot be shared by L2 chips with " +
                                        std::to_string(l2_links) + " links each");
  const std::uint32_t l2_chips = chips_per_l1 * up_ports / l2_links;
  for (const auto& [l1, chip] : dead.l1)
    require(l1 < geometry.l1_switches && chip < chips_per_l1,
            "there is no chip " + std::to_string(chip) + " of L1 switch " + std::to_string(l1));
  for (const std::uint32_t l2 : dead.l2)
    require(l2 < l2_chips, "there is no L2 chip " + std::to_string(l2) + " of " + std::to_string(l2_chips));
  for (const DeadChips::Uplink& of : dead.uplinks)
    require(of.l1_switch < geometry.l1_switches && of.chip < chips_per_l1 && of.port < up_ports,
            "there is no port " + std::to_string(of.port) + " up of chip " + std::to_string(of.chip) +
                " of L1 switch " + std::to_string(of.l1_switch));
}

ChipWiring::ChipWiring(const FredGeometry& geometry, const FredChipParams& chips)
    : geometry_(geometry), chips_(chips), io_of_(geometry.l1_switches) {
  chips.check(geometry);
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) port_of_.push_back(n % geometry.npus_per_l1);
  for (const std::uint32_t l1 : geometry.io)
    port_of_.push_back(geometry.npus_per_l1 + chips.up_ports + io_of_[l1]++);
  alive_l1_.assign(l1_chips(), true);
  alive_l2_.assign(l2_chips(), true);
  for (const auto& [l1, chip] : chips.dead.l1) alive_l1_[l1_chip(l1, chip)] = false;
  for (const std::uint32_t l2 : chips.dead.l2) alive_l2_[l2] = false;
  alive_uplink_.assign(std::size_t{geometry.l1_switches} * ways(), true);
  for (const DeadChips::Uplink& of : chips.dead.uplinks)
    alive_uplink_[std::size_t{of.l1_switch} * ways() + of.port * chips_.chips_per_l1 + of.chip] = false;
}

Stripes::Stripes(const ChipWiring& wiring)
    : wiring_(wiring), l1_switches_(wiring.geometry().l1_switches), pairs_(l1_switches_ * l1_switches_) {
  const auto find_ways = [&](std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t>& ways = pairs_[a * l1_switches_ + b];
    ways = among({a, b});
    most_ = std::max(most_, static_cast<std::uint32_t>(ways.size()));
  };
  // A switch without chips has no way to any other either: it is named before a pair is.
  for (std::uint32_t l1 = 0; l1 < l1_switches_; ++l1) find_ways(l1, l1);
  for (std::uint32_t a = 0; a < l1_switches_; ++a)
    for (std::uint32_t b = 0; b < l1_switches_; ++b)
      if (a != b) find_ways(a, b);
}

/// `l1_switches` without repetition.
std::vector<std::uint32_t> Stripes::living(const std::vector<std::uint32_t>& l1_switches) const {
  const bool stays = l1_switches.size() == 1;
  const std::uint32_t chips = wiring_.endpoint_ports() - 1;
  std::vector<std::uint32_t> ways;
  for (std::uint32_t way = 0; way < (stays ? chips : wiring_.ways()); ++way) {
    const bool lives = std::all_of(l1_switches.begin(), l1_switches.end(), [&](std::uint32_t l1) {
      return wiring_.is_alive_l1(l1, wiring_.chip_of(way)) && (stays || wiring_.is_alive_uplink(l1, way));
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
          ? "all chips of L1 switch " + names +
                " are dead (wafer.defects.chips, wafer.fabric.dead); let one of them live"
          : "no way from chip to chip serves all of the L1 switches " + names +
                " (wafer.defects.chips, wafer.fabric.dead): let a chip or an uplink live" +
                (distinct.size() > 2 ? ", or leave the collectives to the endpoints (in_network: false)"
                                     : ""));
}

}  // namespace wafertlm
