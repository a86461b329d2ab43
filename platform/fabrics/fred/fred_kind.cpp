// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/fred/fred_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/fred/fred_fabric.h"
#include "models/fred/fred_topology.h"
#include "models/fred/physical/chip_fabric.h"
#include "platform/fabrics/fred/fred_wafers.h"
#include "platform/machine/reliability.h"
#include "platform/spec/traffic/traffic_model.h"
#include "platform/text/format.h"

namespace wafertlm {

FredParams fred_params(const config::WaferSpec& wafer, bool with_io) {
  auto fred = wafer.fabric.complete<FredParams>();
  const config::DefectsSpec& defects = wafer.fabric.defects;
  fred.io_bytes_per_s = wafer.io.bandwidth_bytes_per_s;
  fred.io_latency_ps = wafer.io.latency_ps;
  if (fred.is_physical()) fred.set_chip_counts();
  DeadChips& dead = fred.chips.dead;
  dead.l1.insert(dead.l1.end(), defects.chips.l1.begin(), defects.chips.l1.end());
  dead.l2.insert(dead.l2.end(), defects.chips.l2.begin(), defects.chips.l2.end());
  for (const auto& [l1_switch, chip, port] : defects.chips.uplinks)
    dead.uplinks.push_back({l1_switch, chip, port});
  fred.flows.answers = answer_format(wafer.fabric);
  if (!with_io) return fred;
  const std::vector<std::uint32_t> all = spread_io(wafer.io.controllers.count, fred.geometry.l1_switches);
  for (std::uint32_t k = 0; k < all.size(); ++k)
    if (std::find(defects.io.begin(), defects.io.end(), k) == defects.io.end())
      fred.geometry.io.push_back(all[k]);
  const auto controllers = static_cast<std::uint32_t>(fred.geometry.io.size());
  // The streams of all controllers have a lane each, so that they get equal parts of a link.
  fred.flows.lanes = std::clamp(controllers, fred.flows.lanes, 32U);
  fred.flows.streams = controllers;
  fred.flows.stream_bytes_per_s = fred.io_bytes_per_s;
  fred.flows.striped = fred.is_physical();
  return fred;
}

FabricAbilities FredKind::abilities(const config::FabricSpec& fabric) const {
  FabricAbilities abilities;
  abilities.input_starts = true;
  abilities.new_courses = 1;
  abilities.new_packets = 380;
  abilities.defects.chips = abilities.defects.io = true;
  abilities.in_network = fabric.as<FredParams>().in_network;
  return abilities;
}

TimePs FredKind::horizon_ps(const config::WaferSpec& wafer) const {
  const FredParams fred = fred_params(wafer, true);
  return 2 * (fred.link_latency_ps + fred.pipeline_ps(1) + fred.credit_delay_ps +
              transfer_time_ps(fred.format.full_wire_bytes(), fred.port_bytes_per_s()));
}

std::unique_ptr<Fabric> FredKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  const FredParams params = fred_params(wafer, in.with_io);
  if (params.is_physical())
    return std::make_unique<FredChipFabric>("fred", params, in.classes, in.scheduler, in.packets, in.checkers,
                                            in.reverse);
  return std::make_unique<FredFabric>("fred", params, in.classes, in.scheduler, in.packets, in.checkers,
                                      in.reverse);
}

FabricTraits FredKind::traits(const config::WaferSpec& wafer) const {
  const FredParams fred = fred_params(wafer, true);
  FabricTraits traits;
  traits.topology = std::make_shared<FredTopology>(fred);
  traits.format = fred.format;
  traits.in_network = fred.in_network;
  traits.streams_in_network = fred.in_network;
  traits.flows_decompose = fred.in_network && fred.flows.conflict == FlowConflict::decompose;
  if (fred.in_network && fred.is_physical()) {
    const ChipWiring wiring(fred.geometry, fred.chips);
    traits.flow_additions = [ways = chip_flow_paths(fred, Stripes(wiring), wiring)](
                                const std::vector<NpuId>& from, const std::vector<NpuId>& to) {
      return ways.additions(from, to);
    };
  } else if (fred.in_network) {
    traits.flow_additions = [tree = fred_flow_tree(fred)](const std::vector<NpuId>& from,
                                                          const std::vector<NpuId>& to) {
      return tree.additions(from, tree.branches(from, to));
    };
  }
  return traits;
}

FabricLinkRate FredKind::fastest_link(const config::WaferSpec& wafer) const {
  const FredParams fred = fred_params(wafer, true);
  if (fred.is_physical()) return {fred.port_bytes_per_s(), fred.pipeline_ps(1)};
  FabricLinkRate link{fred.npu_bytes_per_s, fred.pipeline_ps(1)};
  for (std::uint32_t level = 1; level < fred.geometry.levels(); ++level)
    if (fred.uplink_bytes_per_s(level) > link.bytes_per_s)
      link = {fred.uplink_bytes_per_s(level), fred.pipeline_ps(level + 1)};
  return link;
}

traffic::TrafficModel FredKind::traffic(const config::WaferSpec& wafer) const {
  const FredParams fred = fred_params(wafer, false);
  const FredGeometry& at = fred.geometry;
  return {{at.npus_per_l1, at.l1_switches},
          fred.npu_bytes_per_s,
          fmt::format("{} L1 switches with {} NPUs", at.l1_switches, at.npus_per_l1),
          [fred](const traffic::Pattern& pattern) { return fred_channel_loads(fred, pattern); },
          fred.is_physical() ? fred.chips.port_bytes_per_s : 0,
          [fred](NpuId npu) -> TopologyLink {  // in the physical view it turns at its ports
            if (fred.is_physical()) return {fred.npu_bytes_per_s, 0};
            return {fred.npu_bytes_per_s, fred.head_latency_ps(fred.geometry.turn_level(npu, npu))};
          }};
}

std::string FredKind::describe(const config::WaferSpec& wafer) const {
  const FredParams fred = fred_params(wafer, true);
  const FredGeometry& at = fred.geometry;
  const auto rate = [](std::uint64_t bytes_per_s) {
    return format_bandwidth(static_cast<double>(bytes_per_s));
  };
  std::string text = fmt::format("wafer     {} L1 switches with {} NPUs, {} L2{}\n", at.l1_switches,
                                 at.npus_per_l1, at.l2_switches, at.levels() == 3 ? ", one L3" : "") +
                     fmt::format("links     NPU {}, L1 to L2 {}", rate(fred.npu_bytes_per_s),
                                 rate(fred.l1_uplink_bytes_per_s));
  if (at.levels() == 3) text += fmt::format(", L2 to L3 {}", rate(fred.l2_uplink_bytes_per_s));
  text += fmt::format(", latency {}, credit {}\n", format_time(fred.link_latency_ps),
                      format_time(fred.credit_delay_ps));
  if (fred.is_physical()) {
    const ChipWiring wiring(at, fred.chips);
    text +=
        fmt::format("chips     {} of each L1 switch, {} of the L2 switch, {} dead", fred.chips.chips_per_l1,
                    wiring.l2_chips(), fred.chips.dead.l1.size() + fred.chips.dead.l2.size());
    const std::size_t uplinks = fred.chips.dead.uplinks.size();
    text += uplinks == 0 ? "\n" : fmt::format(", {} uplinks dead\n", uplinks);
  }
  for (std::uint32_t level = 1; level <= at.levels(); ++level)
    text += fmt::format("{} L{} {} ports of {}, {} stages, {}\n", fred.is_physical() ? "chip  " : "switch",
                        level, fred.ports(level), rate(fred.port_bytes_per_s()),
                        FredNetwork::stages(fred.ports(level)), format_time(fred.pipeline_ps(level)));
  return text +
         fmt::format("buffers   {} per input and virtual channel\n",
                     fred.buffer_bytes ? format_bytes(fred.buffer_bytes) : "auto") +
         wafer.fabric.defects.describe_slow();
}

const FabricKind& FredKind::of_several_wafers() const { return several_freds(); }

}  // namespace wafertlm
