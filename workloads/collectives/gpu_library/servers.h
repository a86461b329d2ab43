// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/collectives/algorithm/tree.h"

namespace wafertlm {

struct FabricTraits;

/// A group as a library of GPUs sees it: servers of equally many GPUs, joined inside by dimension 0 of a
/// fabric of dimensions, or the servers of an Ethernet, with a network interface each.
struct Servers {
  std::uint32_t servers = 0, gpus = 0;    ///< GPUs of each
  std::vector<std::uint32_t> at;          ///< rank of a server's GPU: server · gpus + its place
  std::vector<std::uint32_t> place_of;    ///< … of a rank: the same the other way
  std::uint64_t server_bytes_per_s = 0;   ///< of a GPU inside, each direction
  std::uint64_t network_bytes_per_s = 0;  ///< of a GPU between servers; 0: there is one server
  std::uint64_t flow_bytes_per_s = 0;     ///< of the server's switch for what it reduces; 0: it does not

  std::uint32_t ranks() const { return servers * gpus; }
  /// Of a binary tree over the servers, below its root.
  std::uint32_t levels() const;
  std::uint32_t rank(std::uint32_t server, std::uint32_t place) const { return at[server * gpus + place]; }
  std::uint32_t server_of(std::uint32_t rank) const { return place_of[rank] / gpus; }
  std::uint32_t gpu_of(std::uint32_t rank) const { return place_of[rank] % gpus; }
};

/// Two binary trees over the servers (double_binary_trees); of one server each is that alone.
std::vector<Tree> server_trees(const Servers& servers);

/// None: there are no servers, dimension 0 is no switch that all its NPUs share or full connection, or
/// servers have unequal parts of the group.
std::optional<Servers> servers_of(const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
