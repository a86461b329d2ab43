// SPDX-License-Identifier: Apache-2.0
#include "platform/system/fred_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/fred/fred_topology.h"
#include "models/fred/physical/chip_fabric.h"
#include "models/fred/physical/chip_flows.h"
#include "platform/command/format.h"
#include "platform/system/reliability.h"

namespace wafertlm {

FredParams fred_params(const config::WaferSpec& spec, bool with_io) {
  const config::FabricSpec& fabric = spec.fabric;
  const config::FredSpec& fred = fabric.fred;
  FredParams params;
  params.geometry = {fred.l1_switches, fred.npus_per_l1, fred.l2_switches, {}};
  if (with_io) params.geometry.io = spread_io(spec.io.controllers.count, fred.l1_switches);
  params.npu_bytes_per_s = fred.npu_bandwidth_bytes_per_s;
  params.l1_uplink_bytes_per_s = fred.l1_uplink_bytes_per_s;
  params.l2_uplink_bytes_per_s = fred.l2_uplink_bytes_per_s.value_or(0);
  params.link_latency_ps = fabric.link_latency_ps;
  params.stage_latency_ps = fred.stage_latency_ps;
  params.credit_delay_ps = fabric.credit_delay_ps;
  params.format = {static_cast<std::uint32_t>(fabric.packet_bytes),
                   static_cast<std::uint32_t>(fabric.header_bytes),
                   static_cast<std::uint32_t>(fabric.flit_bytes), false};
  params.input_queue =
      fabric.input_queue == config::InputQueue::fifo ? InputQueue::fifo : InputQueue::per_output;
  params.buffer_bytes = fabric.input_buffer_bytes.value_or(0);
  params.io_bytes_per_s = spec.io.bandwidth_bytes_per_s;
  params.io_latency_ps = spec.io.latency_ps;
  if (fred.view == config::FredView::physical)
    params.chips = FredChipParams{fred.port_bandwidth_bytes_per_s,
                                  fred.chips_per_l1(),
                                  fred.up_ports(),
                                  fred.l2_chip_links,
                                  fred.dead.l1,
                                  fred.dead.l2};
  if (fred.in_network) {
    FredFlowParams& flows = params.flows.emplace();
    flows.per_buffer = fred.flows_per_buffer;
    // The streams of all controllers have a lane each, so that they get equal parts of a link.
    if (with_io) flows.lanes = std::clamp(spec.io.controllers.count, flows.lanes, 32U);
    if (with_io) {
      flows.streams = spec.io.controllers.count;
      flows.stream_bytes_per_s = spec.io.bandwidth_bytes_per_s;
      flows.striped = params.chips.has_value();
    }
    flows.room_packets = static_cast<std::uint32_t>(fred.flow_packets.value_or(0));
    flows.conflict = fred.flow_conflict == config::FlowConflictPolicy::refuse      ? FlowConflict::refuse
                     : fred.flow_conflict == config::FlowConflictPolicy::decompose ? FlowConflict::decompose
                                                                                   : FlowConflict::block;
    if (fred.route_search == config::RouteSearch::backtracking)
      flows.route_search = FredRouteMode::backtracking;
    flows.reservation = fred.flow_reservation;
    flows.phase_rule = fred.phase_rule;
    flows.phase_change_ps = fred.phase_change_ps;
    flows.middle_switches = fred.middle_switches;
    flows.answers = answer_format(fabric);
  }
  return params;
}

TimePs FredKind::horizon_ps(const config::WaferSpec& spec) const {
  const FredParams fred = fred_params(spec, true);
  return 2 * (fred.link_latency_ps + fred.pipeline_ps(1) + fred.credit_delay_ps +
              transfer_time_ps(fred.format.full_wire_bytes(),
                               fred.chips ? fred.chips->port_bytes_per_s : fred.npu_bytes_per_s));
}

std::unique_ptr<Fabric> FredKind::make(const config::WaferSpec& spec, bool with_io,
                                       const FabricSurroundings& in) const {
  const FredParams params = fred_params(spec, with_io);
  if (params.chips)
    return std::make_unique<FredChipFabric>("fred", params, in.classes, in.scheduler, in.packets, in.checkers,
                                            in.reverse);
  return std::make_unique<FredFabric>("fred", params, in.classes, in.scheduler, in.packets, in.checkers,
                                      in.reverse);
}

FabricTraits FredKind::traits(const config::WaferSpec& spec) const {
  const FredParams fred = fred_params(spec, true);
  FabricTraits traits;
  traits.topology = std::make_shared<FredTopology>(fred);
  traits.format = fred.format;
  traits.in_network = fred.flows.has_value();
  traits.streams_in_network = fred.flows.has_value();
  traits.flows_decompose = fred.flows && fred.flows->conflict == FlowConflict::decompose;
  if (fred.flows && fred.chips) {
    const ChipWiring wiring(fred.geometry, *fred.chips);
    traits.flow_additions = [ways = chip_flow_ways(fred, Stripes(wiring), wiring)](
                                const std::vector<NpuId>& from, const std::vector<NpuId>& to) {
      return ways.additions(from, to);
    };
  } else if (fred.flows) {
    traits.flow_additions = [tree = fred_flow_tree(fred)](const std::vector<NpuId>& from,
                                                          const std::vector<NpuId>& to) {
      return tree.additions(from, tree.legs(from, to));
    };
  }
  return traits;
}

FabricKind::Link FredKind::fastest_link(const config::WaferSpec& spec) const {
  const FredParams fred = fred_params(spec, true);
  if (fred.chips) return {fred.chips->port_bytes_per_s, fred.pipeline_ps(1)};
  Link link{fred.npu_bytes_per_s, fred.pipeline_ps(1)};
  for (std::uint32_t level = 1; level < fred.geometry.levels(); ++level)
    if (fred.uplink_bytes_per_s(level) > link.bytes_per_s)
      link = {fred.uplink_bytes_per_s(level), fred.pipeline_ps(level + 1)};
  return link;
}

PlacementGrid FredKind::grid(const config::WaferSpec& spec) const { return {spec.npu_count(), 1}; }

std::string FredKind::describe(const config::WaferSpec& spec) const {
  const FredParams fred = fred_params(spec, true);
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
  if (fred.chips) {
    const ChipWiring wiring(at, *fred.chips);
    text += fmt::format("chips     {} of each L1 switch, {} of the L2 switch, {} dead\n",
                        fred.chips->chips_per_l1, wiring.l2_chips(),
                        fred.chips->dead_l1.size() + fred.chips->dead_l2.size());
  }
  const std::uint64_t port_bytes_per_s = fred.chips ? fred.chips->port_bytes_per_s : fred.npu_bytes_per_s;
  for (std::uint32_t level = 1; level <= at.levels(); ++level)
    text += fmt::format("{} L{} {} ports of {}, {} stages, {}\n", fred.chips ? "chip  " : "switch", level,
                        fred.ports(level), rate(port_bytes_per_s), FredNetwork::stages(fred.ports(level)),
                        format_time(fred.pipeline_ps(level)));
  return text + fmt::format("buffers   {} per input and virtual channel\n",
                            fred.buffer_bytes ? format_bytes(fred.buffer_bytes) : "auto");
}

}  // namespace wafertlm
