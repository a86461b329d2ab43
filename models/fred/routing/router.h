// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/fred/routing/flow.h"
#include "models/fred/routing/network.h"

namespace wafertlm {

enum class FredRouteMode : std::uint8_t {
  first_colouring,  ///< the paper's: one colouring per switch and level; if it fails anywhere, a conflict
  backtracking,     ///< all colourings, within a budget; tries the first colouring before
};
const char* to_string(FredRouteMode mode);

enum class FredRouteStatus : std::uint8_t {
  routed,
  impossible,  ///< proven: no configuration of this switch carries these flows together
  not_found,   ///< this mode found none; another colouring may exist
};
const char* to_string(FredRouteStatus status);

struct FredRouteOptions {
  FredRouteMode mode = FredRouteMode::first_colouring;
  std::uint64_t colouring_budget = 100'000;  ///< assignments per connected conflict graph
  std::uint64_t search_budget = 100'000;     ///< assignments of a flow to a middle switch, of all levels
  /// Flows may share ports: packets of such flows pass one after the other, so they may use the same middle
  /// switch. Whoever share no port must be carried together. There is no configuration then, since it
  /// changes from packet to packet.
  bool take_turns = false;
};

struct FredRouting {
  FredRouteStatus status = FredRouteStatus::routed;
  FredConfiguration configuration;  ///< when routed, else everything idle
  std::string reason;               ///< when not routed: which switch of the recursion and which flows
  std::uint64_t steps = 0;          ///< assignments that backtracking tried
  bool heuristic = false;           ///< a colouring came from the local search, or none from either

  bool routed() const { return status == FredRouteStatus::routed; }
};

/// Finds configurations of one network. Flows that share an input or output µswitch need different middle
/// switches: a colouring of their conflict graph with m colours; then the same within each middle switch.
/// That is all there is to choose, because an R-µswitch cannot copy and a D-µswitch cannot add, so that a
/// flow always lies in one middle switch.
class FredRouter {
 public:
  /// @param network must live as long as this.
  explicit FredRouter(const FredNetwork& network);
  ~FredRouter();

  /// All flows at the same time. The same arguments always give the same configuration.
  /// @param names numbers of the flows for the reason; their positions if left out.
  /// @throws std::invalid_argument as checked_flows.
  FredRouting route(const std::vector<FredFlow>& flows, const FredRouteOptions& options = {},
                    const std::vector<std::size_t>& names = {}) const;

 private:
  class Attempt;
  const FredNetwork& network_;
  std::unique_ptr<const class BaseSwitch> base_;
};

}  // namespace wafertlm
