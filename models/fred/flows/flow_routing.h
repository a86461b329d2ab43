// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/fred/flows/flow_tree.h"
#include "tlm/flow.h"

namespace wafertlm {

/// Why a flow cannot be carried beside others.
struct FlowRouteConflict {
  std::size_t at = 0;           ///< switch
  std::vector<FlowKey> beside;  ///< the flows there of which none can be left out; empty: it fails alone
  std::string reason;           ///< the switch's interconnect, and whether it is proven
};

/// Which flows the interconnects of the switches carry. Flows of one phase (of equal priority) must be
/// carried together; between phases a switch changes its setting.
class FlowRouting {
 public:
  virtual ~FlowRouting() = default;
  /// Takes the flow in, if every switch of its way can carry it beside those of its phase that are in.
  virtual std::optional<FlowRouteConflict> take(const FlowKey& key, std::uint32_t phase,
                                                const std::vector<FlowTree::SwitchBranch>& branches) = 0;
  /// The flow is gone. Nothing happens if it is not in.
  virtual void release(const FlowKey& key) = 0;
};

}  // namespace wafertlm
