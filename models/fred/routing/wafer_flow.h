// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/fred/routing/flow.h"
#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// A FRED wafer of two levels, as far as routing needs it. The defaults are a plane of the physical view of
/// FRED-C and D: the L1 switch of four NPUs is five chips, each NPU has a port on each, and packets of a flow
/// are striped over them; a plane is one chip of every L1 and the two L2 chips that they reach. All planes
/// are alike, so a set of flows routes in all of them or in none.
///
/// Ports of an L1 switch: its NPUs, its uplinks, its I/O controllers. Uplink u leads to L2 switch
/// u / uplinks_per_l2(); ports of an L2 switch: uplinks_per_l2() of L1 switch 0, then of 1, …
struct FredWaferShape {
  std::uint32_t l1_switches = 5, npus_per_l1 = 4;
  std::vector<std::uint32_t> io_per_l1 = {4, 4, 4, 3, 3};  ///< empty: none
  std::uint32_t uplinks = 4;                               ///< of an L1 switch, to all L2 switches together
  std::uint32_t l2_switches = 2;                           ///< that share the uplinks
  std::uint32_t planes = 5;

  /// One L1 switch for four NPUs and one L2 switch; the fat uplink carries as many flows at a time as it has
  /// NPU bandwidths.
  static FredWaferShape logical() { return {5, 4, {4, 4, 4, 3, 3}, 4, 1, 1}; }

  std::uint32_t npus() const { return l1_switches * npus_per_l1; }
  std::uint32_t uplinks_per_l2() const { return uplinks / l2_switches; }
  /// NPU n is port n mod npus_per_l1 of L1 switch n / npus_per_l1.
  std::uint32_t l1_of(NpuId npu) const { return static_cast<std::uint32_t>(npu) / npus_per_l1; }
  std::uint32_t l1_port_of(NpuId npu) const { return static_cast<std::uint32_t>(npu) % npus_per_l1; }
  std::uint32_t uplink_port(std::uint32_t uplink) const { return npus_per_l1 + uplink; }
  std::uint32_t l1_ports(std::uint32_t l1) const {
    return npus_per_l1 + uplinks + (io_per_l1.empty() ? 0 : io_per_l1[l1]);
  }
  std::uint32_t l2_ports() const { return l1_switches * uplinks_per_l2(); }

  /// @throws std::invalid_argument that says which number does not fit.
  void check() const;
};

/// The sum over `from` goes to all of `to`.
struct WaferFlow {
  std::vector<NpuId> from, to;
};

/// Flows that are in the wafer at the same time.
using WaferStep = std::vector<WaferFlow>;

/// A collective of several groups at once as flows in series; step j holds the j-th flow of each group:
///   all_reduce, barrier  one step: all → all
///   reduce               one step: all → root
///   broadcast            one step: root → the others
///   reduce_scatter       a reduce for each rank
///   all_gather           a multicast for each rank, to the others
///   all_to_all           size - 1 steps of unicasts: in step s, rank i → rank i + s
///   gather, scatter      size - 1 steps of one unicast
/// @param root position in each group.
/// @throws std::invalid_argument: a group with one member, a root outside a group.
std::vector<WaferStep> fred_steps(CollectiveType type, const std::vector<Group>& groups,
                                  std::uint32_t root = 0);

/// How a flow lies in the two levels: sums on the way up, in L1, then in L2, copies on the way down; it turns
/// as low as it can. With all sources below one L1 switch, that switch also serves its own destinations; with
/// all destinations below one, that switch adds its own sources to what comes down.
struct FlowPath {
  std::vector<std::uint32_t> up, down;  ///< L1 switches that send to L2, that receive from L2; sorted
  bool stays() const { return up.empty(); }
};
/// @throws std::invalid_argument: an NPU that the wafer does not have, no source or no destination.
FlowPath path_of(const WaferFlow& flow, const FredWaferShape& shape);

struct SwitchFlows {
  std::string name;  ///< "L1[0]", "L2[1]"
  std::uint32_t level = 1;
  std::uint32_t ports = 0;
  std::vector<FredFlow> flows;
  std::vector<std::size_t> wafer_flow;  ///< of each, its position in the step
};

/// The flows of a step in every switch of a plane that has any, L1 switches first. Each flow has an uplink
/// that it would like. At each L1 switch and direction it takes the first that no flow before it in the step
/// has, from that one on, round among those to the same L2 switch; an L1 switch that sends up and receives
/// down in a flow uses the same uplink for both if one is free in both. A flow thus lies in one L2 switch,
/// and no two flows share an uplink in a direction.
/// @param wish of each flow, below shape.uplinks; of those that stay within an L1 switch it does not matter.
/// @throws std::invalid_argument when the uplinks to an L2 switch do not suffice.
std::vector<SwitchFlows> switch_flows(const WaferStep& step, const std::vector<std::uint32_t>& wish,
                                      const FredWaferShape& shape);

}  // namespace wafertlm
