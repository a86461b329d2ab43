// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/dimensional/dimensional_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/dimensional/dimensional_fabric.h"
#include "models/dimensional/dimensional_topology.h"
#include "platform/describe/file_kind.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

bool has(const Dimensions& dimensions, FabricDimension::Kind kind) {
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    if (dimensions[d].kind == kind && dimensions[d].size > 1) return true;
  return false;
}

}  // namespace

DimensionalParams dimensional_params(const config::WaferSpec& wafer) {
  auto params = wafer.fabric.complete<DimensionalParams>();
  params.dimensions = dimensions_of(params.groups, params.opposite_is_up);
  if (params.messages) params.format.packet_bytes = std::uint32_t{1} << 31;  // larger than any, or nearly
  return params;
}

FabricAbilities DimensionalKind::abilities(const config::FabricSpec& fabric) const {
  const auto& params = fabric.as<DimensionalParams>();
  FabricAbilities abilities;
  abilities.packets = !params.messages;
  if (abilities.packets) abilities.faster = "wafer.fabric.transport: messages, many times as fast";
  abilities.endpoint_memory = false;
  const Dimensions dimensions = dimensions_of(params.groups);
  abilities.dateline_channels = has(dimensions, FabricDimension::Kind::ring);
  abilities.equal_places =
      params.messages && params.other_links.empty() && !has(dimensions, FabricDimension::Kind::line);
  abilities.dma_engines = false;
  abilities.time_step_ps = params.rules.time_step_ps;
  return abilities;
}

std::uint32_t DimensionalKind::npus(const config::WaferSpec& wafer) const {
  return dimensional_params(wafer).dimensions.npus();
}

TimePs DimensionalKind::horizon_ps(const config::WaferSpec& wafer) const {
  const DimensionalParams params = dimensional_params(wafer);
  TimePs longest = 0;
  for (std::size_t d = 0; d < params.dimensions.count(); ++d)
    longest = std::max(longest,
                       params.dimensions[d].latency_ps +
                           transfer_time_ps(std::min<std::uint64_t>(params.format.full_wire_bytes(), 1 << 16),
                                            params.dimensions[d].bytes_per_s));
  return 2 * (longest + params.credit_delay_ps);
}

std::unique_ptr<Fabric> DimensionalKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  DimensionalParams params = dimensional_params(wafer);
  params.one_for_all = in.one_for_all;
  return make_dimensional_fabric("fabric", params, in.classes, in.scheduler, in.checkers, in.reverse);
}

FabricTraits DimensionalKind::traits(const config::WaferSpec& wafer) const {
  const DimensionalParams params = dimensional_params(wafer);
  FabricTraits traits;
  traits.topology = std::make_shared<DimensionalTopology>(params);
  traits.format = params.format;
  traits.store_and_forward = params.rules.store_and_forward;
  traits.in_network = std::any_of(params.groups.begin(), params.groups.end(),
                                  [](const DimensionGroup& each) { return each.in_network > 0; });
  return traits;
}

PlacementGrid DimensionalKind::grid(const config::WaferSpec& wafer) const {
  const Dimensions dimensions = dimensional_params(wafer).dimensions;
  return {dimensions[0].size, dimensions.npus() / dimensions[0].size, failed_npus(wafer.fabric)};
}

FabricLinkRate DimensionalKind::fastest_link(const config::WaferSpec& wafer) const {
  const Dimensions dimensions = dimensional_params(wafer).dimensions;
  std::uint64_t rate = 0;
  for (std::size_t d = 0; d < dimensions.count(); ++d) rate = std::max(rate, dimensions[d].bytes_per_s);
  return {rate, 0};
}

std::string DimensionalKind::describe(const config::WaferSpec& wafer) const {
  const DimensionalParams params = dimensional_params(wafer);
  const Dimensions& dimensions = params.dimensions;
  std::string text = fmt::format("fabric    {} NPUs in {} dimension{}\n", dimensions.npus(),
                                 dimensions.count(), dimensions.count() == 1 ? "" : "s");
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    text += config::check_line(fmt::format("dim {}", d),
                               fmt::format("{} of {}: {} of {}, latency {}", to_string(dimensions[d].kind),
                                           dimensions[d].size, counted(dimensions[d].links(), "link"),
                                           format_bandwidth(static_cast<double>(dimensions[d].bytes_per_s)),
                                           format_time(dimensions[d].latency_ps)));
  if (!params.other_links.empty()) text += fmt::format("links     {} differ\n", params.other_links.size());
  return text + fmt::format("buffers   {} per input and virtual channel\n",
                            params.buffer_bytes ? format_bytes(params.buffer_bytes) : "auto");
}

}  // namespace wafertlm
