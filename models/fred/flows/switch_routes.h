// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fred/flows/flow_tree.h"
#include "models/fred/routing/router.h"
#include "tlm/packets/flow.h"

namespace wafertlm {

struct FlowRouteConflict {
  std::size_t at = 0;           ///< switch
  std::vector<FlowKey> beside;  ///< the flows there of which none can be left out; empty: it fails alone
  std::string reason;           ///< the switch's interconnect, and whether it is proven
};

/// The interconnects FRED_m(P) of the switches of a fabric, and the flows that they carry.
///
/// A port that is faster than an NPU's is several ports of the interconnect, its lanes. A flow takes one lane
/// of each link on its way, the same at both ends: of those with the fewest flows the first. Flows that share
/// a port take turns there, packet by packet; all others must be in the switch at the same time
/// (FredRouteOptions::take_turns). Flows of one phase (of equal priority) must be carried together; between
/// phases a switch changes its setting. Which set of flows routes is remembered, so a set costs a search
/// once.
class SwitchRoutes {
 public:
  /// The lanes of a port: ports first … first + lanes − 1 of the interconnect.
  struct Port {
    std::uint32_t first = 0, lanes = 1;
  };
  /// The other end of a port, if it is a switch.
  using Behind = std::function<std::optional<FlowTree::Attachment>(std::size_t at, PortId port)>;

  /// first_colouring: the paper's, with the first choice of lanes; backtracking: all colourings, and as many
  /// choices of lanes as a link has.
  SwitchRoutes(std::uint32_t m, FredRouteMode mode, Behind behind);
  ~SwitchRoutes();

  /// In the order of the switches' numbers. @throws std::invalid_argument as FredNetwork.
  void add_switch(std::uint32_t network_ports, std::vector<Port> ports);

  /// Takes the flow in, if every switch of its way can carry it beside those of its phase that are in.
  std::optional<FlowRouteConflict> take(const FlowKey& key, std::uint32_t phase,
                                        const std::vector<FlowTree::SwitchBranch>& branches);
  /// The flow is gone. Nothing happens if it is not in.
  void release(const FlowKey& key);

  /// Sets of flows for which a route was searched; the others were known.
  std::uint64_t searches() const { return searches_; }

 private:
  struct Network;
  struct Switch {
    Network* network;
    std::vector<Port> ports;
  };
  /// A direction of a link, by the switch that sends.
  using Link = std::pair<std::size_t, PortId>;
  struct Active {
    std::uint32_t phase = 0;
    std::vector<std::pair<std::size_t, FredFlow>> at;
    std::map<Link, std::uint32_t> lane;
  };
  using Flows = std::vector<std::pair<FlowKey, FredFlow>>;

  Active lay(const std::vector<FlowTree::SwitchBranch>& branches, std::uint32_t phase,
             std::uint32_t wish) const;
  Flows flows_at(std::size_t at, std::uint32_t phase) const;
  /// Empty reason: they route.
  const std::string& failure(Network& network, std::vector<FredFlow> flows);
  std::optional<FlowRouteConflict> conflict_of(const Active& made);

  std::uint32_t m_;
  FredRouteOptions options_;
  Behind behind_;
  std::map<std::uint32_t, std::unique_ptr<Network>> networks_;  // by ports
  std::vector<Switch> switches_;
  std::map<FlowKey, Active> active_;
  std::uint32_t most_lanes_ = 1;
  std::uint64_t searches_ = 0;
};

}  // namespace wafertlm
