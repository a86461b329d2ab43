// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/text/quantity.h"

namespace wafertlm::config {
namespace {

std::string rate(std::uint64_t bytes_per_s) { return format_whole(bandwidth_dimension(), bytes_per_s); }

/// `value` must be a multiple of `unit`.
void require_multiple(const FredParams& fred, const std::uint64_t& value, std::uint64_t unit,
                      const std::string& of_what, const Check& check) {
  if (value % unit == 0) return;
  const std::uint64_t below = value / unit * unit;
  check.fail({&value, &fred.npu_bytes_per_s, &fred.chips.port_bytes_per_s, &fred.view},
             "{} are {:.4g} {}, and it must be a whole number of them: {}{}", rate(value),
             static_cast<double>(value) / static_cast<double>(unit), of_what,
             below == 0 ? "" : rate(below) + " or ", rate(below + unit));
}

/// Without the physical view its keys change nothing.
void check_unused(const FredParams& fred, const Check& check) {
  const std::string why =
      fmt::format("is of the chips of a wafer and has no effect without '{}: physical'; remove it",
                  check.path(&fred.view));
  check.require_default(fred.chips, {&fred.view}, why, &FredChipParams::port_bytes_per_s,
                        &FredChipParams::l2_links);
  check.require_default(fred.chips.dead, {&fred.view}, why, &DeadChips::l1, &DeadChips::l2);
}

/// `chips` and `up_ports` of an L1 switch. Parts: DeadChips, or DeadFredParts.
template <class Parts>
void check_dead_parts(const Parts& dead, const FredParams& fred, std::uint64_t chips, std::uint64_t up_ports,
                      const Check& check) {
  std::set<std::string> seen;
  const auto require = [&](bool exists, const void* part, const void* list, const std::string& name) {
    if (!exists) check.fail({part, list}, "there is no {}", name);
    if (!seen.insert(name).second) check.fail({part, list}, "{} is listed twice", name);
  };
  const auto is_chip = [&](std::uint32_t l1, std::uint32_t chip) {
    return l1 < fred.geometry.l1_switches && chip < chips;
  };
  for (const auto& chip : dead.l1)
    require(is_chip(chip.first, chip.second), &chip, &dead.l1,
            fmt::format("chip {} of L1 switch {}", chip.second, chip.first));
  const std::uint64_t l2_chips = chips * up_ports / fred.chips.l2_links;
  for (const std::uint32_t& chip : dead.l2)
    require(chip < l2_chips, &chip, &dead.l2, fmt::format("L2 chip {} of {}", chip, l2_chips));
  for (const auto& up : dead.uplinks)
    require(is_chip(up.l1_switch, up.chip) && up.port < up_ports, &up.port, &dead.uplinks,
            fmt::format("port {} up of chip {} of L1 switch {}", up.port, up.chip, up.l1_switch));
}

void check_chip_counts(const FredParams& fred, const Check& check) {
  const std::string port = rate(fred.chips.port_bytes_per_s);
  require_multiple(fred, fred.npu_bytes_per_s, fred.chips.port_bytes_per_s, "ports of " + port, check);
  const std::uint64_t chips = fred.npu_bytes_per_s / fred.chips.port_bytes_per_s;
  require_multiple(fred, fred.l1_uplink_bytes_per_s, chips * fred.chips.port_bytes_per_s,
                   fmt::format("ports of {} on each of the {} chips of an L1 switch", port, chips), check);
  FredParams counted = fred;
  counted.set_chip_counts();
  const std::uint32_t up_ports = counted.chips.up_ports, l2_links = fred.chips.l2_links;
  if (up_ports % l2_links != 0) {
    std::string divisors;
    for (std::uint32_t links = 1; links < up_ports; ++links)
      if (up_ports % links == 0) divisors += fmt::format("{}{}", divisors.empty() ? "" : ", ", links);
    check.fail({&fred.chips.l2_links, &fred.l1_uplink_bytes_per_s, &fred.npu_bytes_per_s,
                &fred.chips.port_bytes_per_s},
               "{} links to each L2 chip do not divide the {} ports that a chip has up; expected {}{}{}",
               l2_links, up_ports, divisors, divisors.empty() ? "" : " or ", up_ports);
  }
  check_dead_parts(fred.chips.dead, fred, chips, up_ports, check);
}

}  // namespace

std::shared_ptr<const Struct<DeadChips>> dead_chips_type() {
  const auto number = integer<std::uint32_t>(0, 65'535);
  auto type = std::make_shared<Struct<DeadChips>>("dead_chips");
  type->optional("l1", &DeadChips::l1, list_of(pair_of(number), 0, 65'536),
                 "Chips of L1 switches, each as [switch, chip]")
      .optional("l2", &DeadChips::l2, list_of(number, 0, 65'536), "L2 chips");
  return type;
}

void check_fred_defects(const FabricSpec& fabric, const Check& check) {
  const DeadFredParts& dead = fabric.defects.chips;
  if (!dead.any()) return;
  FredParams counted = fabric.as<FredParams>();
  const auto& fred = fabric.as<FredParams>();
  if (!fred.is_physical())
    check.fail({dead.first_key(), &fred.view},
               "the logical view has whole switches and no chips: take wafer.fabric.view: physical");
  counted.set_chip_counts();
  check_dead_parts(dead, fred, counted.chips.chips_per_l1, counted.chips.up_ports, check);
  const DeadChips& listed = fred.chips.dead;
  for (const auto& chip : dead.l1)
    if (std::find(listed.l1.begin(), listed.l1.end(), chip) != listed.l1.end())
      check.fail({&chip}, "chip {} of L1 switch {} is listed twice", chip.second, chip.first);
}

void check_fred_chips(const FabricSpec& fabric, const Check& check) {
  const auto& fred = fabric.as<FredParams>();
  if (!fred.is_physical()) return check_unused(fred, check);
  if (fred.flows.conflict == FlowConflict::decompose)
    check.fail({&fred.flows.conflict, &fred.view},
               "no flow conflicts with another one in the physical view, where the routes inside chips are "
               "not modelled: leave flow_conflict: decompose out, or use view: logical");
  if (fabric.bit_error_rate != 0)
    check.fail({&fabric.bit_error_rate, &fred.view},
               "Go-Back-N is not modelled over stripes: leave bit_error_rate out, or use view: logical");
  if (fred.geometry.l2_switches != 1)
    check.fail({&fred.geometry.l2_switches, &fred.view},
               "the physical view has two levels, its L2 chips make up one L2 switch: '{}: 1'",
               check.path(&fred.geometry.l2_switches));
  check_chip_counts(fred, check);
}

}  // namespace wafertlm::config
