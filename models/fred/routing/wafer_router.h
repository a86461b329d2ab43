// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/fred/routing/router.h"
#include "models/fred/routing/wafer_flow.h"

namespace wafertlm {

struct WaferRouteOptions {
  FredRouteOptions in_switch;
  /// Ways to spread the flows over the uplinks that are tried, until one routes in all switches. 1: the
  /// first.
  std::uint64_t most_choices = 1;
};

struct RoutedSwitch {
  SwitchFlows flows;
  FredRouting routing;
};

/// How a step lies in the switches of a plane.
struct WaferRouting {
  enum class Conflict : std::uint8_t { none, uplinks, l1, l2 };

  FredRouteStatus status = FredRouteStatus::routed;
  Conflict conflict = Conflict::none;  ///< where, with the first choice of uplinks
  std::string reason;                  ///< when not routed
  std::vector<std::uint32_t> wish;     ///< the uplink that each flow wishes (switch_flows)
  std::vector<RoutedSwitch> switches;  ///< those that have flows; empty if the uplinks do not suffice
  std::uint64_t choices = 0;           ///< that were tried

  bool routed() const { return status == FredRouteStatus::routed; }
};

/// Routes the flows of a step through the switches of a two-level wafer, all at the same time.
///
/// Uplinks come in bundles of those that share a µswitch and lead to the same L2 switch: two, or single ones.
/// Every flow that leaves its L1 switch chooses a bundle. In the order of the step, flows take the first one
/// to whose L2 switch every L1 switch that they use has an uplink left, in the directions that they use; a
/// flow that finds none makes those before it move (exhaustive, up to a budget). Further choices follow in
/// the same order. `impossible` is claimed when no choice fits the uplinks, or when all were tried, each with
/// a switch that cannot carry its flows, and the choices are all that there is: a bundle for each L2 switch.
class FredWaferRouter {
 public:
  /// @throws std::invalid_argument as FredWaferShape::check and FredNetwork.
  FredWaferRouter(const FredWaferShape& shape, std::uint32_t m);

  const FredWaferShape& shape() const { return shape_; }
  std::uint32_t m() const { return m_; }
  /// The network of the switches with this number of ports.
  const FredNetwork& network(std::uint32_t ports) const { return parts_.at(ports)->network; }

  /// @throws std::invalid_argument: two flows share an NPU on the same side, an NPU that does not exist.
  WaferRouting route(const WaferStep& step, const WaferRouteOptions& options = {}) const;

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
