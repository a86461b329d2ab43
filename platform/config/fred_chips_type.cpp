// SPDX-License-Identifier: Apache-2.0
#include "platform/config/fred_chips_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "platform/config/quantity.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

std::string rate(std::uint64_t bytes_per_s) { return format_whole(bandwidth_dimension(), bytes_per_s); }

/// `value` must be a multiple of `unit`.
void require_multiple(const std::uint64_t& value, std::uint64_t unit, const std::string& of_what,
                      const Check& check) {
  if (value % unit == 0) return;
  const std::uint64_t below = value / unit * unit;
  check.fail({&value}, fmt::format("{} are {:.4g} {}, and it must be a whole number of them: {}{}",
                                   rate(value), static_cast<double>(value) / static_cast<double>(unit),
                                   of_what, below == 0 ? "" : rate(below) + " or ", rate(below + unit)));
}

/// Without the physical view its keys change nothing.
void check_unused(const FredSpec& fred, const Check& check) {
  const FredSpec usual;
  const auto unused = [&](const auto& value, bool is_usual) {
    if (!is_usual)
      check.fail({&value}, fmt::format("is of the chips of a wafer and has no effect without '{}: physical'; "
                                       "remove it",
                                       check.path(&fred.view)));
  };
  unused(fred.port_bandwidth_bytes_per_s,
         fred.port_bandwidth_bytes_per_s == usual.port_bandwidth_bytes_per_s);
  unused(fred.l2_chip_links, fred.l2_chip_links == usual.l2_chip_links);
  unused(fred.dead.l1, fred.dead.l1.empty());
  unused(fred.dead.l2, fred.dead.l2.empty());
}

template <class T>
void check_dead(const std::vector<T>& list, const T& chip, const std::string& name, bool exists,
                const Check& check) {
  if (!exists) check.fail({&chip, &list}, fmt::format("there is no {}", name));
  if (std::find(list.data(), &chip, chip) != &chip)
    check.fail({&chip, &list}, fmt::format("{} is listed twice", name));
}

}  // namespace

std::shared_ptr<const Struct<DeadChipsSpec>> dead_chips_type() {
  const auto number = integer<std::uint32_t>(0, 65'535);
  auto type = std::make_shared<Struct<DeadChipsSpec>>("dead_chips");
  type->optional("l1", &DeadChipsSpec::l1, list_of(pair_of(number), 0, 65'536),
                 "Chips of L1 switches, each as [switch, chip]")
      .optional("l2", &DeadChipsSpec::l2, list_of(number, 0, 65'536), "L2 chips");
  return type;
}

void check_fred_chips(const FabricSpec& fabric, const Check& check) {
  if (fabric.wiring != Wiring::fred) return;
  const FredSpec& fred = fabric.fred;
  if (fred.view == FredView::logical) return check_unused(fred, check);
  if (fred.flow_conflict == FlowConflictPolicy::decompose)
    check.fail(
        {&fred.flow_conflict, &fred.view},
        "no flow conflicts with another one in the physical view, where the routes inside chips are not "
        "modelled: leave flow_conflict: decompose out, or use view: logical");
  if (fabric.bit_error_rate != 0)
    check.fail({&fabric.bit_error_rate, &fred.view},
               "Go-Back-N is not modelled over stripes: leave bit_error_rate out, or use view: logical");
  if (fred.l2_switches != 1)
    check.fail({&fred.l2_switches, &fred.view},
               fmt::format("the physical view has two levels, its L2 chips make up one L2 switch: '{}: 1'",
                           check.path(&fred.l2_switches)));
  const std::string port = rate(fred.port_bandwidth_bytes_per_s);
  require_multiple(fred.npu_bandwidth_bytes_per_s, fred.port_bandwidth_bytes_per_s, "ports of " + port,
                   check);
  const std::uint64_t chips = fred.chips_per_l1();
  require_multiple(fred.l1_uplink_bytes_per_s, chips * fred.port_bandwidth_bytes_per_s,
                   fmt::format("ports of {} on each of the {} chips of an L1 switch", port, chips), check);
  if (fred.up_ports() % fred.l2_chip_links != 0) {
    std::string divisors;
    for (std::uint32_t links = 1; links < fred.up_ports(); ++links)
      if (fred.up_ports() % links == 0) divisors += fmt::format("{}{}", divisors.empty() ? "" : ", ", links);
    check.fail({&fred.l2_chip_links, &fred.l1_uplink_bytes_per_s},
               fmt::format("{} links to each L2 chip do not divide the {} ports that a chip has up; expected "
                           "{}{}{}",
                           fred.l2_chip_links, fred.up_ports(), divisors, divisors.empty() ? "" : " or ",
                           fred.up_ports()));
  }
  for (const auto& chip : fred.dead.l1)
    check_dead(fred.dead.l1, chip, fmt::format("chip {} of L1 switch {}", chip.second, chip.first),
               chip.first < fred.l1_switches && chip.second < chips, check);
  const std::uint64_t l2_chips = chips * fred.up_ports() / fred.l2_chip_links;
  for (const std::uint32_t& chip : fred.dead.l2)
    check_dead(fred.dead.l2, chip, fmt::format("L2 chip {} of {}", chip, l2_chips), chip < l2_chips, check);
}

}  // namespace wafertlm::config
