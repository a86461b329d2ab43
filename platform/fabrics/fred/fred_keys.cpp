// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/fred/fred_wafers.h"
#include "platform/spec/descriptions.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {
namespace {

using config::Check;
using config::FabricSpec;

void check_tree(const FredParams& fred, const Check& check) {
  constexpr std::uint32_t kMaxNpus = 65'536;
  const FredGeometry& at = fred.geometry;
  if (std::uint64_t{at.l1_switches} * at.npus_per_l1 > kMaxNpus)
    check.fail({&at.npus_per_l1, &at.l1_switches}, "{} x {} are more than {} NPUs", at.l1_switches,
               at.npus_per_l1, kMaxNpus);
  if (at.l1_switches % at.l2_switches != 0)
    check.fail({&at.l2_switches, &at.l1_switches}, "{} L1 switches cannot be shared evenly by {} L2 switches",
               at.l1_switches, at.l2_switches);
  const bool has_uplink = fred.l2_uplink_bytes_per_s != 0;
  if (at.l2_switches > 1 && !has_uplink)
    check.fail({&at.l2_switches}, "{} L2 switches need an uplink: give '{}'", at.l2_switches,
               check.path(&fred.l2_uplink_bytes_per_s));
  if (at.l2_switches == 1 && has_uplink)
    check.fail({&fred.l2_uplink_bytes_per_s, &at.l2_switches},
               "a single L2 switch has no uplink; leave it out");
}

/// Without in-network flows their keys change nothing; the resolved file has the defaults.
void check_no_flows(const FredParams& fred, const Check& check) {
  using F = FredFlowParams;
  const std::string why = "is of in-network flows and has no effect without '" +
                          check.path(&fred.in_network) + ": true'; remove it";
  check.require_default(fred.flows, {&fred.in_network}, why, &F::per_buffer, &F::credit_packets, &F::conflict,
                        &F::reservation, &F::phase_rule, &F::phase_change_ps, &F::middle_switches,
                        &F::route_search);
}

void check_flow_channels(const FabricSpec& fabric, const Check& check) {
  constexpr std::uint32_t kMaxChannels = kMaxVcs / 2;
  if (fabric.virtual_channels > kMaxChannels)
    check.fail({&fabric.virtual_channels},
               "{} channels; with in-network flows, which have as many of their own, at most {}",
               fabric.virtual_channels, kMaxChannels);
}

}  // namespace

void FredKind::add_keys(config::Struct<FabricSpec>& fabric) const {
  using namespace config;
  const auto count = integer<std::uint32_t>(1, 65'536);
  const auto geometry = [](auto member) { return at(parameter(&FredParams::geometry), member); };
  const auto flows = [](auto member) { return at(parameter(&FredParams::flows), member); };
  const auto chips = [](auto member) { return at(parameter(&FredParams::chips), member); };
  fabric.required("l1_switches", geometry(&FredGeometry::l1_switches), count, "Switches that NPUs hang on")
      .required("npus_per_l1", geometry(&FredGeometry::npus_per_l1), count, "NPUs on each L1 switch")
      .required("l1_uplink", parameter(&FredParams::l1_uplink_bytes_per_s), any_bandwidth(),
                "From an L1 switch to its L2 switch, per direction")
      .optional("npu_bandwidth", parameter(&FredParams::npu_bytes_per_s), any_bandwidth(),
                "Between an NPU and its L1 switch, per direction")
      .optional("l2_switches", geometry(&FredGeometry::l2_switches), count,
                "Switches above the L1 switches; more than one have an L3 switch above them")
      .optional("l2_uplink", parameter(&FredParams::l2_uplink_bytes_per_s),
                or_none<std::uint64_t>(any_bandwidth(), 0),
                "From an L2 switch to the L3 switch, per direction; with more than one L2 switch")
      .optional("stage_latency", parameter(&FredParams::stage_latency_ps), any_time(),
                "Of one µswitch; a packet passes one per stage of the switch")
      .optional("in_network", parameter(&FredParams::in_network), boolean(),
                "The switches reduce and distribute: collectives can be in-network flows")
      .optional("flows_per_buffer", flows(&FredFlowParams::per_buffer), integer<std::uint32_t>(1, 4096),
                "In-network flows that have room at the same time in an input buffer, per virtual channel")
      .optional("flow_packets", flows(&FredFlowParams::credit_packets),
                auto_or<std::uint32_t>(integer<std::uint64_t>(2, 65'536), 0),
                "Packets for which an in-network flow reserves room in every buffer of its path; auto: "
                "enough for line rate")
      .optional("flow_conflict", flows(&FredFlowParams::conflict),
                one_of<FlowConflict>({"block", "decompose", "refuse"}),
                "What becomes of an in-network flow that the switches cannot carry beside the active ones: "
                "it waits at its sources, its collective is done in steps of its endpoints, or the run ends "
                "with an error")
      .optional("flow_reservation", flows(&FredFlowParams::reservation), boolean(),
                "false, for tests only: in-network flows share the buffers and may block each other for ever")
      .optional("phase_rule", flows(&FredFlowParams::phase_rule), boolean(),
                "A switch changes to flows of a higher priority only when all of their ports have a packet")
      .optional("phase_change", flows(&FredFlowParams::phase_change_ps), any_time(),
                "Time that a switch takes to change between flows of different priority")
      .optional("middle_switches", flows(&FredFlowParams::middle_switches), integer<std::uint32_t>(1, 31),
                "m of the interconnect FRED_m(P) in a switch")
      .optional("route_search", flows(&FredFlowParams::route_search),
                one_of<FredRouteMode>({"first_colouring", "backtracking"}),
                "How a switch searches the middle switches of its flows: the first colouring of their "
                "conflicts at each level, or all of them")
      .optional("view", parameter(&FredParams::view), one_of<FredView>({"logical", "physical"}),
                "logical: each switch is one; physical: the chips it is made of")
      .optional("port_bandwidth", chips(&FredChipParams::port_bytes_per_s), any_bandwidth(),
                "Of a port of a chip, per direction; with the physical view")
      .optional("l2_chip_links", chips(&FredChipParams::l2_links), count,
                "Links between an L1 chip and each L2 chip above it; with the physical view")
      .optional("dead", chips(&FredChipParams::dead), dead_chips_type(),
                "Chips that do not work; with the physical view. Better wafer.defects.chips");
}

void FredKind::check(const FabricSpec& fabric, const Check& check) const {
  const auto& fred = fabric.as<FredParams>();
  if (fabric.link_latency_ps == 0)
    check.fail({&fabric.link_latency_ps}, "a hop takes no time; expected at least 1 ps");
  check_tree(fred, check);
  if (fred.in_network)
    check_flow_channels(fabric, check);
  else
    check_no_flows(fred, check);
  config::check_fred_chips(fabric, check);
}

void FredKind::check_wafer(const config::WaferSpec& wafer, const Check& check) const {
  config::require_no_grid(wafer, check);
  const config::IoPlacement placement = wafer.io.controllers.placement;
  if (placement == config::IoPlacement::perimeter || placement == config::IoPlacement::listed)
    check.fail({&wafer.io.controllers},
               "a tree of FRED switches has no edge; give the number of controllers, which are spread over "
               "the L1 switches");
  config::check_dead_io(wafer.fabric.defects, wafer.io.controllers.count, check);
  config::check_fred_defects(wafer.fabric, check);
  if (wafer.outer) check_several_freds(wafer, check);
}

}  // namespace wafertlm
