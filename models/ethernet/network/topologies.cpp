// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/topologies.h"

#include <stdexcept>

namespace wafertlm::ethernet {
namespace {

/// Adds switches, and to each the next hosts.
std::vector<std::uint32_t> add_leaves(Network& network, const std::string& name, std::uint32_t count,
                                      std::uint32_t hosts_each, const CableParams& cables,
                                      std::uint32_t first_host = 0) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t i = 0; i < count; ++i) {
    leaves.push_back(network.add_switch(name + std::to_string(i)));
    for (std::uint32_t k = 0; k < hosts_each; ++k)
      network.add_cable(first_host + i * hosts_each + k, leaves.back(), cables.host_bytes_per_s,
                        cables.host_latency_ps);
  }
  return leaves;
}

void join(Network& network, std::uint32_t a, std::uint32_t b, const CableParams& cables) {
  network.add_cable(a, b, cables.switch_bytes_per_s, cables.switch_latency_ps);
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

Network star(std::uint32_t hosts, const CableParams& cables) {
  require(hosts >= 2, "a star needs two hosts or more");
  Network network;
  network.add_hosts(hosts);
  add_leaves(network, "switch", 1, hosts, cables);
  network.find_routes();
  return network;
}

Network leaf_spine(std::uint32_t leaves, std::uint32_t hosts_per_leaf, std::uint32_t spines,
                   const CableParams& cables) {
  require(leaves >= 1 && hosts_per_leaf >= 1 && (spines >= 1 || leaves == 1),
          "a leaf-spine network needs leaves, hosts on each and spines between them");
  Network network;
  network.add_hosts(leaves * hosts_per_leaf);
  const auto below = add_leaves(network, "leaf", leaves, hosts_per_leaf, cables);
  for (std::uint32_t i = 0; i < spines; ++i) {
    const std::uint32_t spine = network.add_switch("spine" + std::to_string(i));
    for (const std::uint32_t leaf : below) join(network, leaf, spine, cables);
  }
  network.find_routes();
  return network;
}

Network fat_tree(std::uint32_t ports, std::uint32_t oversubscription, const CableParams& cables) {
  require(ports >= 2 && ports % 2 == 0, "a fat tree needs switches with an even number of ports");
  require(oversubscription >= 1, "a fat tree is oversubscribed by 1 or more");
  const std::uint32_t half = ports / 2, hosts_per_edge = half * oversubscription;
  Network network;
  network.add_hosts(ports * half * hosts_per_edge);
  const auto edges = add_leaves(network, "edge", ports * half, hosts_per_edge, cables);
  std::vector<std::uint32_t> above;
  for (std::uint32_t i = 0; i < ports * half; ++i) {
    above.push_back(network.add_switch("aggregation" + std::to_string(i)));
    for (std::uint32_t k = 0; k < half; ++k) join(network, edges[i / half * half + k], above.back(), cables);
  }
  for (std::uint32_t i = 0; i < half * half; ++i) {
    const std::uint32_t core = network.add_switch("core" + std::to_string(i));
    for (std::uint32_t pod = 0; pod < ports; ++pod) join(network, above[pod * half + i / half], core, cables);
  }
  network.find_routes();
  return network;
}

Network rail_optimised(std::uint32_t nodes, std::uint32_t rails, std::uint32_t spines,
                       const CableParams& cables) {
  require(nodes >= 1 && rails >= 1, "a rail-optimised network needs nodes and rails");
  Network network;
  network.add_hosts(nodes * rails);
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t rail = 0; rail < rails; ++rail) {
    leaves.push_back(network.add_switch("rail" + std::to_string(rail)));
    for (std::uint32_t node = 0; node < nodes; ++node)
      network.add_cable(node * rails + rail, leaves.back(), cables.host_bytes_per_s, cables.host_latency_ps);
  }
  for (std::uint32_t i = 0; i < spines; ++i) {
    const std::uint32_t spine = network.add_switch("spine" + std::to_string(i));
    for (const std::uint32_t leaf : leaves) join(network, leaf, spine, cables);
  }
  network.find_routes();
  return network;
}

Network dragonfly(std::uint32_t groups, std::uint32_t routers, std::uint32_t hosts, std::uint32_t global,
                  const CableParams& cables) {
  require(groups >= 1 && routers >= 1 && hosts >= 1, "a dragonfly needs groups, routers and hosts");
  require(groups <= routers * global + 1,
          "a dragonfly has at most routers x global cables + 1 groups, else two groups are not joined");
  Network network;
  network.add_hosts(groups * routers * hosts);
  const auto all = add_leaves(network, "router", groups * routers, hosts, cables);
  for (std::uint32_t group = 0; group < groups; ++group)
    for (std::uint32_t a = 0; a < routers; ++a)
      for (std::uint32_t b = a + 1; b < routers; ++b)
        join(network, all[group * routers + a], all[group * routers + b], cables);
  // Global cable j of a group leads to group j, or j + 1 behind its own; router j / global has it.
  for (std::uint32_t a = 0; a < groups; ++a)
    for (std::uint32_t b = a + 1; b < groups; ++b)
      join(network, all[a * routers + (b - 1) / global], all[b * routers + a / global], cables);
  network.find_routes();
  return network;
}

Network bigraph(std::uint32_t row, std::uint32_t hosts_per_switch, const CableParams& cables) {
  require(row >= 1 && hosts_per_switch >= 1, "a bigraph needs switches in each row, and hosts");
  Network network;
  network.add_hosts(2 * row * hosts_per_switch);
  const auto upper = add_leaves(network, "upper", row, hosts_per_switch, cables);
  const auto lower = add_leaves(network, "lower", row, hosts_per_switch, cables, row * hosts_per_switch);
  for (const std::uint32_t a : upper)
    for (const std::uint32_t b : lower) join(network, a, b, cables);
  network.find_routes();
  return network;
}

std::vector<std::uint32_t> hdrm_hosts(std::uint32_t ranks, std::uint32_t row,
                                      std::uint32_t hosts_per_switch) {
  const std::uint32_t switches = 2 * row;
  require(row >= 1 && (row & (row - 1)) == 0,
          "the rank mapping for halving and doubling needs rows of 2^n switches");
  require(ranks % switches == 0, "the rank mapping needs the same number of ranks on each switch");
  require(ranks / switches <= row && ranks / switches <= hosts_per_switch,
          "the rank mapping needs a port per rank, and no more ranks on a switch than there are switches in "
          "a row");
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t port = rank / switches, pair = rank % switches / 2;
    const bool is_lower = __builtin_popcount(rank) % 2 == 1;
    const std::uint32_t at = is_lower ? row + pair : (pair + port) % row;
    hosts.push_back(at * hosts_per_switch + port);
  }
  return hosts;
}

}  // namespace wafertlm::ethernet
