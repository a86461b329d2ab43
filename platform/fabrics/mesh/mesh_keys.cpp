// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "models/mesh/mesh_geometry.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/fabrics/mesh/mesh_wafers.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {
namespace {

using config::Check;
using config::WaferSpec;

void check_npu(const WaferSpec& wafer, const NpuId& npu, const std::vector<const void*>& culprits,
               const Check& check) {
  const std::size_t npus = std::size_t{wafer.width} * wafer.height;
  if (index_of(npu) < npus) return;
  std::vector<const void*> all = culprits;
  all.insert(all.end(), {&wafer.width, &wafer.height});
  check.fail(all, "there is no NPU {}; the {}x{} wafer has NPUs 0 to {}", index_of(npu), wafer.width,
             wafer.height, npus - 1);
}

/// Their tables take the square of it in bytes.
constexpr std::uint32_t kMostRoutersWithHoles = 20'000;

void check_failures(const WaferSpec& wafer, const Check& check) {
  const auto& mesh = wafer.fabric.as<MeshParams>();
  const MeshGeometry geometry(wafer.width, wafer.height);
  if (const MeshParams all = mesh_params(wafer.fabric); all.has_detours()) {
    const std::vector<const void*> holes{&mesh.failed_links, &mesh.failed_routers,
                                         &wafer.fabric.defects.routers, &wafer.fabric.defects.links};
    const auto forbid = [&](bool is_used, const void* key, const std::string& why) {
      std::vector<const void*> culprits = holes;
      culprits.push_back(key);
      if (is_used) check.fail(culprits, "{}; leave one of them out", why);
    };
    forbid(wafer.npu_count() > kMostRoutersWithHoles, &wafer.width,
           fmt::format("routes around failed parts are known of up to {} routers", kMostRoutersWithHoles));
    const std::uint32_t channels =
        wafer.fabric.virtual_channels +
        (wafer.fabric.is_reliable() && wafer.fabric.reliability.channel == config::AnswerChannel::own ? 1
                                                                                                      : 0);
    forbid(2 * channels > kMaxVcs, &wafer.fabric.virtual_channels,
           fmt::format("detours around failed parts need as many channels again, so at most {} are possible",
                       kMaxVcs / 2));
  }
  std::set<std::pair<NpuId, NpuId>> links;
  const auto require_link = [&](NpuId from, NpuId to, const std::string& name, const void* link) {
    check_npu(wafer, from, {link}, check);
    check_npu(wafer, to, {link}, check);
    if (geometry.hops(from, to) != 1)
      check.fail({link, &wafer.width, &wafer.height},
                 "{} is no link: these NPUs are not neighbours on the {}x{} mesh", name, wafer.width,
                 wafer.height);
  };
  for (const auto& link : mesh.failed_links) {
    const std::string name = fmt::format("[{}, {}]", index_of(link.first), index_of(link.second));
    require_link(link.first, link.second, name, &link);
    if (!links.insert(std::minmax(link.first, link.second)).second)
      check.fail({&link}, "the link {} is listed twice", name);
  }
  const auto require_name = [&](const config::LinkName& link) {
    const auto ends = link.npus();
    if (!ends) check.fail({&link}, "'{}' is no link of a mesh; expected one such as 5-6", link.text());
    require_link(ends->first, ends->second, link.text(), &link);
  };
  for (const config::LinkName& link : wafer.fabric.defects.links) require_name(link);
  for (const config::SlowLink& slow : wafer.fabric.defects.slow_links) require_name(slow.link);
  if (wafer.fabric.format.by_flit && !wafer.fabric.defects.slow_links.empty())
    check.fail(
        {&wafer.fabric.defects.slow_links, &wafer.fabric.format.by_flit},
        "a wormhole router's cycle is that of all its links: switching: cut_through, or no slow_links");
  std::set<NpuId> routers;
  for (const NpuId& router : mesh.failed_routers) {
    check_npu(wafer, router, {&router}, check);
    if (!routers.insert(router).second)
      check.fail({&router}, "the router {} is listed twice", index_of(router));
  }
}

void check_mesh_grid(const WaferSpec& wafer, const Check& check) {
  if (wafer.width == 0) check.fail({&wafer.width}, "missing required key 'width' in wafer: NPUs in a row");
  if (wafer.height == 0)
    check.fail({&wafer.height}, "missing required key 'height' in wafer: NPUs in a column");
  check_failures(wafer, check);
}

void check_mesh_io(const WaferSpec& wafer, const Check& check) {
  if (wafer.io.controllers.placement == config::IoPlacement::spread)
    check.fail({&wafer.io.controllers, &wafer.fabric.kind},
               "a number of controllers goes with 'wafer.fabric.kind: fred'; on a mesh give 'perimeter' or a "
               "list of places such as {npu: 0, side: west}");
  const MeshGeometry geometry(wafer.width, wafer.height);
  std::set<std::pair<NpuId, Side>> places;
  for (const IoPort& port : wafer.io.controllers.list) {
    const auto side = config::side_type()->write(port.side).text;
    check_npu(wafer, port.npu, {&port.npu}, check);
    if (!geometry.is_edge(port))
      check.fail({&port.side, &port.npu, &wafer.width, &wafer.height},
                 "NPU {} has a neighbour on its {} side; an I/O controller needs a side on the edge of the "
                 "{}x{} wafer",
                 index_of(port.npu), side, wafer.width, wafer.height);
    if (!places.insert({port.npu, port.side}).second)
      check.fail({&port.npu, &port.side}, "there is already a controller on the {} side of NPU {}", side,
                 index_of(port.npu));
  }
}

}  // namespace

void MeshKind::add_keys(config::Struct<config::FabricSpec>& fabric) const {
  using namespace config;
  const auto npu = integer<NpuId>(0, 65'535);
  fabric
      .required("link_bandwidth", parameter(&MeshParams::link_bytes_per_s), any_bandwidth(),
                "Bandwidth of a link between two routers, per direction")
      .optional("vertical_link_bandwidth", parameter(&MeshParams::vertical_link_bytes_per_s),
                or_none<std::uint64_t>(any_bandwidth(), 0),
                "Of links to the north and south, where these are not as fast as those to the east and west")
      .optional("router_pipeline", parameter(&MeshParams::router_pipeline_ps), any_time(),
                "Time from the input of a router to its output, without waiting")
      .optional("injection_bandwidth", parameter(&MeshParams::injection_bytes_per_s), any_bandwidth(),
                "From an NPU to its router")
      .optional("injection_latency", parameter(&MeshParams::injection_latency_ps), any_time(),
                "From an NPU to its router")
      .optional("ejection_bandwidth", parameter(&MeshParams::ejection_bytes_per_s), any_bandwidth(),
                "From a router to its NPU")
      .optional("ejection_latency", parameter(&MeshParams::ejection_latency_ps), any_time(),
                "From a router to its NPU")
      .optional(
          "switching", [](auto& spec) -> auto& { return spec.format.by_flit; },
          choice<bool>({{"cut_through", false}, {"wormhole", true}}),
          "Packets in one piece, or flit by flit with a channel per packet and hop as in a network-on-chip "
          "router (needs flit_bytes)")
      .optional("internal_speedup", parameter(&MeshParams::internal_speedup), integer<std::uint32_t>(1, 16),
                "Of wormhole routers: cycles of allocation and crossbar in one of the links'")
      .optional("head_pipeline", parameter(&MeshParams::head_pipeline_ps), auto_or(any_time()),
                "Of wormhole routers: the part of router_pipeline that only heads take, routing and channel "
                "allocation, when the packet before has left the channel; auto: two router cycles, at most "
                "router_pipeline")
      .optional("failed_links", parameter(&MeshParams::failed_links), list_of(pair_of(npu), 0, 131'072),
                "Links that do not work in either direction, as pairs of neighbouring NPUs")
      .optional("failed_routers", parameter(&MeshParams::failed_routers), list_of(npu, 0, 65'536),
                "NPUs whose router does not work");
}

void MeshKind::check(const config::FabricSpec& fabric, const config::Check& check) const {
  const auto& mesh = fabric.as<MeshParams>();
  // Two modules that answer each other within no time would make the result depend on who is evaluated first.
  if (fabric.link_latency_ps + mesh.router_pipeline_ps == 0)
    check.fail({&fabric.link_latency_ps, &mesh.router_pipeline_ps},
               "a hop takes no time; {} and {} must add up to at least 1 ps",
               check.path(&fabric.link_latency_ps), check.path(&mesh.router_pipeline_ps));
  const WireFormat& format = fabric.format;
  if (format.by_flit && format.flit_bytes <= format.header_bytes)
    check.fail({&format.by_flit, &format.flit_bytes, &format.header_bytes},
               "wormhole switching needs {} larger than {}, which the first flit holds",
               check.path(&format.flit_bytes), check.path(&format.header_bytes));
  if (!format.by_flit && mesh.internal_speedup != 1)
    check.fail({&mesh.internal_speedup, &format.by_flit},
               "a switch of cut_through has no speedup: switching: wormhole, or 1");
  if (!format.by_flit && mesh.head_pipeline_ps)
    check.fail({&mesh.head_pipeline_ps, &format.by_flit},
               "with cut_through there are no flits behind a head: switching: wormhole, or remove it");
  if (format.by_flit && mesh.vertical_link_bytes_per_s != 0)
    check.fail({&mesh.vertical_link_bytes_per_s, &format.by_flit},
               "a wormhole router's cycle is that of all its links: switching: cut_through, or remove it");
  if (mesh.head_pipeline_ps.value_or(0) > mesh.router_pipeline_ps)
    check.fail({&mesh.head_pipeline_ps, &mesh.router_pipeline_ps}, "is part of {} and must not be longer",
               check.path(&mesh.router_pipeline_ps));
}

void MeshKind::check_wafer(const config::WaferSpec& wafer, const config::Check& check) const {
  check_mesh_grid(wafer, check);
  check_mesh_io(wafer, check);
  config::check_dead_io(wafer.fabric.defects, all_io_ports(wafer).size(), check);
  if (wafer.outer) check_several_meshes(wafer, check);
}

}  // namespace wafertlm
