// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/gpu_library/servers.h"

#include <map>
#include <tuple>

#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

std::optional<Servers> servers_of(const Group& group, const FabricTraits& fabric) {
  const Dimensions& dimensions = fabric.topology->dimensions();
  if (dimensions.count() == 0) return std::nullopt;
  const FabricDimension& inside = dimensions[0];
  if (inside.kind != FabricDimension::Kind::switched && inside.kind != FabricDimension::Kind::fully_connected)
    return std::nullopt;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> members;  // ranks by server and coordinate
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    members[static_cast<std::uint32_t>(group[rank]) / inside.size].emplace(
        dimensions.coordinate(group[rank], 0), rank);
  Servers found;
  found.servers = static_cast<std::uint32_t>(members.size());
  found.gpus = static_cast<std::uint32_t>(members.begin()->second.size());
  found.place_of.resize(group.size());
  const auto& first = members.begin()->second;
  for (const auto& [server, ranks] : members) {
    if (ranks.size() != first.size()) return std::nullopt;
    auto like = first.begin();
    for (const auto& [coordinate, rank] : ranks) {
      if (coordinate != like++->first) return std::nullopt;  // rails join equal places
      found.place_of[rank] = static_cast<std::uint32_t>(found.at.size());
      found.at.push_back(rank);
    }
  }
  found.server_bytes_per_s = inside.bytes_per_s * inside.links();
  found.flow_bytes_per_s = inside.flow_bytes_per_s;
  if (found.servers > 1) {
    found.network_bytes_per_s =
        fabric.topology->path_bytes_per_s(group[found.rank(0, 0)], group[found.rank(1, 0)]);
  }
  return found;
}

}  // namespace wafertlm
