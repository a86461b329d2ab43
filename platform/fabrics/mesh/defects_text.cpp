// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/defects_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "models/mesh/mesh_topology.h"
#include "platform/spec/connected_parts.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

/// Bytes of the busiest link when every NPU sends one to every other.
std::uint64_t busiest(const MeshTopology& mesh, const Group& npus) {
  const std::unique_ptr<LinkLoads> loads = mesh.link_loads();
  loads->add_all_pairs(npus, 1);
  return loads->busiest_bytes();
}

std::string detours(const MeshTopology& mesh, const Group& npus, const MeshParams& params) {
  RouteLengths lengths;
  for (const NpuId from : npus)
    for (const NpuId to : npus)
      if (from != to)
        lengths.add(mesh.hops(from, to), mesh.geometry().hops(from, to), !mesh.detours()->is_xy(from, to));
  if (lengths.pairs == 0) return "";
  MeshParams whole = params;
  whole.failed_links.clear();
  whole.failed_ways.clear();
  whole.failed_routers.clear();
  const MeshTopology without(whole);
  return fmt::format("detours   {}; all to all, the busiest link carries {:.2f} times what it would\n",
                     lengths.text("X-Y"),
                     static_cast<double>(busiest(mesh, npus)) / static_cast<double>(busiest(without, npus)));
}

}  // namespace

std::string describe_defects(const MeshParams& params) {
  if (!params.has_holes() && params.failed_npus.empty()) return "";
  const MeshTopology mesh(params);
  const std::vector<Group> parts = connected_parts(
      mesh.npus(), params.idle_npus(),
      [&](NpuId from, NpuId to) { return !mesh.detours() || mesh.detours()->reaches(from, to); });
  std::string text = fmt::format("defects   {} NPUs, {} routers, {} links; {} of {} NPUs take part\n",
                                 params.failed_npus.size(), params.failed_routers.size(),
                                 params.failed_links.size() + params.failed_ways.size(),
                                 parts.empty() ? 0 : parts.front().size(), mesh.npus());
  text += describe_cut_off(parts);
  if (mesh.detours() && !parts.empty()) text += detours(mesh, parts.front(), params);
  return text;
}

}  // namespace wafertlm
