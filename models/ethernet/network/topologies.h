// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/ethernet/network/network.h"

namespace wafertlm::ethernet {

/// Of cables between hosts and switches, and between switches.
struct CableParams {
  std::uint64_t host_bytes_per_s = 50'000'000'000, switch_bytes_per_s = 50'000'000'000;
  TimePs host_latency_ps = 500'000, switch_latency_ps = 500'000;
};

// Each makes a network with its routes. Hosts are numbered by switch unless it says otherwise.
// @throws std::invalid_argument: sizes that do not fit

/// Hosts on one switch.
Network star(std::uint32_t hosts, const CableParams& cables);
/// Two tiers: every leaf has a cable to every spine. Oversubscribed by hosts_per_leaf / spines at equal
/// speeds.
Network leaf_spine(std::uint32_t leaves, std::uint32_t hosts_per_leaf, std::uint32_t spines,
                   const CableParams& cables);
/// Three tiers of switches with `ports` ports: ports pods of ports/2 edge switches and as many aggregation
/// switches, (ports/2)² cores; each edge switch has ports/2 · oversubscription hosts.
Network fat_tree(std::uint32_t ports, std::uint32_t oversubscription, const CableParams& cables);
/// Host r of node n, number n · rails + r, hangs on leaf r, and each leaf on all spines. Without spines rails
/// are apart.
Network rail_optimised(std::uint32_t nodes, std::uint32_t rails, std::uint32_t spines,
                       const CableParams& cables);
/// Groups of routers that are joined to each other; each router has hosts and cables to other groups, one
/// between any two groups (Kim et al., ISCA 2008). groups <= routers · global + 1.
Network dragonfly(std::uint32_t groups, std::uint32_t routers, std::uint32_t hosts, std::uint32_t global,
                  const CableParams& cables);
/// EFLOPS (Dong et al., HPCA 2020): two rows of `row` switches, all with hosts, every upper one joined to
/// every lower one. Between hosts of different rows there is one shortest way.
Network bigraph(std::uint32_t row, std::uint32_t hosts_per_switch, const CableParams& cables);

/// EFLOPS' rank mapping for halving and doubling: the host of each of `ranks` ranks on a bigraph of `row`
/// switches per row (a power of two). Partners are always in different rows, and no two messages of a step
/// share a cable.
/// @throws std::invalid_argument: ranks that are no multiple of 2 row or more than 2 row² with one per port
std::vector<std::uint32_t> hdrm_hosts(std::uint32_t ranks, std::uint32_t row, std::uint32_t hosts_per_switch);

}  // namespace wafertlm::ethernet
