// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/gpu_library/servers.h"

#include <map>
#include <numeric>
#include <tuple>

#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

namespace {

/// A server of the fabric.
struct Server {
  std::uint32_t npus = 0;  ///< consecutive ones
  std::uint64_t bytes_per_s = 0, flow_bytes_per_s = 0;
};

std::optional<Server> server_of(const Topology& topology, const Group& group) {
  const Dimensions& dimensions = topology.dimensions();
  if (dimensions.count() == 0) {
    const std::uint32_t npus = topology.server_npus();
    if (npus == 0) return std::nullopt;
    const std::uint32_t first = static_cast<std::uint32_t>(group.front()) / npus * npus;
    return Server{npus, topology.path_bytes_per_s(NpuId{first}, NpuId{first + 1}), 0};
  }
  const FabricDimension& inside = dimensions[0];
  if (inside.kind != FabricDimension::Kind::switched && inside.kind != FabricDimension::Kind::fully_connected)
    return std::nullopt;
  return Server{inside.size, inside.bytes_per_s * inside.links(), inside.flow_bytes_per_s};
}

}  // namespace

std::uint32_t Servers::levels() const {
  std::uint32_t levels = 0;
  for (std::uint32_t s = servers; s > 1; s = (s + 1) / 2) ++levels;
  return levels;
}

std::vector<Tree> server_trees(const Servers& servers) {
  std::vector<std::uint32_t> order(servers.servers);
  std::iota(order.begin(), order.end(), 0U);
  return double_binary_trees(order);
}

std::optional<Servers> servers_of(const Group& group, const FabricTraits& fabric) {
  const std::optional<Server> inside = server_of(*fabric.topology, group);
  if (!inside || inside->npus < 2) return std::nullopt;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> members;  // ranks by server and place
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const auto npu = static_cast<std::uint32_t>(group[rank]);
    members[npu / inside->npus].emplace(npu % inside->npus, rank);
  }
  Servers found;
  found.servers = static_cast<std::uint32_t>(members.size());
  found.gpus = static_cast<std::uint32_t>(members.begin()->second.size());
  found.place_of.resize(group.size());
  const auto& first = members.begin()->second;
  for (const auto& [server, ranks] : members) {
    if (ranks.size() != first.size()) return std::nullopt;
    auto like = first.begin();
    for (const auto& [place, rank] : ranks) {
      if (place != like++->first) return std::nullopt;  // rails join equal places
      found.place_of[rank] = static_cast<std::uint32_t>(found.at.size());
      found.at.push_back(rank);
    }
  }
  found.server_bytes_per_s = inside->bytes_per_s;
  found.flow_bytes_per_s = inside->flow_bytes_per_s;
  if (found.servers > 1)
    found.network_bytes_per_s =
        fabric.topology->path_bytes_per_s(group[found.rank(0, 0)], group[found.rank(1, 0)]);
  return found;
}

}  // namespace wafertlm
