// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/families.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "workloads/chakra/trace_error.h"
#include "workloads/trace_model/perturb.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;

/// Groups of a rank in the order in which it uses them first, and a number that equal sequences of operations
/// share.
struct Use {
  std::vector<std::size_t> groups;
  std::uint64_t sequence = 0;
};

Use use_of(const statistics::TraceGraph& graph, std::uint32_t rank, const chakra::CommGroups& groups) {
  Use use;
  std::map<std::size_t, std::size_t> known;
  for (const std::uint32_t at : graph.order) {
    const Node& node = graph.nodes[at];
    std::uint64_t what = static_cast<std::uint64_t>(node.type);
    if (node.is_collective()) {
      if (!groups.has(node.pg_name) || !groups.holds(node.pg_name, rank))
        throw chakra::TraceError(
            graph.name + ": " + chakra::describe(node) + " is in group \"" + node.pg_name + "\", which " +
            (groups.has(node.pg_name) ? "does not hold the rank" : "is not known") + "; see --comm-groups");
      const std::size_t number = groups.number(node.pg_name);
      const auto [found, is_new] = known.emplace(number, known.size());
      if (is_new) use.groups.push_back(number);
      what = mixed(what, 16 * found->second + static_cast<std::uint64_t>(*node.comm_type));
    }
    use.sequence = mixed(use.sequence, what);
  }
  return use;
}

}  // namespace

Families::Place Families::place(std::uint32_t rank, std::size_t group) const {
  const std::int32_t family = family_of[group];
  Place result{family, 0};
  const Family& groups = all[static_cast<std::size_t>(family)];
  for (std::uint32_t i = 0; i < index_in_family[group]; ++i)
    if (std::find(groups[i].begin(), groups[i].end(), rank) != groups[i].end()) ++result.nth;
  return result;
}

Families families_of(const std::vector<statistics::TraceGraph>& ranks, const chakra::CommGroups& groups) {
  std::vector<std::size_t> leader(groups.count());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](std::size_t group) {
    while (leader[group] != group) group = leader[group] = leader[leader[group]];
    return group;
  };
  std::vector<bool> used(groups.count());
  std::map<std::uint64_t, std::vector<std::size_t>> first_of;  // by sequence
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    Use use = use_of(ranks[rank], rank, groups);
    for (const std::size_t group : use.groups) used[group] = true;
    const auto& first = first_of.emplace(use.sequence, use.groups).first->second;
    for (std::size_t i = 0; i < std::min(first.size(), use.groups.size()); ++i) {
      const std::size_t a = find(first[i]), b = find(use.groups[i]);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t group = 0; group < groups.count(); ++group)
    if (used[group]) members[find(group)].push_back(group);
  Families result;
  result.family_of.assign(groups.count(), -1);
  result.index_in_family.resize(groups.count());
  for (auto& [first, all] : members) {
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return groups.ranks(groups.name(a)) < groups.ranks(groups.name(b));
    });
    Family& family = result.all.emplace_back();
    for (const std::size_t group : all) {
      result.family_of[group] = static_cast<std::int32_t>(result.all.size()) - 1;
      result.index_in_family[group] = static_cast<std::uint32_t>(family.size());
      family.push_back(groups.ranks(groups.name(group)));
    }
  }
  return result;
}

}  // namespace wafertlm::trace_model
