// SPDX-License-Identifier: Apache-2.0
#include "platform/system/mesh_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/mesh/mesh_topology.h"
#include "platform/command/format.h"

namespace wafertlm {
namespace {

/// Most wake-ups of the fabric lie within a round trip and two packets.
TimePs horizon_ps(const MeshParams& mesh) {
  return 2 * (mesh.link_latency_ps + mesh.router_pipeline_ps + mesh.credit_delay_ps +
              transfer_time_ps(mesh.format.full_wire_bytes(), mesh.link_bytes_per_s));
}

/// Links that an NPU's port can keep busy, the last one perhaps in part.
std::uint32_t streams_of(std::uint64_t port_bytes_per_s, const config::FabricSpec& fabric) {
  constexpr std::uint64_t kSides = 4;
  return static_cast<std::uint32_t>(
      std::min(kSides, (port_bytes_per_s - 1) / fabric.link_bandwidth_bytes_per_s + 1));
}

}  // namespace

MeshParams mesh_params(const config::WaferSpec& spec) {
  const config::FabricSpec& fabric = spec.fabric;
  MeshParams params;
  params.width = spec.width;
  params.height = spec.height;
  params.link_bytes_per_s = fabric.link_bandwidth_bytes_per_s;
  params.link_latency_ps = fabric.link_latency_ps;
  params.router_pipeline_ps = fabric.router_pipeline_ps;
  params.credit_delay_ps = fabric.credit_delay_ps;
  params.injection_bytes_per_s = fabric.injection_bandwidth_bytes_per_s;
  params.ejection_bytes_per_s = fabric.ejection_bandwidth_bytes_per_s;
  params.injection_latency_ps = fabric.injection_latency_ps;
  params.ejection_latency_ps = fabric.ejection_latency_ps;
  params.format = {
      static_cast<std::uint32_t>(fabric.packet_bytes), static_cast<std::uint32_t>(fabric.header_bytes),
      static_cast<std::uint32_t>(fabric.flit_bytes), fabric.switching == config::Switching::wormhole};
  params.input_queue =
      fabric.input_queue == config::InputQueue::fifo ? InputQueue::fifo : InputQueue::per_output;
  params.buffer_bytes = fabric.input_buffer_bytes.value_or(0);
  params.injection_streams = streams_of(fabric.injection_bandwidth_bytes_per_s, fabric);
  params.ejection_streams = streams_of(fabric.ejection_bandwidth_bytes_per_s, fabric);
  params.failed_links = fabric.failed_links;
  params.failed_routers = fabric.failed_routers;
  return params;
}

std::vector<IoPort> io_ports(const config::WaferSpec& spec) {
  const config::IoControllersSpec& controllers = spec.io.controllers;
  std::vector<IoPort> ports;
  for (const config::IoPortSpec& port : controllers.list) ports.push_back({port.npu, port.side});
  if (controllers.placement == config::IoPlacement::perimeter)
    for (std::uint32_t npu = 0; npu < spec.npus_of_mesh(); ++npu)
      for (const Side side : kAllSides)
        if (spec.is_free(static_cast<NpuId>(npu), side)) ports.push_back({static_cast<NpuId>(npu), side});
  return ports;
}

MeshParams mesh_params_with_io(const config::WaferSpec& spec) {
  MeshParams params = mesh_params(spec);
  params.io = io_ports(spec);
  params.io_bytes_per_s = spec.io.bandwidth_bytes_per_s;
  params.io_latency_ps = spec.io.latency_ps;
  return params;
}

FabricTraits fabric_traits(const MeshParams& mesh) {
  FabricTraits traits;
  traits.topology = std::make_shared<MeshTopology>(mesh);
  traits.format = mesh.format;
  return traits;
}

TimePs MeshKind::horizon_ps(const config::WaferSpec& spec) const {
  return wafertlm::horizon_ps(mesh_params(spec));
}

std::unique_ptr<Fabric> MeshKind::make(const config::WaferSpec& spec, bool with_io,
                                       const FabricSurroundings& in) const {
  return std::make_unique<MeshFabric>("mesh", with_io ? mesh_params_with_io(spec) : mesh_params(spec),
                                      in.classes, in.scheduler, in.checkers, in.reverse);
}

FabricTraits MeshKind::traits(const config::WaferSpec& spec) const {
  return fabric_traits(mesh_params_with_io(spec));
}

PlacementGrid MeshKind::grid(const config::WaferSpec& spec) const { return {spec.width, spec.height}; }

std::string MeshKind::describe(const config::WaferSpec& spec) const {
  const MeshParams mesh = mesh_params(spec);
  const TimePs round_trip = mesh.link_latency_ps + mesh.router_pipeline_ps + mesh.credit_delay_ps;
  return fmt::format("wafer     {} x {} mesh, {} NPUs\n", mesh.width, mesh.height, spec.npu_count()) +
         fmt::format("links     {}, latency {}, router {}, credit {}\n",
                     format_bandwidth(static_cast<double>(mesh.link_bytes_per_s)),
                     format_time(mesh.link_latency_ps), format_time(mesh.router_pipeline_ps),
                     format_time(mesh.credit_delay_ps)) +
         fmt::format("buffers   {} per input and virtual channel ({})\n",
                     format_bytes(mesh.buffer_bytes
                                      ? mesh.buffer_bytes
                                      : auto_buffer_bytes(mesh.link_bytes_per_s, round_trip, mesh.format)),
                     mesh.buffer_bytes ? "given" : "auto");
}

}  // namespace wafertlm
