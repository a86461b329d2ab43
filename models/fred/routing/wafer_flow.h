// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/fred/routing/flow.h"
#include "models/fred/routing/wafer_shape.h"
#include "tlm/program.h"

namespace wafertlm {

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

/// The flows in one switch during a step.
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
