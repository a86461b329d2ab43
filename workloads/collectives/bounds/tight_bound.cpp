// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/bounds/tight_bound.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/bounds/tight_sets.h"
#include "workloads/collectives/cost.h"

namespace wafertlm::bounds {
namespace {

/// Type, root, members in ascending order.
using GroupKey = std::tuple<CollectiveType, std::uint32_t, std::vector<std::uint32_t>>;

struct KnownSets {
  std::shared_ptr<const LinkGraph> graph;
  std::map<GroupKey, std::shared_ptr<const TightSets>> by_group;
};

Terminals terminals_of(const CollectiveRequest& request) {
  Terminals terminals;
  for (const NpuId npu : request.group)
    terminals.members.push_back(static_cast<std::uint32_t>(index_of(npu)));
  if (has_root(request.type)) terminals.root = terminals.members[request.root];
  std::sort(terminals.members.begin(), terminals.members.end());
  return terminals;
}

}  // namespace

bool has_tight_bound(CollectiveType type) { return bound_rule(type) != nullptr; }

std::optional<TightBound> tight_bound(const CollectiveRequest& request, const FabricTraits& fabric) {
  const BoundRule* const rule = bound_rule(request.type);
  const KnowsLinks* const links = links_of(*fabric.topology);
  if (rule == nullptr || links == nullptr || request.group.size() < 2 || request.bytes == 0) return {};
  auto& known = fabric.plans->of<KnownSets>();
  if (!known.graph) known.graph = std::make_shared<const LinkGraph>(links->link_graph());
  const Terminals terminals = terminals_of(request);
  auto& sets = known.by_group[GroupKey(request.type, terminals.root, terminals.members)];
  if (!sets) sets = std::make_shared<const TightSets>(rule->find(*known.graph, terminals));
  TightBound bound{known.graph, sets, rule->bytes(request, *sets)};
  bound.time_ps = at_least_ps(bound.bytes, sets->bytes_per_s);
  return bound;
}

}  // namespace wafertlm::bounds
