// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/mesh_kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/mesh/mesh_fabric.h"
#include "models/mesh/mesh_geometry.h"
#include "models/mesh/mesh_topology.h"
#include "platform/fabrics/mesh/defects_text.h"
#include "platform/fabrics/mesh/mesh_wafers.h"
#include "platform/spec/traffic/channel_load.h"
#include "platform/spec/traffic/traffic_model.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

/// Links that an NPU's port can keep busy, the last one perhaps in part.
std::uint32_t streams_of(std::uint64_t port_bytes_per_s, const MeshParams& mesh) {
  constexpr std::uint64_t kSides = 4;
  return static_cast<std::uint32_t>(
      std::min(kSides, (port_bytes_per_s - 1) / mesh.slowest_bytes_per_s() + 1));
}

}  // namespace

MeshParams mesh_params(const config::FabricSpec& fabric) {
  auto mesh = fabric.complete<MeshParams>();
  const config::DefectsSpec defects = fabric.defects.complete();
  mesh.failed_npus = defects.npus;
  mesh.failed_routers.insert(mesh.failed_routers.end(), defects.routers.begin(), defects.routers.end());
  // What names no NPUs is refused by check_wafer().
  for (const config::LinkName& link : defects.links)
    if (const auto ends = link.npus()) (link.one_way ? mesh.failed_ways : mesh.failed_links).push_back(*ends);
  for (const auto& [link, speed_percent] : defects.slow_links) {
    const auto ends = link.npus();
    if (!ends) continue;
    mesh.slow_ways.push_back({ends->first, ends->second, speed_percent});
    if (!link.one_way) mesh.slow_ways.push_back({ends->second, ends->first, speed_percent});
  }
  return mesh;
}

MeshParams mesh_params(const config::WaferSpec& wafer) {
  MeshParams mesh = mesh_params(wafer.fabric);
  mesh.width = wafer.width;
  mesh.height = wafer.height;
  mesh.injection_streams = streams_of(mesh.injection_bytes_per_s, mesh);
  mesh.ejection_streams = streams_of(mesh.ejection_bytes_per_s, mesh);
  return mesh;
}

std::vector<IoPort> all_io_ports(const config::WaferSpec& wafer) {
  const config::IoControllersSpec& controllers = wafer.io.controllers;
  std::vector<IoPort> ports = controllers.list;
  if (controllers.placement != config::IoPlacement::perimeter) return ports;
  const MeshGeometry geometry(wafer.width, wafer.height);
  for (std::uint32_t n = 0; n < geometry.npus(); ++n)
    for (const Side side : kAllSides)
      if (const IoPort port{static_cast<NpuId>(n), side}; geometry.is_edge(port)) ports.push_back(port);
  return ports;
}

std::vector<IoPort> io_ports(const config::WaferSpec& wafer) {
  const std::vector<NpuId> dead = mesh_params(wafer.fabric).failed_routers;
  const std::vector<IoPort> all = all_io_ports(wafer);
  const std::vector<std::uint32_t>& gone = wafer.fabric.defects.io;
  const auto has = [](const auto& list, const auto& each) {
    return std::find(list.begin(), list.end(), each) != list.end();
  };
  std::vector<IoPort> ports;
  for (std::uint32_t k = 0; k < all.size(); ++k)
    if (!has(dead, all[k].npu) && !has(gone, k)) ports.push_back(all[k]);
  return ports;
}

MeshParams mesh_params_with_io(const config::WaferSpec& wafer) {
  MeshParams mesh = mesh_params(wafer);
  mesh.io = io_ports(wafer);
  mesh.io_bytes_per_s = wafer.io.bandwidth_bytes_per_s;
  mesh.io_latency_ps = wafer.io.latency_ps;
  return mesh;
}

FabricTraits fabric_traits(const MeshParams& mesh) {
  FabricTraits traits;
  traits.topology = std::make_shared<MeshTopology>(mesh);
  traits.format = mesh.format;
  return traits;
}

std::any MeshKind::default_params() const {
  MeshParams mesh;
  mesh.detours = std::make_shared<DetourCache>();
  return mesh;
}

void MeshKind::prepare_detours(config::WaferSpec& wafer, const std::vector<std::string>& ways) const {
  const MeshGeometry geometry(wafer.width, wafer.height);
  for (std::uint32_t n = 0; n < geometry.npus(); ++n)
    for (const Side side : kAllSides) {
      const auto from = static_cast<NpuId>(n);
      if (!geometry.has_neighbor(from, direction_of(side))) continue;
      const NpuId to = geometry.neighbor(from, direction_of(side));
      const std::string name = fmt::format("router{}->router{}", n, index_of(to));
      if (std::find(ways.begin(), ways.end(), name) != ways.end())
        wafer.fabric.as<MeshParams>().dying_ways.emplace_back(from, to);
    }
}

std::string MeshKind::wafer_name(const config::WaferSpec& wafer) const {
  return fmt::format("{}x{} wafer", wafer.width, wafer.height);
}

/// A round trip and two packets.
TimePs MeshKind::horizon_ps(const config::WaferSpec& wafer) const {
  const MeshParams mesh = mesh_params(wafer);
  return 2 * (mesh.link_latency_ps + mesh.router_pipeline_ps + mesh.credit_delay_ps +
              transfer_time_ps(mesh.format.full_wire_bytes(), mesh.slowest_bytes_per_s()));
}

std::unique_ptr<Fabric> MeshKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  return std::make_unique<MeshFabric>("mesh", in.with_io ? mesh_params_with_io(wafer) : mesh_params(wafer),
                                      in.classes, in.scheduler, in.checkers, in.reverse);
}

FabricTraits MeshKind::traits(const config::WaferSpec& wafer) const {
  return fabric_traits(mesh_params_with_io(wafer));
}

FabricLinkRate MeshKind::fastest_link(const config::WaferSpec& wafer) const {
  const auto& mesh = wafer.fabric.as<MeshParams>();
  return {mesh.fastest_bytes_per_s(), mesh.router_pipeline_ps};
}

traffic::TrafficModel MeshKind::traffic(const config::WaferSpec& wafer) const {
  const MeshParams mesh = mesh_params(wafer);
  return {{mesh.width, mesh.height},
          mesh.link_bytes_per_s,
          fmt::format("{}x{} mesh", mesh.width, mesh.height),
          [mesh](const traffic::Pattern& pattern) { return traffic::channel_loads(mesh, pattern); }};
}

std::string MeshKind::describe(const config::WaferSpec& wafer) const {
  const MeshParams mesh = mesh_params(wafer);
  const TimePs round_trip = mesh.link_latency_ps + mesh.router_pipeline_ps + mesh.credit_delay_ps;
  return fmt::format("wafer     {} x {} mesh, {} NPUs\n", mesh.width, mesh.height, npus(wafer)) +
         fmt::format("links     {}{}, latency {}, router {}, credit {}\n",
                     format_bandwidth(static_cast<double>(mesh.link_bytes_per_s)),
                     mesh.vertical_link_bytes_per_s == 0
                         ? ""
                         : ", north and south " +
                               format_bandwidth(static_cast<double>(mesh.vertical_link_bytes_per_s)),
                     format_time(mesh.link_latency_ps), format_time(mesh.router_pipeline_ps),
                     format_time(mesh.credit_delay_ps)) +
         fmt::format("buffers   {} per input and virtual channel ({})\n",
                     format_bytes(mesh.buffer_bytes
                                      ? mesh.buffer_bytes
                                      : auto_buffer_bytes(mesh.link_bytes_per_s, round_trip, mesh.format)),
                     mesh.buffer_bytes ? "given" : "auto") +
         describe_defects(mesh) + wafer.fabric.defects.describe_slow();
}

const FabricKind& MeshKind::of_several_wafers() const { return several_meshes(); }

WaferDrawing MeshKind::drawing(const config::WaferSpec& wafer) const {
  const MeshParams mesh = mesh_params(wafer);
  WaferDrawing drawing{"mesh", wafer.width, wafer.height};
  const auto router = [](NpuId at) { return "router" + std::to_string(index_of(at)); };
  for (const NpuId at : mesh.failed_routers) drawing.dead.push_back(router(at));
  for (const NpuId npu : mesh.idle_npus()) drawing.dead.push_back("npu" + std::to_string(index_of(npu)));
  const auto add_link = [&](NpuId from, NpuId to) {
    drawing.dead.push_back(router(from) + "->" + router(to));
  };
  for (const auto& [from, to] : mesh.failed_ways) add_link(from, to);
  for (const auto& [a, b] : mesh.failed_links) {
    add_link(a, b);
    add_link(b, a);
  }
  return drawing;
}

}  // namespace wafertlm
