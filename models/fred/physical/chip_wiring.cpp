// SPDX-License-Identifier: Apache-2.0
#include "models/fred/physical/chip_wiring.h"

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
}

}  // namespace wafertlm
