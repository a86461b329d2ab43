// SPDX-License-Identifier: Apache-2.0
#include "platform/system/dimensional_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/dimensional/dimensional_topology.h"
#include "platform/command/format.h"

namespace wafertlm {
namespace {

bool has_rings(const Dimensions& dimensions) {
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    if (dimensions[d].kind == FabricDimension::Kind::ring && dimensions[d].size > 1) return true;
  return false;
}

}  // namespace

DimensionalParams dimensional_params(const config::WaferSpec& spec) {
  const config::FabricSpec& fabric = spec.fabric;
  DimensionalParams params;
  params.dimensions = fabric.dimensional.expanded();
  for (const config::OtherLinkSpec& other : fabric.dimensional.other_links)
    params.other_links.push_back({other.npu, other.dimension, other.bandwidth_bytes_per_s, other.latency_ps});
  params.credit_delay_ps = fabric.credit_delay_ps;
  params.format = {static_cast<std::uint32_t>(fabric.packet_bytes),
                   static_cast<std::uint32_t>(fabric.header_bytes),
                   static_cast<std::uint32_t>(fabric.flit_bytes), false};
  params.buffer_bytes = fabric.input_buffer_bytes.value_or(0);
  params.messages = fabric.dimensional.transport == config::Transport::messages;
  if (params.messages) params.format.packet_bytes = std::uint32_t{1} << 31;  // larger than any, or nearly
  return params;
}

config::FabricSpec with_dateline_channels(const config::WaferSpec& wafer) {
  config::FabricSpec fabric = wafer.fabric;
  const bool rings =
      fabric.wiring == config::Wiring::dimensional
          ? has_rings(fabric.dimensional.expanded())
          : wafer.outer || (fabric.wiring == config::Wiring::graph && !fabric.graph.rings.empty());
  if (!rings) return fabric;
  for (config::TrafficClassSpec& entry : fabric.classes)
    entry = {entry.name, static_cast<VcId>(2 * index_of(entry.vc)), entry.priority, 2 * entry.vcs};
  fabric.virtual_channels *= 2;
  return fabric;
}

HierarchyOptions hierarchy_options(const config::PlatformSpec& spec) {
  const config::ByDimensionSpec& by = spec.collectives.by_dimension;
  HierarchyOptions options;
  options.order = by.order;
  options.within = by.within;
  options.active_chunks = static_cast<std::uint32_t>(by.active_chunks.value_or(0));
  options.all_reduce = by.all_reduce;
  options.all_gather = by.all_gather;
  options.reduce_scatter = by.reduce_scatter;
  options.all_to_all = by.all_to_all;
  options.direct_window = by.direct_window;
  options.stage_cost_ps = spec.npu.endpoint.stage_cost_ps;
  return options;
}

TimePs DimensionalKind::horizon_ps(const config::WaferSpec& spec) const {
  const DimensionalParams params = dimensional_params(spec);
  TimePs longest = 0;
  for (std::size_t d = 0; d < params.dimensions.count(); ++d)
    longest = std::max(longest,
                       params.dimensions[d].latency_ps +
                           transfer_time_ps(std::min<std::uint64_t>(params.format.full_wire_bytes(), 1 << 16),
                                            params.dimensions[d].bytes_per_s));
  return 2 * (longest + params.credit_delay_ps);
}

std::unique_ptr<Fabric> DimensionalKind::make(const config::WaferSpec& spec, bool,
                                              const FabricSurroundings& in) const {
  return std::make_unique<DimensionalFabric>("fabric", dimensional_params(spec), in.classes, in.scheduler,
                                             in.checkers, in.reverse);
}

FabricTraits DimensionalKind::traits(const config::WaferSpec& spec) const {
  const DimensionalParams params = dimensional_params(spec);
  FabricTraits traits;
  traits.topology = std::make_shared<DimensionalTopology>(params);
  traits.format = params.format;
  return traits;
}

PlacementGrid DimensionalKind::grid(const config::WaferSpec& spec) const {
  const Dimensions dimensions = spec.fabric.dimensional.expanded();
  return {dimensions[0].size, dimensions.npus() / dimensions[0].size};
}

FabricKind::Link DimensionalKind::fastest_link(const config::WaferSpec& spec) const {
  const Dimensions dimensions = spec.fabric.dimensional.expanded();
  std::uint64_t rate = 0;
  for (std::size_t d = 0; d < dimensions.count(); ++d) rate = std::max(rate, dimensions[d].bytes_per_s);
  return {rate, 0};
}

std::string DimensionalKind::describe(const config::WaferSpec& spec) const {
  const DimensionalParams params = dimensional_params(spec);
  const Dimensions& dimensions = params.dimensions;
  std::string text = fmt::format("fabric    {} NPUs in {} dimension{}\n", dimensions.npus(),
                                 dimensions.count(), dimensions.count() == 1 ? "" : "s");
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    text += fmt::format("dim {:<5} {} of {}: {} links of {}, latency {}\n", d, to_string(dimensions[d].kind),
                        dimensions[d].size, dimensions[d].links(),
                        format_bandwidth(static_cast<double>(dimensions[d].bytes_per_s)),
                        format_time(dimensions[d].latency_ps));
  if (!params.other_links.empty()) text += fmt::format("links     {} differ\n", params.other_links.size());
  return text + fmt::format("buffers   {} per input and virtual channel\n",
                            params.buffer_bytes ? format_bytes(params.buffer_bytes) : "auto");
}

}  // namespace wafertlm
