// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_paths.h"

namespace wafertlm {

std::vector<std::size_t> FlowPaths::ways_of(const std::vector<NpuId>& contributors,
                                            const std::vector<NpuId>& receivers) const {
  if (!choice_) return {0};
  std::vector<NpuId> members = contributors;
  members.insert(members.end(), receivers.begin(), receivers.end());
  return choice_(members);
}

FlowPaths::Plan FlowPaths::plan(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers,
                                std::uint64_t packets, std::uint64_t first) const {
  const std::vector<std::size_t> ways = ways_of(contributors, receivers);
  const auto stripes = static_cast<std::uint32_t>(ways.size());
  Plan plan{{}, stripes};
  for (std::uint32_t k = 0; k < stripes && k < packets; ++k) {
    const Path& way = trees_.at(ways[(first + k) % stripes]);
    for (FlowTree::SwitchBranch& place : way.tree.branches(contributors, receivers)) {
      if (!way.switches.empty()) place.at = way.switches[place.at];
      place.branch.share = {stripes, k};
      plan.places.push_back(std::move(place));
    }
  }
  return plan;
}

AdditionOrder FlowPaths::additions(const std::vector<NpuId>& contributors,
                                   const std::vector<NpuId>& receivers) const {
  const FlowTree& tree = trees_.at(ways_of(contributors, receivers).front()).tree;
  return tree.additions(contributors, tree.branches(contributors, receivers));
}

}  // namespace wafertlm
