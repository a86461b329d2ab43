// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/ethernet/ethernet_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "models/ethernet/ethernet_fabric.h"
#include "models/ethernet/fabric/ethernet_topology.h"
#include "models/ethernet/ns3/ns3_files.h"
#include "models/nic/congestion/presets.h"
#include "platform/fabrics/ethernet/ethernet_results.h"
#include "platform/spec/traffic/traffic_model.h"
#include "platform/text/format.h"
#include "tlm/input/file.h"

namespace wafertlm {

EthernetFabricParams ethernet_params(const config::FabricSpec& fabric) {
  auto params = fabric.complete<EthernetFabricParams>();
  if (!params.ns3_config.empty()) {
    std::istringstream file(read_input(params.ns3_config));
    const std::uint64_t seed = params.engine.seed;
    params.engine = ethernet::read_ns3_config(file, params.ns3_config).params;
    params.engine.seed = seed;
    params.nics.congestion_control = "as " + params.ns3_config + " says";
    params.format.packet_bytes = params.engine.format.mtu_bytes;
    params.format.header_bytes = params.engine.format.full_wire_bytes() - params.format.packet_bytes;
    return params;
  }
  params.engine.switches = params.switches.params;
  ethernet::Threshold& threshold = params.engine.switches.threshold;
  threshold.alpha_numerator = params.switches.alpha_log2 > 0 ? 1U << params.switches.alpha_log2 : 1;
  threshold.alpha_denominator = params.switches.alpha_log2 < 0 ? 1U << -params.switches.alpha_log2 : 1;
  params.engine.nics = params.nics.params;
  std::vector<const void*> without_effect;  // refused by check()
  params.engine.nics.scheme =
      nic::tuned(nic::scheme_preset(params.nics.congestion_control), params.nics.tuning, without_effect);
  if (params.nics.rates_for_bytes_per_s != 0)
    nic::scale_rates_from(params.engine.nics.scheme, params.nics.rates_for_bytes_per_s);
  ethernet::FrameFormat& frames = params.engine.format;
  frames.mtu_bytes = params.format.packet_bytes;
  // As HPCC's ns-3 has it: five stamps of 8 bytes, and 2.
  constexpr std::uint32_t kTelemetryBytes = 42;
  if (nic::needs_of(params.engine.nics.scheme).telemetry) frames.telemetry_bytes = kTelemetryBytes;
  params.format.header_bytes = frames.full_wire_bytes() - frames.mtu_bytes;
  return params;
}

FabricAbilities EthernetKind::abilities(const config::FabricSpec&) const {
  FabricAbilities abilities;
  abilities.hop_s = 0.8e-6;
  abilities.packets = false;
  abilities.endpoint_memory = false;
  abilities.dma_engines = false;
  return abilities;
}

std::uint32_t EthernetKind::npus(const config::WaferSpec& wafer) const {
  return static_cast<std::uint32_t>(ethernet_hosts(wafer.fabric.as<EthernetFabricParams>().shape));
}

TimePs EthernetKind::horizon_ps(const config::WaferSpec& wafer) const {
  const EthernetFabricParams params = ethernet_params(wafer.fabric);
  return 2 * (params.link_latency_ps +
              transfer_time_ps(params.format.full_wire_bytes(), params.shape.bytes_per_s));
}

std::unique_ptr<Fabric> EthernetKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  return std::make_unique<EthernetFabric>("fabric", ethernet_params(wafer.fabric), in.classes, in.scheduler);
}

FabricTraits EthernetKind::traits(const config::WaferSpec& wafer) const {
  const EthernetFabricParams params = ethernet_params(wafer.fabric);
  FabricTraits traits;
  traits.topology = std::make_shared<EthernetTopology>(params);
  traits.format = params.format;
  traits.buffers_are_given = true;  // switches.buffer; pauses and congestion control hold NICs back
  return traits;
}

FabricLinkRate EthernetKind::fastest_link(const config::WaferSpec& wafer) const {
  const EthernetFabricParams params = ethernet_params(wafer.fabric);
  return {std::max(params.shape.bytes_per_s, params.shape.switch_bytes_per_s),
          params.engine.switches.pipeline_ps};
}

/// Whole messages travel: there is no load in flits.
traffic::TrafficModel EthernetKind::traffic(const config::WaferSpec&) const {
  throw std::invalid_argument(
      "an Ethernet carries whole messages: give --flow SIZE, which sends one from every node, in place of "
      "--load");
}

std::string EthernetKind::describe(const config::WaferSpec& wafer) const {
  const EthernetFabricParams params = ethernet_params(wafer.fabric);
  const EthernetPlaces places = ethernet_places(params.shape, params.link_latency_ps);
  const ethernet::EthernetSwitchParams& switches = params.engine.switches;
  std::string text = fmt::format(
      "fabric    Ethernet: {} NPUs with a NIC of {}, {}, {} cables\n", places.network.hosts(),
      format_bandwidth(static_cast<double>(params.shape.bytes_per_s)),
      counted(places.network.switches(), "switch", "switches"), places.network.ports().size() / 2);
  if (places.inside)
    text += fmt::format("servers   of {} NPUs, joined at {} each\n", places.server_npus,
                        format_bandwidth(static_cast<double>(params.shape.server_bytes_per_s)));
  text += fmt::format("frames    {} of payload, {} on the wire\n", format_bytes(params.format.packet_bytes),
                      format_bytes(params.format.full_wire_bytes()));
  text += fmt::format("buffers   {} per switch; {}\n", format_bytes(switches.buffer_bytes),
                      switches.loss == ethernet::Loss::pause  ? "PFC: nothing is lost"
                      : switches.loss == ethernet::Loss::drop ? "packets without room are lost"
                                                              : "packets without room are trimmed");
  text += fmt::format("control   {}\n", params.nics.congestion_control);
  if (switches.loss == ethernet::Loss::pause && !places.network.buffer_cycle().empty()) {
    text += "deadlock  possible, as pauses can go round:";
    for (const std::uint32_t port : places.network.buffer_cycle()) text += " " + places.port_name(port);
    text += "\n";
  }
  return text;
}

const FabricResults* EthernetKind::results() const { return &ethernet_results(); }

}  // namespace wafertlm
