// SPDX-License-Identifier: Apache-2.0
#include "platform/system/wafer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

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
    for (std::uint32_t npu = 0; npu < spec.npu_count(); ++npu)
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

ClassTable class_table(const config::FabricSpec& spec) {
  std::vector<TrafficClass> classes;
  for (const config::TrafficClassSpec& entry : spec.classes)
    classes.push_back({entry.name, static_cast<std::uint32_t>(entry.vc), entry.vcs, entry.priority});
  return ClassTable(std::move(classes), spec.virtual_channels);
}

Wafer::Wafer(const config::PlatformSpec& spec, bool reverse, bool with_io)
    : spec_(spec),
      classes(class_table(spec.wafer.fabric)),
      scheduler("scheduler", horizon_ps(mesh_params(spec.wafer))),
      mesh("mesh", with_io ? mesh_params_with_io(spec.wafer) : mesh_params(spec.wafer), classes, scheduler,
           checkers(), reverse) {}

void Wafer::require_rest() {
  std::string problem;
  if (mesh.queued_packets() != 0)
    problem += std::to_string(mesh.queued_packets()) + " packets wait in routers; ";
  if (mesh.outstanding_credits() != 0)
    problem += std::to_string(mesh.outstanding_credits()) + " B of credits are not home; ";
  if (packets.in_use() != 0) problem += std::to_string(packets.in_use()) + " packets were not delivered; ";
  if (messages.in_use() != 0) problem += std::to_string(messages.in_use()) + " messages were not taken in; ";
  if (!problem.empty()) throw std::logic_error("the fabric is not at rest after the run: " + problem);
  checkers_.finish();
}

}  // namespace wafertlm
