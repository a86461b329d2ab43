// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/fred/routing/router.h"
#include "models/fred/routing/wafer_flow.h"

namespace wafertlm {

struct SwitchRouting {
  SwitchFlows flows;
  FredRouting routing;
};

/// How a step lies in the switches of a plane.
struct WaferRouting {
  FredRouteStatus status = FredRouteStatus::routed;
  std::string reason;                   ///< when not routed
  std::vector<std::uint32_t> l2_of;     ///< the L2 switch of each flow; empty if they fit no way
  std::vector<SwitchRouting> switches;  ///< with that choice; those that have flows
  std::uint64_t choices = 0;            ///< of L2 switches that were tried

  bool routed() const { return status == FredRouteStatus::routed; }
};

/// Routes the flows of a step through the switches of a two-level wafer, all at the same time.
///
/// Each flow that leaves its L1 switch lies in one L2 switch. In the order of the step, flows take the first
/// L2 switch to which every L1 switch they use has an uplink left in the directions they use; a flow that
/// finds none makes the ones before it move (exhaustive, up to a budget). FredRouteMode::first_colouring
/// takes the first choice that fits and then the first colouring in each switch; backtracking tries all
/// colourings for all choices of L2 switches, up to `most_choices`. Which uplink within an L2 switch follows
/// from switch_flows. `impossible` is claimed when no choice of L2 switches fits the uplinks, or when all
/// were tried, each with a switch that cannot carry its flows, and exchanging the uplinks of an L2 switch
/// could not change that (one of them, or two on a µswitch of their own at both ends).
class FredWaferRouter {
 public:
  /// @throws std::invalid_argument as FredWaferShape::check and FredNetwork.
  FredWaferRouter(const FredWaferShape& shape, std::uint32_t m);

  const FredWaferShape& shape() const { return shape_; }
  std::uint32_t m() const { return m_; }
  /// The network of the switches with this number of ports.
  const FredNetwork& network(std::uint32_t ports) const { return parts_.at(ports)->network; }

  /// @throws std::invalid_argument: two flows share an NPU on the same side, an NPU that does not exist.
  WaferRouting route(const WaferStep& step, const FredRouteOptions& options = {},
                     std::uint64_t most_choices = 256) const;

 private:
  struct Part {
    Part(std::uint32_t m, std::uint32_t ports) : network(m, ports), router(network) {}
    FredNetwork network;
    FredRouter router;
  };
  class Search;

  FredWaferShape shape_;
  std::uint32_t m_;
  std::map<std::uint32_t, std::unique_ptr<const Part>> parts_;  ///< by ports
};

}  // namespace wafertlm
