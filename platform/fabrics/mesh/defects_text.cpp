// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/mesh/defects_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "models/mesh/mesh_topology.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Groups = std::vector<Group>;

/// NPUs that work, by the part of the mesh whose routers reach each other; the largest first.
Groups parts_of(const MeshTopology& mesh, const std::vector<NpuId>& idle) {
  std::vector<bool> is_placed(mesh.npus());
  for (const NpuId npu : idle) is_placed[index_of(npu)] = true;
  Groups parts;
  for (std::uint32_t n = 0; n < mesh.npus(); ++n) {
    if (is_placed[n]) continue;
    const auto first = static_cast<NpuId>(n);
    parts.emplace_back();
    for (std::uint32_t m = n; m < mesh.npus(); ++m) {
      const auto other = static_cast<NpuId>(m);
      if (is_placed[m] || (mesh.detours() &&
                           !(mesh.detours()->reaches(first, other) && mesh.detours()->reaches(other, first))))
        continue;
      is_placed[m] = true;
      parts.back().push_back(other);
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Group& a, const Group& b) { return a.size() > b.size(); });
  return parts;
}

std::string cut_off(const Groups& parts) {
  std::string text;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    text += fmt::format("cut off   NPU{}", parts[k].size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min<std::size_t>(parts[k].size(), 8); ++i)
      text += fmt::format("{}{}", i == 0 ? " " : ", ", index_of(parts[k][i]));
    if (parts[k].size() > 8) text += fmt::format(" and {} more", parts[k].size() - 8);
    text += ": no links that work lead to the others and back\n";
  }
  return text;
}

/// Bytes of the busiest link when every NPU sends one to every other.
std::uint64_t busiest(const MeshTopology& mesh, const Group& npus) {
  const std::unique_ptr<LinkLoads> loads = mesh.link_loads();
  loads->add_all_pairs(npus, 1);
  return loads->busiest_bytes();
}

std::string detours(const MeshTopology& mesh, const Group& npus, const MeshParams& params) {
  std::uint64_t pairs = 0, around = 0, hops = 0, shortest = 0;
  double longest = 1;
  for (const NpuId from : npus)
    for (const NpuId to : npus) {
      if (from == to) continue;
      const std::uint32_t xy = mesh.geometry().hops(from, to), taken = mesh.hops(from, to);
      ++pairs;
      around += mesh.detours()->is_xy(from, to) ? 0 : 1;
      hops += taken;
      shortest += xy;
      longest = std::max(longest, static_cast<double>(taken) / xy);
    }
  if (pairs == 0) return "";
  MeshParams whole = params;
  whole.failed_links.clear();
  whole.failed_ways.clear();
  whole.failed_routers.clear();
  const MeshTopology without(whole);
  return fmt::format(
      "detours   {} of {} pairs; routes are {:.2f} times as long as X-Y, one {:.1f} times; all to all, the "
      "busiest link carries {:.2f} times what it would\n",
      around, pairs, static_cast<double>(hops) / static_cast<double>(shortest), longest,
      static_cast<double>(busiest(mesh, npus)) / static_cast<double>(busiest(without, npus)));
}

}  // namespace

std::string describe_defects(const MeshParams& params) {
  if (!params.has_holes() && params.failed_npus.empty()) return "";
  const MeshTopology mesh(params);
  const Groups parts = parts_of(mesh, params.idle_npus());
  std::string text = fmt::format("defects   {} NPUs, {} routers, {} links; {} of {} NPUs take part\n",
                                 params.failed_npus.size(), params.failed_routers.size(),
                                 params.failed_links.size() + params.failed_ways.size(),
                                 parts.empty() ? 0 : parts.front().size(), mesh.npus());
  text += cut_off(parts);
  if (mesh.detours() && !parts.empty()) text += detours(mesh, parts.front(), params);
  return text;
}

}  // namespace wafertlm
