// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "workloads/collectives/bounds/tight_bound.h"

namespace wafertlm::bounds {

/// A group on a graph: two members or more, and the root, one of them, if there is one.
struct Terminals {
  std::vector<std::uint32_t> members;
  std::uint32_t root = 0;
};

/// How a type of collective is bounded.
struct BoundRule {
  CollectiveType type{};
  TightSets (*find)(const LinkGraph& graph, const Terminals& terminals) = nullptr;
  /// Of the request, over the links of the sets.
  Uint128 (*bytes)(const CollectiveRequest& request, const TightSets& sets) = nullptr;
};

/// Null: the type has none.
const BoundRule* bound_rule(CollectiveType type);

}  // namespace wafertlm::bounds
